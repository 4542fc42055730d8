package hash

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// reordering holds the scratch space for reordering the rows of vectors, a column at a time.
type reordering struct {
	ctx  *op.Ctx
	acct *mem.Account
	n    int
	held mem.Buffers

	words  []int64
	floats []float64
	decs   []decimal128.Num
	flags  []bool
	texts  []string
}

// Reorder reorders the rows of flat vectors: row i becomes the former row order[i]. A vector may
// be listed twice. If memory is refused, the vectors are unchanged. No other code may have seen
// the rows yet.
func Reorder(ctx *op.Ctx, acct *mem.Account, cols []*vec.Vector, order []int32) error {
	r := &reordering{ctx: ctx, acct: acct, n: len(order)}
	defer r.free()
	for _, v := range cols {
		if err := r.makeRoom(v); err != nil {
			return err
		}
	}
	done := make(map[*vec.Vector]bool, len(cols))
	for _, v := range cols {
		if done[v] {
			continue
		}
		done[v] = true
		if err := r.permute(v, order); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom allocates the missing scratch space for the values of v.
func (r *reordering) makeRoom(v *vec.Vector) (err error) {
	if v.I64 != nil && r.words == nil {
		r.words, err = roomFor[int64](r)
	}
	if err == nil && v.F64 != nil && r.floats == nil {
		r.floats, err = roomFor[float64](r)
	}
	if err == nil && v.Dec != nil && r.decs == nil {
		r.decs, err = roomFor[decimal128.Num](r)
	}
	if err == nil && v.Null != nil && r.flags == nil {
		r.flags, err = roomFor[bool](r)
	}
	if err == nil && v.Str != nil && r.texts == nil {
		if err = r.acct.Reserve(r.textBytes()); err == nil {
			r.texts = make([]string, r.n)
		}
	}
	return err
}

func roomFor[T any](r *reordering) ([]T, error) {
	b, err := mem.Scratch[T](r.acct, r.n)
	if err != nil {
		return nil, err
	}
	r.held.Add(b)
	return b.S, nil
}

func (r *reordering) textBytes() int64 { return int64(r.n) * int64(unsafe.Sizeof("")) }

func (r *reordering) free() {
	r.held.Free()
	if r.texts != nil {
		r.acct.Release(r.textBytes())
	}
}

func (r *reordering) permute(v *vec.Vector, order []int32) error {
	err := permuteBy(r.ctx, v.I64, r.words, order)
	if err == nil {
		err = permuteBy(r.ctx, v.F64, r.floats, order)
	}
	if err == nil {
		err = permuteBy(r.ctx, v.Dec, r.decs, order)
	}
	if err == nil {
		err = permuteBy(r.ctx, v.Null, r.flags, order)
	}
	if err == nil {
		err = permuteBy(r.ctx, v.Str, r.texts, order)
	}
	return err
}

// permuteBy reorders values, which may be nil, using room as scratch space.
func permuteBy[T any](ctx *op.Ctx, vals, room []T, order []int32) error {
	if vals == nil {
		return nil
	}
	err := op.EachShare(ctx, len(order), func(from, to int) {
		dst := room[from:to]
		for i, row := range order[from:to] {
			dst[i] = vals[row]
		}
	})
	if err != nil {
		return err
	}
	return op.EachShare(ctx, len(order), func(from, to int) { copy(vals[from:to], room[from:to]) })
}
