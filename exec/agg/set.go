package agg

import (
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Set is a growing set of different rows, NULL being equal to NULL, in the order in which
// they were first met. It is for one goroutine; its memory is charged to an account.
type Set struct {
	table *table
	flat  []*vec.Vector // scratch
	keys  []*vec.Vector
	gids  []int32
}

// NewSet makes an empty set of rows with columns of these types, of which there is one at
// least.
func NewSet(ts []types.Type, account *mem.Account) *Set {
	s := &Set{table: newTable(ts, account), keys: make([]*vec.Vector, len(ts))}
	for _, t := range ts {
		s.flat = append(s.flat, &vec.Vector{Type: t})
	}
	return s
}

// Append enters the rows of b. The error is the account's refusal.
func (s *Set) Append(b *vec.Batch) error {
	for i, c := range b.Cols {
		s.keys[i] = c.Flatten(s.flat[i])
	}
	if cap(s.gids) < b.N {
		s.gids = make([]int32, b.N)
	}
	return s.table.find(s.keys, s.gids[:b.N])
}

// Rows gives the number of different rows.
func (s *Set) Rows() int { return s.table.n }

// Columns gives the rows as flat vectors, valid until the next Append or Free.
func (s *Set) Columns() []*vec.Vector { return s.table.keys }

// Free returns the memory.
func (s *Set) Free() { s.table.free() }
