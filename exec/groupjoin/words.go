package groupjoin

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/join"
	"gsql/internal/dec128"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// coder gives the values of an operand 64-bit words whose unsigned order is the values'
// order. Values without words of their own (strings, wide decimals) take their place
// among the distinct values of the indexed side: 2k+1 for the k-th, 2k for one between
// the k-1st and the k-th.
type coder struct {
	ranks ranking // nil where the type has words
}

type ranking interface {
	words(dst []uint64, v *vec.Vector)
}

// newCoder makes the coder of an operand whose values on the side that is read first are
// vs, flat and of one kind.
func newCoder(acct *mem.Account, vs ...*vec.Vector) (*coder, error) {
	if fitWords(vs) {
		return &coder{}, nil
	}
	rows := 0
	for _, v := range vs {
		rows += v.N
	}
	width := int64(unsafe.Sizeof(decimal128.Num{}))
	if err := acct.Reserve(width * int64(rows)); err != nil {
		return nil, err
	}
	c := &coder{}
	switch vs[0].Type.Kind() {
	case types.KindStr:
		c.ranks = newRanks(vs, cmp.Compare[string], func(v *vec.Vector) []string { return v.Str })
	case types.KindDec:
		c.ranks = newRanks(vs, decimal128.Num.Cmp, func(v *vec.Vector) []decimal128.Num { return v.Dec })
	}
	return c, nil
}

// fitWords tells whether all values have words: decimals may be wider than their type, and the
// least and the greatest word stand for all that are wider.
func fitWords(vs []*vec.Vector) bool {
	for _, v := range vs {
		if !join.HasWords(v.Type) {
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

// encode writes the words of v, which is flat, and marks rows in skip that no comparison
// holds for.
func (c *coder) encode(dst []uint64, v *vec.Vector, skip []bool) {
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
		join.OrderedWords(dst, v, skip)
	}
	for i, null := range v.Null {
		skip[i] = skip[i] || null
	}
}

// clampedWords writes the words of decimals; one of more than 64 bits has the greatest or the least
// word, which no value of fitWords has.
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

// ranks are distinct values in ascending order.
type ranks[T any] struct {
	values  []T
	compare func(a, b T) int
	payload func(*vec.Vector) []T
}

func newRanks[T any](vs []*vec.Vector, compare func(a, b T) int, payload func(*vec.Vector) []T) *ranks[T] {
	r := &ranks[T]{compare: compare, payload: payload}
	for _, v := range vs {
		for i, x := range payload(v) {
			if v.Null == nil || !v.Null[i] {
				r.values = append(r.values, x)
			}
		}
	}
	slices.SortFunc(r.values, compare)
	r.values = slices.CompactFunc(r.values, func(a, b T) bool { return compare(a, b) == 0 })
	return r
}

func (r *ranks[T]) words(dst []uint64, v *vec.Vector) {
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
