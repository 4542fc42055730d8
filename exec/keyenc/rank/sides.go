package rank

import (
	"cmp"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Sides writes words for the values of a and b, which are flat and have no order keys: their
// ranks among the values of both. Slots of NULLs get arbitrary ranks.
func Sides(ctx *op.Ctx, acct *mem.Account, aw, bw []uint64, a, b *vec.Vector) error {
	switch a.Type.Kind() {
	case types.KindStr:
		return rank(ctx, acct, aw, bw, a, b, textsOf, cmp.Compare[string])
	case types.KindDec:
		return rank(ctx, acct, aw, bw, a, b, decimalsOf, decimal128.Num.Cmp)
	}
	return nil
}

func textsOf(v *vec.Vector) []string            { return v.Str }
func decimalsOf(v *vec.Vector) []decimal128.Num { return v.Dec }

// rank numbers the values of both sides in ascending order.
func rank[T any](ctx *op.Ctx, acct *mem.Account, aw, bw []uint64, a, b *vec.Vector, of func(*vec.Vector) []T, compare func(x, y T) int) error {
	left, err := ascending(ctx, acct, a, of)
	if err != nil {
		return err
	}
	defer left.order.Free()
	right, err := ascending(ctx, acct, b, of)
	if err != nil {
		return err
	}
	defer right.order.Free()
	for r := uint64(0); len(left.rows)+len(right.rows) > 0; r++ {
		least := left.first(right, compare)
		if err := left.number(ctx, aw, least, r, compare); err != nil {
			return err
		}
		if err := right.number(ctx, bw, least, r, compare); err != nil {
			return err
		}
	}
	return nil
}

// ranked holds the rows of a side that have no rank yet, in the order of their values.
type ranked[T any] struct {
	values []T
	rows   []int32
	order  *mem.Buffer[int32] // owns the memory of rows
}

// ascending sorts the rows of v that are not NULL.
func ascending[T any](ctx *op.Ctx, acct *mem.Account, v *vec.Vector, of func(*vec.Vector) []T) (*ranked[T], error) {
	order, err := sort.Order(ctx, acct, v)
	if err != nil {
		return nil, err
	}
	rows := order.S[:v.N]
	for len(rows) > 0 && v.Null != nil && v.Null[rows[0]] { // NULLs come first
		rows = rows[1:]
	}
	return &ranked[T]{of(v), rows, order}, nil
}

// first returns the least remaining value of both sides. At least one side must have rows.
func (s *ranked[T]) first(o *ranked[T], compare func(x, y T) int) T {
	if len(s.rows) == 0 || len(o.rows) > 0 && compare(o.values[o.rows[0]], s.values[s.rows[0]]) < 0 {
		return o.values[o.rows[0]]
	}
	return s.values[s.rows[0]]
}

// number assigns rank r to the rows that have value.
func (s *ranked[T]) number(ctx *op.Ctx, words []uint64, value T, r uint64, compare func(x, y T) int) error {
	for len(s.rows) > 0 && compare(s.values[s.rows[0]], value) == 0 {
		if len(s.rows)%op.Block == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		words[s.rows[0]] = r
		s.rows = s.rows[1:]
	}
	return nil
}
