package keyenc

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// KeepEqual keeps the pairs (ai[i], bi[i]) of rows of a and b whose key tuples are equal, in
// place, and returns their number. The slices of others are parallel to the pairs and compacted
// with them. NULLs are equal: the caller makes no pairs of rows with NULLs in keys that are not
// null-safe.
func KeepEqual(a, b []*vec.Vector, ai, bi []int32, others ...[]int32) int {
	n := len(ai)
	for k := range a {
		n = keepEqualColumn(a[k], b[k], ai[:n], bi[:n], others)
	}
	return n
}

func keepEqualColumn(a, b *vec.Vector, ai, bi []int32, others [][]int32) int {
	switch a.Type.Kind() {
	case types.KindI64, types.KindU64:
		return keep(column[int64]{a, payload(a).I64}, column[int64]{b, payload(b).I64}, ai, bi, others)
	case types.KindF64:
		return keep(column[float64]{a, payload(a).F64}, column[float64]{b, payload(b).F64}, ai, bi, others)
	case types.KindDec:
		return keep(column[decimal128.Num]{a, payload(a).Dec}, column[decimal128.Num]{b, payload(b).Dec}, ai, bi, others)
	case types.KindStr:
		return keep(column[string]{a, payload(a).Str}, column[string]{b, payload(b).Str}, ai, bi, others)
	}
	return len(ai) // type NULL: all rows are NULL
}

// payload returns the vector that holds the values of v.
func payload(v *vec.Vector) *vec.Vector {
	if v.Form == vec.View {
		return v.Base
	}
	return v
}

// column is a vector with its payload.
type column[T comparable] struct {
	v    *vec.Vector
	vals []T
}

// at returns the value of row i; ok is false for NULL.
func (c *column[T]) at(i int32) (x T, ok bool) {
	null := c.v.Null
	switch c.v.Form {
	case vec.Const:
		i = 0
	case vec.View:
		null = c.v.Base.Null
		if i = c.v.Idx[i]; i < 0 {
			return x, false
		}
	}
	if null != nil && null[i] {
		return x, false
	}
	return c.vals[i], true
}

// plain reports whether row i is value i.
func (c *column[T]) plain() bool { return c.v.Form == vec.Flat && c.v.Null == nil }

func keep[T comparable](a, b column[T], ai, bi []int32, others [][]int32) int {
	if a.plain() && b.plain() {
		return keepPlain(a.vals, b.vals, ai, bi, others)
	}
	n := 0
	for i := range ai {
		x, xok := a.at(ai[i])
		y, yok := b.at(bi[i])
		if xok != yok || xok && x != y {
			continue
		}
		ai[n], bi[n] = ai[i], bi[i]
		for _, o := range others {
			o[n] = o[i]
		}
		n++
	}
	return n
}

// keepPlain is keep without NULLs and views. Nearly all pairs found by hashes are equal, so it
// moves nothing before the first pair that is not.
func keepPlain[T comparable](a, b []T, ai, bi []int32, others [][]int32) int {
	n := 0
	bi = bi[:len(ai)]
	for n < len(ai) && a[ai[n]] == b[bi[n]] {
		n++
	}
	for i := n + 1; i < len(ai); i++ {
		if a[ai[i]] != b[bi[i]] {
			continue
		}
		ai[n], bi[n] = ai[i], bi[i]
		for _, o := range others {
			o[n] = o[i]
		}
		n++
	}
	return n
}
