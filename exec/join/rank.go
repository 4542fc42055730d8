package join

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// words gives words for the operands' values a and b, which are flat: ordered words
// where the types have them, else the ranks of the values among those of both sides.
func (c *comparison) words(ctx *op.Ctx, aw, bw []uint64, a, b *vec.Vector, aSkip, bSkip []bool) error {
	if c.hasWords() {
		if err := sideWords(ctx, aw, a, aSkip); err != nil {
			return err
		}
		return sideWords(ctx, bw, b, bSkip)
	}
	switch {
	case a.Type.Kind() == types.KindStr:
		rank(aw, bw, a.Str, b.Str, a.Null, b.Null, cmp.Compare[string])
	case a.Type.Kind() == types.KindDec:
		rank(aw, bw, a.Dec, b.Dec, a.Null, b.Null, decimal128.Num.Cmp)
	}
	skipNulls(a, aSkip)
	skipNulls(b, bSkip)
	return nil
}

// sideWords writes the ordered words of a side's operand, which is flat, and marks those in skip
// that equal nothing.
func sideWords(ctx *op.Ctx, words []uint64, v *vec.Vector, skip []bool) error {
	return eachShare(ctx, len(words), func(from, to int) {
		part := v.Slice(from, to)
		OrderedWords(words[from:to], part, skip[from:to])
		skipNulls(part, skip[from:to])
	})
}

func skipNulls(v *vec.Vector, skip []bool) {
	if v.Type.ID == types.Null {
		for i := range skip {
			skip[i] = true
		}
	} else if v.Null != nil {
		orInto(skip, v.Null)
	}
}

// rank numbers the values of both slices by their order; slots of NULLs get any rank.
func rank[T any](aw, bw []uint64, a, b []T, aNull, bNull []bool, compare func(x, y T) int) {
	order := make([]int, 0, len(a)+len(b))
	value := func(i int) T {
		if i < len(a) {
			return a[i]
		}
		return b[i-len(a)]
	}
	for i := range len(a) + len(b) {
		if i < len(a) && (aNull == nil || !aNull[i]) || i >= len(a) && (bNull == nil || !bNull[i-len(a)]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return compare(value(x), value(y)) })
	r := uint64(0)
	for k, i := range order {
		if k > 0 && compare(value(order[k-1]), value(i)) != 0 {
			r++
		}
		if i < len(a) {
			aw[i] = r
		} else {
			bw[i-len(a)] = r
		}
	}
}
