package storage

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// uniqueKey enforces a PRIMARY KEY or UNIQUE key with a hash index from key values to
// row ids. The index holds every alive committed row of the newest version; entries
// of deleted rows stay until they are overwritten or swept, so whoever finds an id
// asks a version whether it is alive.
type uniqueKey struct {
	table string
	name  string
	cols  []int
	ints  bool // one integer column: the value itself is the key

	mu   sync.RWMutex
	rows keyIndex
}

// keyIndex maps keys to row ids; exactly one map is in use.
type keyIndex struct {
	ints map[int64]int64
	strs map[string]int64
}

// keyValues are the keys of a batch of rows.
type keyValues struct {
	ints []int64 // when the key is one integer column
	strs []string
	null []bool // rows with a NULL in the key, which are never duplicates; may be nil
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
	k.rows = k.newIndex()
	return k
}

func (k *uniqueKey) newIndex() keyIndex {
	if k.ints {
		return keyIndex{ints: make(map[int64]int64)}
	}
	return keyIndex{strs: make(map[string]int64)}
}

// keysOf extracts the keys of n rows of flat vectors in schema order. Integer keys
// share the vector's memory.
func (k *uniqueKey) keysOf(cols []*vec.Vector, n int) keyValues {
	var kv keyValues
	for _, c := range k.cols {
		for i, x := range cols[c].Null {
			if x && i < n {
				if kv.null == nil {
					kv.null = make([]bool, n)
				}
				kv.null[i] = true
			}
		}
	}
	if k.ints {
		kv.ints = cols[k.cols[0]].I64[:n]
		return kv
	}
	kv.strs = make([]string, n)
	var buf []byte
	ends := make([]int, n)
	for i := range n {
		for _, c := range k.cols {
			buf = appendKey(buf, cols[c], i)
		}
		ends[i] = len(buf)
	}
	all, at := string(buf), 0
	for i, end := range ends {
		kv.strs[i], at = all[at:end], end
	}
	return kv
}

// appendKey encodes a value so that equal keys, and only those, are equal bytes.
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
		dst = binary.AppendUvarint(dst, uint64(len(v.Str[i])))
		return append(dst, v.Str[i]...)
	}
	return dst
}

func (x *keyIndex) get(kv *keyValues, i int) (int64, bool) {
	if x.ints != nil {
		id, ok := x.ints[kv.ints[i]]
		return id, ok
	}
	id, ok := x.strs[kv.strs[i]]
	return id, ok
}

func (x *keyIndex) put(kv *keyValues, i int, id int64) {
	if x.ints != nil {
		x.ints[kv.ints[i]] = id
		return
	}
	x.strs[kv.strs[i]] = id
}

func (x *keyIndex) remove(kv *keyValues, i int) {
	if x.ints != nil {
		delete(x.ints, kv.ints[i])
		return
	}
	delete(x.strs, kv.strs[i])
}

func (x *keyIndex) len() int { return len(x.ints) + len(x.strs) }

// duplicate is error 1062 for row i of cols.
func (k *uniqueKey) duplicate(cols []*vec.Vector, i int) error {
	parts := make([]string, len(k.cols))
	for j, c := range k.cols {
		parts[j] = catalog.DatumAt(cols[c], i).Text()
	}
	return sqlerr.New(sqlerr.DupEntry, "Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), k.table, k.name)
}

// claim enters the keys of n rows with ids from first on into local, the keys of a
// transaction's own rows. A key is taken when latest, the newest committed version,
// has it alive and the transaction's view has not deleted it, or when an own row
// alive in view (or an earlier one of these rows) has it: error 1062. undo takes back
// what was entered, after an error too.
func (k *uniqueKey) claim(local *keyIndex, cols []*vec.Vector, n int, first int64, latest, view *version) (undo func(), err error) {
	kv := k.keysOf(cols, n)
	var replaced map[int]int64
	i := 0
	undo = func() { local.restore(&kv, i, replaced) }
	k.mu.RLock()
	defer k.mu.RUnlock()
	for ; i < n; i++ {
		if kv.null != nil && kv.null[i] {
			continue
		}
		if id, ok := k.rows.get(&kv, i); ok && latest.alive(id) && !view.removed(id) {
			return undo, k.duplicate(cols, i)
		}
		if id, ok := local.get(&kv, i); ok {
			if id >= first || view.alive(id) {
				return undo, k.duplicate(cols, i)
			}
			if replaced == nil {
				replaced = make(map[int]int64)
			}
			replaced[i] = id
		}
		local.put(&kv, i, first+int64(i))
	}
	return undo, nil
}

// restore takes back what claim entered for the rows before end.
func (x *keyIndex) restore(kv *keyValues, end int, replaced map[int]int64) {
	for i := range end {
		if kv.null != nil && kv.null[i] {
			continue
		}
		if id, ok := replaced[i]; ok {
			x.put(kv, i, id)
		} else {
			x.remove(kv, i)
		}
	}
}

// removed is true when v knows the row and has deleted it.
func (v *version) removed(id int64) bool {
	p, ok := v.find(id)
	return ok && p.deleted()
}

// conflict finds an own row alive in view whose key a row alive in merged has.
func (k *uniqueKey) conflict(local *keyIndex, view, merged *version) (id int64, found bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for key, own := range local.ints {
		if id, ok := k.rows.ints[key]; ok && merged.alive(id) && view.alive(own) {
			return own, true
		}
	}
	for key, own := range local.strs {
		if id, ok := k.rows.strs[key]; ok && merged.alive(id) && view.alive(own) {
			return own, true
		}
	}
	return 0, false
}

// publish enters the keys of own rows, whose ids change by shift, and sweeps entries
// of rows not alive in v when they outnumber the others.
func (k *uniqueKey) publish(local *keyIndex, view, v *version, shift int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows.len() == 0 && local.len() > 0 {
		k.rows = keyIndex{}
		if k.ints {
			k.rows.ints = make(map[int64]int64, local.len())
		} else {
			k.rows.strs = make(map[string]int64, local.len())
		}
	}
	for key, own := range local.ints {
		if view.alive(own) {
			k.rows.ints[key] = own + shift
		}
	}
	for key, own := range local.strs {
		if view.alive(own) {
			k.rows.strs[key] = own + shift
		}
	}
	if k.rows.len() < 4096 || int64(k.rows.len()) < 2*v.rows() {
		return
	}
	for key, id := range k.rows.ints {
		if !v.alive(id) {
			delete(k.rows.ints, key)
		}
	}
	for key, id := range k.rows.strs {
		if !v.alive(id) {
			delete(k.rows.strs, key)
		}
	}
}

// duplicateRow is error 1062 for a row of v.
func (k *uniqueKey) duplicateRow(v *version, id int64) error {
	cols := make([]*vec.Vector, len(v.schema.Columns))
	if err := v.fetch(context.Background(), []int64{id}, cols); err != nil {
		return err
	}
	return k.duplicate(cols, 0)
}
