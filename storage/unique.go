package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/collate"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/keyindex"
)

// uniqueKey enforces a PRIMARY KEY or UNIQUE key with a hash index from key values to row ids.
// The index holds all live committed rows of the newest version. Entries of deleted rows stay
// until they are overwritten or swept, so a caller must check in a version whether the row found
// is alive.
type uniqueKey struct {
	table string
	name  string
	cols  []int
	ints  bool              // single integer column: the value itself is the key
	colls []types.Collation // by key column; nil if all columns compare bytes

	*keyEntries
}

// keyEntries holds a key's entries. It survives changes of definitions that do not affect the
// key's columns.
type keyEntries struct {
	mu     sync.RWMutex
	rows   keyindex.Index
	unread unread // rows whose keys are not in the index yet
	lost   uint64 // the newest committed version at which entries were replaced or swept
}

func newUniqueKey(t *table, schema *catalog.Schema, x *catalog.Index) *uniqueKey {
	k := &uniqueKey{table: t.name, name: x.Name, cols: x.Columns}
	if x.Primary {
		k.name = "PRIMARY"
	}
	if len(x.Columns) == 1 {
		kind := schema.Columns[x.Columns[0]].Type.Kind()
		k.ints = kind == types.KindI64 || kind == types.KindU64
	}
	for i, c := range x.Columns {
		if coll := schema.Columns[c].Type.Coll; coll != types.Bin {
			if k.colls == nil {
				k.colls = make([]types.Collation, len(x.Columns))
			}
			k.colls[i] = coll
		}
	}
	k.keyEntries = &keyEntries{rows: *keyindex.New(t.mem, k.ints)}
	return k
}

// keysOf extracts the keys of n rows from flat vectors in schema order. Integer keys share the
// vector's memory.
func (k *uniqueKey) keysOf(cols []*vec.Vector, n int) keyindex.Values {
	return k.encode(cols, n, k.colls)
}

// encode is like keysOf, but computes collation keys only for the collations in colls, which is
// nil if the texts are collation keys already.
func (k *uniqueKey) encode(cols []*vec.Vector, n int, colls []types.Collation) keyindex.Values {
	var kv keyindex.Values
	for _, c := range k.cols {
		for i, x := range cols[c].Null {
			if x && i < n {
				if kv.Null == nil {
					kv.Null = make([]bool, n)
				}
				kv.Null[i] = true
			}
		}
	}
	if k.ints {
		kv.Ints = cols[k.cols[0]].I64[:n]
		return kv
	}
	kv.Strs = make([]string, n)
	var buf []byte
	ends := make([]int, n)
	for i := range n {
		for j, c := range k.cols {
			if colls != nil && colls[j] != types.Bin {
				buf = appendText(buf, collate.Key(colls[j], cols[c].Str[i]))
			} else {
				buf = appendKey(buf, cols[c], i)
			}
		}
		ends[i] = len(buf)
	}
	all, at := string(buf), 0
	for i, end := range ends {
		kv.Strs[i], at = all[at:end], end
	}
	return kv
}

// appendKey encodes a value so that two encodings are equal if and only if the values are equal
// as keys.
func appendKey(dst []byte, v *vec.Vector, i int) []byte {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		return binary.BigEndian.AppendUint64(dst, uint64(v.I64[i]))
	case types.KindF64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.F64[i]+0)) // -0 equals 0
	case types.KindDec:
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Dec[i].HighBits()))
		return binary.BigEndian.AppendUint64(dst, v.Dec[i].LowBits())
	case types.KindStr:
		return appendText(dst, v.Str[i])
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// duplicate returns error 1062 for row i of cols.
func (k *uniqueKey) duplicate(cols []*vec.Vector, i int) error {
	parts := make([]string, len(k.cols))
	for j, c := range k.cols {
		parts[j] = catalog.DatumAt(cols[c], i).Text()
	}
	return sqlerr.New(sqlerr.DupEntry, "Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), k.table, k.name)
}

// claimRows is the number of keys entered between checks for cancellation.
const claimRows = 4096

// claim enters the keys of n rows, with ids from first on, into local, which holds the keys of
// the transaction's own rows. A key is taken if it belongs to a row alive in latest, the newest
// committed version, that the transaction's view has not deleted, or to an own row alive in view,
// or to an earlier one of these rows. The error is then 1062, or 1213 if the rows were matched
// and the transaction does not know the row with the key, because matching again would find it.
// undo removes the entered keys; it is valid even after an error.
func (k *uniqueKey) claim(ctx context.Context, local *keyindex.Index, cols []*vec.Vector, n int, first int64, latest, view *version, matched bool) (undo func(), err error) {
	if err := k.read(ctx); err != nil {
		return func() {}, err
	}
	kv := k.keysOf(cols, n)
	var replaced map[int]int64
	i := 0
	undo = func() { local.Restore(&kv, i, replaced) }
	k.mu.RLock()
	defer k.mu.RUnlock()
	if kv.Null == nil && k.rows.Above(kv.Ints) && local.Above(kv.Ints) {
		local.AddRun(kv.Ints, first)
		return local.DropRun, local.Charge()
	}
	for ; i < n; i++ {
		if i%claimRows == 0 {
			if err := errors.Join(ctx.Err(), local.Charge()); err != nil {
				return undo, sqlerr.From(err)
			}
		}
		if kv.IsNull(i) {
			continue
		}
		if id, ok := k.rows.Get(&kv, i); ok && latest.alive(id) && !view.removed(id) {
			if _, known := view.find(id); matched && !known {
				return undo, conflictError()
			}
			return undo, k.duplicate(cols, i)
		}
		if id, ok := local.Get(&kv, i); ok {
			if id >= first || view.alive(id) {
				return undo, k.duplicate(cols, i)
			}
			if replaced == nil {
				replaced = make(map[int]int64)
			}
			replaced[i] = id
		}
		local.Put(&kv, i, first+int64(i))
	}
	return undo, local.Charge()
}

// removed reports whether v contains the row and has deleted it.
func (v *version) removed(id int64) bool {
	p, ok := v.find(id)
	return ok && p.Deleted()
}

// conflict finds an own row alive in view that shares its key with a row alive in merged.
func (k *uniqueKey) conflict(local *keyindex.Index, view, merged *version) (id int64, found bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	local.Each(func(key *keyindex.Values, own int64) bool {
		if r, ok := k.rows.Get(key, 0); ok && merged.alive(r) && view.alive(own) {
			id, found = own, true
		}
		return !found
	})
	return id, found
}

// publish enters the keys of own rows, whose ids change by shift. It sweeps the index if it has
// at least twice as many entries as v has rows.
func (k *uniqueKey) publish(local *keyindex.Index, view, v *version, shift int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.rows.ChargeAnyway()
	rest := k.rows.TakeRuns(local, shift)
	rest.Each(func(key *keyindex.Values, own int64) bool {
		if view.alive(own) {
			if _, had := k.rows.Get(key, 0); had {
				k.lost = v.id
			}
			k.rows.Put(key, 0, own+shift)
		}
		return true
	})
	if n := k.rows.Len(); n >= 4096 && int64(n) >= 2*v.rows() {
		k.rows.Sweep(v.alive)
		k.lost = v.id
	}
}

// duplicateRow returns error 1062 for a row of v.
func (k *uniqueKey) duplicateRow(v *version, id int64) error {
	cols := make([]*vec.Vector, len(v.schema.Columns))
	if err := v.fetch(context.Background(), []int64{id}, cols); err != nil {
		return err
	}
	return k.duplicate(cols, 0)
}
