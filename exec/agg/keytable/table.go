// Package keytable maps tuples of keys to numbers, which are counted from 0 in the order in which
// the keys first occur: Table by hashes, with Direct in front of it for keys that are small
// numbers, and without an index (bare) as long as keys ascend. Set and Keys are such tables for
// operators that need only rows or only numbers. NULL equals NULL.
package keytable

import (
	"gsql/exec/colstore"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Table maps keys to group numbers, counted from 0 in the order in which keys first occur. It
// uses linear probing over slots that hold the upper half of the hash (the tag) and the group
// number. A whole batch is looked up by tags only; then the keys of the groups found are compared
// column by column, and the few rows whose tag matched a different key are looked up again.
type Table struct {
	account *mem.Account
	slots   *mem.Buffer[uint64] // tag<<32 | group+1, or 0
	hashes  *mem.Buffer[uint64] // by group
	ints    *intIndex           // instead of slots, if the key is one integer
	store   *colstore.Store     // the keys, by group
	Keys    []*vec.Vector       // store's columns
	Groups  int                 // number of groups
	Bare    bool                // the keys ascend and are in no index: see AddAscending

	Packer *Packer // of the keys passed to find; nil if they are packed already
	// Stop is called now and then while a large table grows, which its error ends; it may be nil.
	Stop func() error

	hash   []uint64     // scratch, by row
	slot   []uint64     // scratch: first slots, by row
	fresh  []int32      // scratch: rows that created a group
	picked vec.Selector // scratch: the keys of new groups
	lied   []int32      // scratch: rows whose keys differ from those of the group found
}

// New makes a table for keys of types ts. Its memory is charged to the account.
func New(ts []types.Type, account *mem.Account) *Table {
	t := &Table{account: account, store: colstore.New(ts, account)}
	t.Keys = t.store.Columns()
	if len(ts) == 1 && (ts[0].Kind() == types.KindI64 || ts[0].Kind() == types.KindU64) {
		t.ints = &intIndex{}
	}
	return t
}

// Free releases the memory.
func (t *Table) Free() {
	t.slots.Free()
	t.ints.free()
	t.hashes.Free()
	t.store.Free()
	t.Keys, t.Groups = nil, 0
}

// Find returns the group of each row of the flat vectors keys, adding groups for new
// keys. NULL equals NULL.
func (t *Table) Find(keys []*vec.Vector, gids []int32) (err error) {
	if t.Packer != nil {
		if keys, err = t.Packer.Pack(keys); err != nil {
			return err
		}
	}
	if cap(t.hash) < len(gids) {
		t.hash = make([]uint64, len(gids))
	}
	h := t.hash[:len(gids)]
	rowhash.Rows(keys, h)
	return t.FindHashed(keys, h, gids)
}

// Stored returns the number of keys held. After an error, Groups may be greater.
func (t *Table) Stored() int { return t.store.Rows() }

// Rows returns the keys held, by group.
func (t *Table) Rows() *vec.Batch { return &vec.Batch{Cols: t.store.Columns(), N: t.store.Rows()} }

// FindHashed is Find for rows whose hashes are known.
func (t *Table) FindHashed(keys []*vec.Vector, h []uint64, gids []int32) error {
	if t.ints != nil {
		return t.ints.find(t, keys[0], h, gids)
	}
	if err := t.reserve(t.Groups + len(gids)); err != nil {
		return err
	}
	t.probe(h, gids)
	if len(t.fresh) > 0 {
		if err := t.addKeys(keys, len(gids), t.fresh); err != nil {
			return err
		}
	}
	t.lied = t.lied[:0]
	for i, k := range keys {
		t.lied = differing(k, t.Keys[i], gids, t.lied)
	}
	for _, row := range t.lied {
		if err := t.findRow(keys, h, row, gids); err != nil {
			return err
		}
	}
	return nil
}

// largeTable is the least number of slots with which a table exceeds the second-level cache.
const largeTable = 1 << 16

// probe looks rows up by their tags and adds a group for those without a match. On large tables
// it reads the first slots of all rows beforehand: these reads do not depend on each other, so
// that many cache misses overlap.
func (t *Table) probe(h []uint64, gids []int32) {
	slots := t.slots.S
	mask := uint64(len(slots) - 1)
	t.fresh = t.fresh[:0]
	gids = gids[:len(h)]
	if len(slots) < largeTable {
		for i, x := range h {
			if e := slots[x&mask]; e != 0 && e>>32 == x>>32 {
				gids[i] = int32(uint32(e)) - 1
			} else {
				gids[i] = t.enter(slots, x, e, i)
			}
		}
		return
	}
	first := t.first(len(h))
	for i, x := range h {
		first[i] = slots[x&mask]
	}
	for i, x := range h {
		e := first[i]
		if e != 0 && e>>32 == x>>32 {
			gids[i] = int32(uint32(e)) - 1
			continue
		}
		gids[i] = t.enter(slots, x, slots[x&mask], i)
	}
}

// first returns scratch space for n slots.
func (t *Table) first(n int) []uint64 {
	if cap(t.slot) < n {
		t.slot = make([]uint64, n)
	}
	return t.slot[:n]
}

// enter returns the group of hash x, whose first slot holds e, or adds one for the row.
func (t *Table) enter(slots []uint64, x, e uint64, row int) int32 {
	mask := uint64(len(slots) - 1)
	s := x & mask
	for e != 0 && e>>32 != x>>32 {
		s = (s + 1) & mask
		e = slots[s]
	}
	if e == 0 {
		e = x>>32<<32 | uint64(t.newGroup(x, row))
		slots[s] = e
	}
	return int32(uint32(e)) - 1
}

// newGroup adds a group for a row and returns its number + 1.
func (t *Table) newGroup(hash uint64, row int) int32 {
	t.hashes.S[t.Groups] = hash
	t.Groups++
	t.fresh = append(t.fresh, int32(row))
	return int32(t.Groups)
}

// findRow looks up a single row and compares keys, for rows whose tag matched another key.
func (t *Table) findRow(keys []*vec.Vector, h []uint64, row int32, gids []int32) error {
	if err := t.reserve(t.Groups + 1); err != nil {
		return err
	}
	x := h[row]
	mask := uint64(len(t.slots.S) - 1)
	s := x & mask
	for ; t.slots.S[s] != 0; s = (s + 1) & mask {
		e := t.slots.S[s]
		gids[row] = int32(uint32(e)) - 1
		if e>>32 == x>>32 && t.equal(keys, row, gids[row]) {
			return nil
		}
	}
	t.hashes.S[t.Groups] = x
	t.Groups++
	t.slots.S[s] = x>>32<<32 | uint64(t.Groups)
	gids[row] = int32(t.Groups) - 1
	return t.addKeys(keys, len(h), []int32{row})
}

func (t *Table) equal(keys []*vec.Vector, row, gid int32) bool {
	for i, k := range keys {
		if len(differing(k.Slice(int(row), int(row)+1), t.Keys[i], []int32{gid}, nil)) > 0 {
			return false
		}
	}
	return true
}

// addKeys stores the keys of new groups.
func (t *Table) addKeys(keys []*vec.Vector, n int, rows []int32) error {
	b := &vec.Batch{Cols: keys, N: n}
	if len(rows) < n {
		b = t.picked.Select(b, rows)
	}
	err := t.store.Append(b)
	t.store.Update(t.Keys) // a column may have moved although another one did not fit
	return err
}

// minSlots is the size of a new table.
const minSlots = 64

// slotsFor returns the number of slots for n groups at a load of at most one half, and whether
// that is more than there are.
func slotsFor[T any](n int, slots *mem.Buffer[T]) (size int, grows bool) {
	size = minSlots
	if slots != nil {
		size = len(slots.S)
		grows = size < 2*n
	} else {
		grows = true
	}
	for size < 2*n {
		size *= 2
	}
	return size, grows
}

// Extend makes the index in use large enough for n groups.
func (t *Table) Extend(n int) error {
	if t.ints != nil {
		return t.ints.reserve(t, n)
	}
	return t.reserve(n)
}

// reserve makes slots large enough for n groups.
func (t *Table) reserve(n int) error {
	size, grows := slotsFor(n, t.slots)
	if !grows {
		return nil
	}
	if err := mem.ScratchRoom(t.account, &t.hashes, size/2); err != nil {
		return err
	}
	slots, err := mem.Alloc[uint64](t.account, size)
	if err != nil {
		return err
	}
	mask := uint64(size - 1)
	err = t.eachPart(func(lo, hi int) {
		for i, x := range t.hashes.S[lo:hi] {
			s := x & mask
			for slots.S[s] != 0 {
				s = (s + 1) & mask
			}
			slots.S[s] = x>>32<<32 | uint64(lo+i+1)
		}
	})
	if err != nil {
		slots.Free()
		return err
	}
	t.slots.Free()
	t.slots = slots
	return nil
}

// growStep is the number of groups that move to a larger index between calls of Stop.
const growStep = 1 << 16

// eachPart calls f for parts of the groups.
func (t *Table) eachPart(f func(lo, hi int)) error {
	for lo := 0; lo < t.Groups; lo += growStep {
		if t.Stop != nil && t.Groups > growStep {
			if err := t.Stop(); err != nil {
				return err
			}
		}
		f(lo, min(lo+growStep, t.Groups))
	}
	return nil
}
