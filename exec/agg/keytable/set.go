package keytable

import (
	"gsql/exec/colstore"
	"gsql/internal/mem"
	"gsql/sql/collate"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Set is a growing set of distinct rows, in the order in which they first occur. NULL equals
// NULL, and texts are compared by their collations. It is for one goroutine; its memory is
// charged to an account.
type Set struct {
	table *Table
	flat  []*vec.Vector // scratch
	keys  []*vec.Vector
	gids  []int32
	shown *colstore.Store // the rows, if they differ from what is compared
	first []int32         // scratch: the rows of new keys
	room  []byte          // scratch
}

// NewSet makes an empty set of rows with columns of the types ts, of which there must be at least
// one. stop, which may be nil, ends the growth of a large set by its error.
func NewSet(ts []types.Type, account *mem.Account, stop func() error) *Set {
	s := &Set{table: New(ts, account), keys: make([]*vec.Vector, len(ts))}
	s.table.Stop = stop
	for _, t := range ts {
		s.flat = append(s.flat, &vec.Vector{Type: t})
		if expr.HasKey(t) && s.shown == nil {
			s.shown = colstore.New(ts, account)
		}
	}
	return s
}

// Append adds the rows of b. It returns the account's error if memory is refused.
func (s *Set) Append(b *vec.Batch) error {
	for i, c := range b.Cols {
		s.keys[i] = c.Flatten(s.flat[i])
		if expr.HasKey(c.Type) {
			s.keys[i] = s.collated(s.keys[i])
		}
	}
	if cap(s.gids) < b.N {
		s.gids = make([]int32, b.N)
	}
	known := s.table.Groups
	err := s.table.Find(s.keys, s.gids[:b.N])
	for _, v := range s.flat {
		v.DropTexts()
	}
	if err != nil || s.shown == nil {
		return err
	}
	return s.show(b, known)
}

// collated returns the collation keys of a flat vector.
func (s *Set) collated(v *vec.Vector) *vec.Vector {
	out := vec.NewFlat(v.Type, v.N)
	out.Null = v.Null
	for i := range v.N {
		if !v.IsNull(i) {
			s.room = collate.AppendKey(s.room[:0], v.Type.Coll, v.Str[i])
			out.Str[i] = string(s.room)
		}
	}
	return out
}

// show keeps the first row of b for each key that is not among the known ones.
func (s *Set) show(b *vec.Batch, known int) error {
	if s.table.Groups == known {
		return nil
	}
	s.first = append(s.first[:0], make([]int32, s.table.Groups-known)...)
	for i := b.N - 1; i >= 0; i-- {
		if g := int(s.gids[i]); g >= known {
			s.first[g-known] = int32(i)
		}
	}
	return s.shown.Append(vec.Select(b, s.first))
}

// Rows returns the number of distinct rows.
func (s *Set) Rows() int { return s.table.Groups }

// Columns returns the rows as flat vectors, valid until the next Append or Free.
func (s *Set) Columns() []*vec.Vector {
	if s.shown != nil {
		return s.shown.Columns()
	}
	return s.table.Keys
}

// Free releases the memory.
func (s *Set) Free() {
	s.table.Free()
	if s.shown != nil {
		s.shown.Free()
	}
}
