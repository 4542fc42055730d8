package storage

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/keyindex"
	"gsql/storage/segment"
)

// uniqueKey enforces a PRIMARY KEY or UNIQUE key with a hash index from key values to row ids.
// The index holds all live committed rows of the newest version. Entries of deleted rows stay
// until they are overwritten or swept, so a caller must check in a version whether the row found
// is alive.
type uniqueKey struct {
	table string
	name  string
	keyindex.Columns
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
	k := &uniqueKey{table: t.name, name: x.Name, Columns: keyindex.ColumnsOf(schema, x)}
	if x.Primary {
		k.name = "PRIMARY"
	}
	k.keyEntries = &keyEntries{rows: *keyindex.New(t.mem, k.Form)}
	return k
}

// duplicate returns error 1062 for row i of cols.
func (k *uniqueKey) duplicate(cols []*vec.Vector, i int) error {
	parts := make([]string, len(k.At))
	for j, c := range k.At {
		parts[j] = catalog.DatumAt(cols[c], i).Text()
	}
	return sqlerr.New(sqlerr.DupEntry, "Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), k.table, k.name)
}

// claimRows is the number of keys entered between checks for cancellation.
const claimRows = 4096

// claiming is what the keys of new rows are checked against.
type claiming struct {
	latest, view *version
	first        int64 // id of the first of the new rows
	matched      bool  // the rows were matched
}

// taken reports whether a committed row keeps others from having its key: it is alive in the newest committed version,
// and the transaction's view has not deleted it.
func (c *claiming) taken(id int64) bool { return c.latest.alive(id) && !c.view.removed(id) }

// mine reports the same for a row of the transaction.
func (c *claiming) mine(id int64) bool { return id >= c.first || c.view.alive(id) }

// claim enters the keys of n rows into local, which holds the keys of the transaction's own rows. A key is taken if it
// belongs to a committed row (see claiming.taken), to an own row alive in view, or to an earlier one of these rows. The
// error is then 1062, or 1213 if the rows were matched and the transaction does not know the row with the key,
// because matching again would find it; at is the row, otherwise n. undo removes the entered keys; it is valid even after
// an error.
func (k *uniqueKey) claim(ctx context.Context, local *keyindex.Index, cols []*vec.Vector, n int, c *claiming) (undo func(), at int, err error) {
	if err := k.read(ctx); err != nil {
		return func() {}, n, err
	}
	kv, err := k.values(cols, n)
	if err != nil {
		return func() {}, n, err
	}
	var replaced map[int]int64
	i := 0
	undo = func() { local.Restore(&kv, i, replaced) }
	k.mu.RLock()
	defer k.mu.RUnlock()
	if kv.Null == nil && k.rows.Above(kv.Ints) && local.Above(kv.Ints) {
		before := local.Mark()
		local.AddRun(kv.Ints, c.first)
		return func() { local.Reset(before) }, n, local.Charge()
	}
	for ; i < n; i++ {
		if i%claimRows == 0 {
			if err := errors.Join(ctx.Err(), local.Charge()); err != nil {
				return undo, n, sqlerr.From(err)
			}
		}
		if kv.IsNull(i) {
			continue
		}
		if id, ok := k.rows.Get(&kv, i); ok && c.taken(id) {
			return undo, i, k.takenError(cols, i, id, c)
		}
		if id, ok := local.Get(&kv, i); ok {
			if c.mine(id) {
				return undo, i, k.duplicate(cols, i)
			}
			if replaced == nil {
				replaced = make(map[int]int64)
			}
			replaced[i] = id
		}
		local.Put(&kv, i, c.first+int64(i))
	}
	return undo, n, local.Charge()
}

// values returns the keys of n rows.
func (k *uniqueKey) values(cols []*vec.Vector, n int) (kv keyindex.Values, err error) {
	err = k.making(cols, n, func() { kv = k.Values(cols, n) })
	return kv, err
}

// chunk is values for keys that are entered in bulk.
func (k *uniqueKey) chunk(cols []*vec.Vector, n int) (c *keyindex.Chunk, err error) {
	err = k.making(cols, n, func() { c = k.Chunk(cols, n) })
	return c, err
}

// making calls f, which makes the keys of n rows, while the memory for that is charged.
func (k *uniqueKey) making(cols []*vec.Vector, n int, f func()) error {
	if need := k.Making(cols, n); need > 0 {
		held, err := k.rows.Hold(need)
		if err != nil {
			return err
		}
		defer held.Free()
	}
	f()
	return nil
}

// takenError returns the error for row i of cols, whose key the committed row with an id has.
func (k *uniqueKey) takenError(cols []*vec.Vector, i int, id int64, c *claiming) error {
	if _, known := c.view.find(id); c.matched && !known {
		return conflictError()
	}
	return k.duplicate(cols, i)
}

// claimBulk is like claim for the keys of chunks, which it enters on all cores. taken is the id of the first row whose
// key is taken, -1 if there is none.
func (k *uniqueKey) claimBulk(ctx context.Context, local *keyindex.Index, chunks []*keyindex.Chunk, c *claiming) (undo func(), taken int64, err error) {
	if err := k.read(ctx); err != nil {
		return func() {}, -1, err
	}
	k.mu.RLock()
	committed := k.rows.Frozen() // commits need not wait: the keys that they add are checked by this transaction's commit
	k.mu.RUnlock()
	before := local.Mark()
	taken, err = local.Enter(ctx, chunks, keyindex.Others{Index: committed, Taken: c.taken}, keyindex.Others{Index: local, Taken: c.mine})
	return func() { local.Reset(before) }, taken, err
}

// bulkError returns the error for a row whose key claimBulk has found taken.
func (k *uniqueKey) bulkError(cols []*vec.Vector, i int, c *claiming) error {
	row := make([]*vec.Vector, len(cols))
	for _, at := range k.At {
		row[at] = segment.Sliced(cols[at:at+1], i, i+1)[0].Flatten(nil)
	}
	kv := k.Values(row, 1)
	k.mu.RLock()
	defer k.mu.RUnlock()
	if id, ok := k.rows.Get(&kv, 0); ok && c.taken(id) {
		return k.takenError(row, 0, id, c)
	}
	return k.duplicate(row, 0)
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
	found = k.rows.Common(local, func(own, r int64) bool {
		id = own
		return merged.alive(r) && view.alive(own)
	})
	return id, found
}

// publish enters the keys of own rows, whose ids change by shift. It sweeps the index if it has
// at least twice as many entries as v has rows.
func (k *uniqueKey) publish(local *keyindex.Index, view, v *version, shift int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.rows.ChargeAnyway()
	local.Fold()
	had := k.rows.Len() > 0
	if k.rows.TakeBulk(local, shift) && had {
		k.lost = v.id // of some keys, perhaps
	}
	local.EachSingle(func(key *keyindex.Values, own int64) {
		if view.alive(own) {
			if _, had := k.rows.Get(key, 0); had {
				k.lost = v.id
			}
			k.rows.Put(key, 0, own+shift)
		}
	})
	k.rows.Fold()
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

// keysOf reads the keys of a segment, which are charged until the load ends.
func (a *Appender) keysOf(seg *segment.Segment) ([]*keyindex.Chunk, error) {
	v := a.w.view
	if len(v.keys) == 0 {
		return nil, nil
	}
	cols, err := v.keyColumns(seg)
	if err != nil {
		return nil, err
	}
	out := make([]*keyindex.Chunk, len(v.keys))
	for i, k := range v.keys {
		if out[i], err = k.chunk(cols, seg.Rows); err != nil {
			return nil, err
		}
		if err := a.held.Grow(out[i].Bytes()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// enterKeys enters the keys of the segments' rows.
func (a *Appender) enterKeys(ctx context.Context, next *version) (undo []func(), err error) {
	if len(next.keys) == 0 {
		return nil, nil
	}
	chunks := make([][]*keyindex.Chunk, len(next.keys))
	first := next.own.Tail.Base
	id := first
	for _, p := range a.parts {
		for i, c := range p.keys {
			chunks[i] = append(chunks[i], c.WithFirst(id))
		}
		id += int64(p.Rows)
	}
	return claimBulk(ctx, a.tx, a.w, next, chunks, first, func(id int64) ([]*vec.Vector, int, error) {
		at := 0
		for id -= first; id >= int64(a.parts[at].Rows); at++ {
			id -= int64(a.parts[at].Rows)
		}
		cols, err := next.keyColumns(a.parts[at].Segment)
		return cols, int(id), err
	})
}

// keyColumns reads the columns of s that belong to v's keys; the others are nil.
func (v *version) keyColumns(s *segment.Segment) ([]*vec.Vector, error) {
	cols := make([]*vec.Vector, len(s.Cols))
	for _, k := range v.keys {
		for _, c := range k.At {
			if cols[c] == nil {
				cols[c] = new(vec.Vector)
				if err := s.Cols[c].Read(&v.schema.Columns[c], 0, s.Rows, cols[c]); err != nil {
					return nil, err
				}
			}
		}
	}
	return cols, nil
}
