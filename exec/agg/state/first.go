package state

import (
	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// first keeps the value of the first row of each group, even if it is NULL.
type first struct {
	store *colstore.Store
	n     int // groups
	rows  []int32
}

func newFirst(t types.Type, account *mem.Account) State {
	return &first{store: colstore.New([]types.Type{t}, account)}
}

func (f *first) Grow(n int) error {
	f.n = n
	return nil
}

func (f *first) Update(gids []int32, n int, args []*vec.Vector) error {
	if f.store.Rows() == f.n {
		return nil
	}
	f.begin()
	for i := range n {
		f.offer(group(gids, i), int32(i))
	}
	return f.end(args[0])
}

// UpdateTimes implements TimesState. It does not depend on the numbers of rows.
func (f *first) UpdateTimes(gids []int32, n int, args []*vec.Vector, _ []int32) error {
	return f.Update(gids, n, args)
}

// begin starts to look for the first row of each new group.
func (f *first) begin() {
	f.rows = f.rows[:0]
	for range f.n - f.store.Rows() {
		f.rows = append(f.rows, -1)
	}
}

func (f *first) offer(g, row int32) {
	if at := int(g) - f.store.Rows(); at >= 0 && f.rows[at] < 0 {
		f.rows[at] = row
	}
}

// end stores the rows found.
func (f *first) end(v *vec.Vector) error {
	return f.store.Append(vec.Select(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N}, f.rows))
}

func (f *first) Merge(src State, from, to []int32) error {
	o := src.(*first)
	if f.store.Rows() == f.n || o.store.Rows() == 0 {
		return nil
	}
	f.begin()
	for i, g := range from {
		f.offer(to[i], g)
	}
	return f.end(o.store.Columns()[0])
}

func (f *first) Finish(*op.Ctx) error { return nil }

func (f *first) Result(lo, hi int, dst *vec.Vector) error {
	if f.store.Rows() == 0 { // there is only the group of an empty input
		dst.SetNull(0)
		return nil
	}
	v := f.store.Columns()[0].Slice(lo, hi)
	copy(dst.I64, v.I64)
	copy(dst.F64, v.F64)
	copy(dst.Dec, v.Dec)
	copy(dst.Str, v.Str)
	dst.Null = v.Null
	return nil
}

func (f *first) Free() { f.store.Free() }
