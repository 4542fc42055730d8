package rank

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/internal/dec128"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Encoder maps the values of an operand to words whose unsigned order is the order of the values.
// If values have no order keys, their words are ranks among the distinct values of one side: 2k+1
// for the k-th value, 2k for a value between the k-1st and the k-th.
type Encoder struct {
	ranks ranking // nil if the values have order keys
}

type ranking interface {
	words(dst []uint64, v *vec.Vector)
}

// NewEncoder makes the encoder of an operand. vs are the values of the side that is read first;
// they are flat and of one kind.
func NewEncoder(ctx *op.Ctx, acct *mem.Account, vs ...*vec.Vector) (*Encoder, error) {
	if haveOrderKeys(vs) {
		return &Encoder{}, nil
	}
	rows := 0
	for _, v := range vs {
		rows += v.N
	}
	width := int64(unsafe.Sizeof(decimal128.Num{}))
	if err := acct.Reserve(width * int64(rows)); err != nil {
		return nil, err
	}
	c, err := &Encoder{}, error(nil)
	switch vs[0].Type.Kind() {
	case types.KindStr:
		c.ranks, err = newDistinct(ctx, acct, vs, cmp.Compare[string], func(v *vec.Vector) []string { return v.Str })
	case types.KindDec:
		c.ranks, err = newDistinct(ctx, acct, vs, decimal128.Num.Cmp, func(v *vec.Vector) []decimal128.Num { return v.Dec })
	}
	return c, err
}

// Ranked reports whether the words are ranks rather than order keys.
func (c *Encoder) Ranked() bool { return c.ranks != nil }

// Decode writes the value with the word w to slot k of dst.
func (c *Encoder) Decode(dst *vec.Vector, k int, w uint64) {
	switch r := c.ranks.(type) {
	case *distinct[string]:
		dst.Str[k] = r.values[w/2]
	case *distinct[decimal128.Num]:
		dst.Dec[k] = r.values[w/2]
	default:
		keyenc.DecodeOrderKey(dst, k, w)
	}
}

// haveOrderKeys reports whether all values have order keys. Decimals may be wider than their
// type; the least and the greatest word represent all that do not fit, so no value of vs may have
// them.
func haveOrderKeys(vs []*vec.Vector) bool {
	for _, v := range vs {
		if !keyenc.HasOrderKeys(v.Type) {
			return false
		}
		for i, x := range v.Dec {
			if w := int64(x.LowBits()); (!dec128.IsInt64(x) || w == math.MinInt64 || w == math.MaxInt64) && (v.Null == nil || !v.Null[i]) {
				return false
			}
		}
	}
	return true
}

// Encode writes the words of v, which is flat, and marks in skip the rows for which no comparison
// is true.
func (c *Encoder) Encode(dst []uint64, v *vec.Vector, skip []bool) {
	switch {
	case v.Type.ID == types.Null:
		for i := range dst {
			skip[i] = true
		}
		return
	case c.ranks != nil:
		c.ranks.words(dst, v)
	case v.Type.Kind() == types.KindDec:
		clampedWords(dst, v.Dec)
	default:
		keyenc.OrderKeys(dst, v, skip)
	}
	for i, null := range v.Null {
		skip[i] = skip[i] || null
	}
}

// clampedWords writes the order keys of decimals. Those of more than 64 bits get the greatest or
// the least word, which no value accepted by haveOrderKeys has.
func clampedWords(dst []uint64, xs []decimal128.Num) {
	for i, x := range xs[:len(dst)] {
		switch {
		case dec128.IsInt64(x):
			dst[i] = x.LowBits() ^ 1<<63
		case x.HighBits() < 0:
			dst[i] = 0
		default:
			dst[i] = math.MaxUint64
		}
	}
}

// distinct holds distinct values in ascending order.
type distinct[T any] struct {
	values  []T
	compare func(a, b T) int
	payload func(*vec.Vector) []T
}

// newDistinct collects the distinct values of vs.
func newDistinct[T any](ctx *op.Ctx, acct *mem.Account, vs []*vec.Vector, compare func(a, b T) int, payload func(*vec.Vector) []T) (*distinct[T], error) {
	r := &distinct[T]{compare: compare, payload: payload}
	for _, v := range vs {
		if err := r.add(ctx, acct, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add merges the values of v into those of r.
func (r *distinct[T]) add(ctx *op.Ctx, acct *mem.Account, v *vec.Vector) error {
	order, err := sort.Order(ctx, acct, v)
	if err != nil {
		return err
	}
	defer order.Free()
	vals, known, merged := r.payload(v), r.values, make([]T, 0, v.N+len(r.values))
	for k, row := range order.S[:v.N] {
		if k%vec.BatchSize == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if v.Null != nil && v.Null[row] {
			continue
		}
		x := vals[row]
		for len(known) > 0 && r.compare(known[0], x) <= 0 {
			merged, known = append(merged, known[0]), known[1:]
		}
		if n := len(merged); n == 0 || r.compare(merged[n-1], x) != 0 {
			merged = append(merged, x)
		}
	}
	r.values = append(merged, known...)
	return nil
}

func (r *distinct[T]) words(dst []uint64, v *vec.Vector) {
	vals := r.payload(v)
	for i := range dst {
		if v.Null != nil && v.Null[i] {
			continue
		}
		at, found := slices.BinarySearchFunc(r.values, vals[i], r.compare)
		dst[i] = uint64(2 * at)
		if found {
			dst[i]++
		}
	}
}
