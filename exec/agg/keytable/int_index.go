package keytable

import (
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// intIndex replaces a table's slots if the key is one integer. Its slots hold the key itself, so
// that a lookup touches one cache line and compares exactly.
type intIndex struct {
	slots *mem.Buffer[intSlot]
	null  int32 // the group of NULL + 1, or 0
}

type intSlot struct {
	key   int64
	group int32 // + 1, or 0
}

// find returns the groups of the rows of k and counts new ones in t.
func (x *intIndex) find(t *Table, k *vec.Vector, h []uint64, gids []int32) error {
	if err := x.reserve(t, t.Groups+len(gids)); err != nil {
		return err
	}
	t.fresh = t.fresh[:0]
	if len(x.slots.S) >= largeTable {
		x.touch(t.first(len(h)), h)
	}
	slots, xs := x.slots.S, k.I64[:len(h)]
	mask := uint64(len(slots) - 1)
	for i, hash := range h {
		if k.Null != nil && k.Null[i] {
			if x.null == 0 {
				x.null = t.newGroup(hash, i)
			}
			gids[i] = x.null - 1
			continue
		}
		s := &slots[hash&mask]
		for at := hash; s.group != 0 && s.key != xs[i]; {
			at++
			s = &slots[at&mask]
		}
		if s.group == 0 {
			*s = intSlot{xs[i], t.newGroup(hash, i)}
		}
		gids[i] = s.group - 1
	}
	if len(t.fresh) == 0 {
		return nil
	}
	return t.addKeys([]*vec.Vector{k}, len(h), t.fresh)
}

// touch reads the first slot of every row, so that the cache misses overlap.
func (x *intIndex) touch(into, h []uint64) {
	slots := x.slots.S
	mask := uint64(len(slots) - 1)
	for i, hash := range h {
		into[i] = uint64(slots[hash&mask].key)
	}
}

// reserve makes the index large enough for n groups at a load of at most one half.
func (x *intIndex) reserve(t *Table, n int) error {
	size, grows := slotsFor(n, x.slots)
	if !grows {
		return nil
	}
	if err := mem.ScratchRoom(t.account, &t.hashes, size/2); err != nil {
		return err
	}
	slots, err := mem.Alloc[intSlot](t.account, size)
	if err != nil {
		return err
	}
	mask := uint64(size - 1)
	keys := t.Keys[0].I64
	err = t.eachPart(func(lo, hi int) {
		for i, hash := range t.hashes.S[lo:hi] {
			g := lo + i
			if int32(g) == x.null-1 {
				continue
			}
			for slots.S[hash&mask].group != 0 {
				hash++
			}
			slots.S[hash&mask] = intSlot{keys[g], int32(g) + 1}
		}
	})
	if err != nil {
		slots.Free()
		return err
	}
	x.slots.Free()
	x.slots = slots
	return nil
}

func (x *intIndex) free() {
	if x != nil {
		x.slots.Free()
	}
}
