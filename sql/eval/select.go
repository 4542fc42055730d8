package eval

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// The loops here write the numbers of qualifying rows without branching: every row's number is
// stored, and the position advances only if the row qualifies. dst must be long enough for all rows.

// selectConst selects the rows of in (nil: all) whose value in a compares with c as rel requires.
func selectConst[T kernel.Ordered](dst []int32, a []T, c T, rel kernel.Relation, in []int32) []int32 {
	if in != nil {
		return selectConstIn(dst, a, c, rel, in)
	}
	n := 0
	dst = dst[:len(a)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int(rel & kernel.Less)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x == c)) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x < c)) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x > c)) ^ flip
		}
	}
	return dst[:n]
}

// selectVector is selectConst using vector instructions.
func selectVector[T int64 | float64](dst []int32, a []T, c T, rel kernel.Relation, in []int32) []int32 {
	if in != nil {
		return selectConstIn(dst, a, c, rel, in)
	}
	n, done := simd.Select(dst[:len(a)], a, c, predicates[rel])
	rest := selectConst(dst[n:], a[done:], c, rel, nil)
	if done > 0 {
		for i := range rest {
			rest[i] += int32(done)
		}
	}
	return dst[:n+len(rest)]
}

var predicates = [...]simd.Predicate{kernel.Less: simd.Less, kernel.Less | kernel.Equal: simd.LessEqual, kernel.Equal: simd.Equal, kernel.Less | kernel.Greater: simd.NotEqual, kernel.Greater | kernel.Equal: simd.GreaterEqual, kernel.Greater: simd.Greater}

func selectConstIn[T kernel.Ordered](dst []int32, a []T, c T, rel kernel.Relation, in []int32) []int32 {
	n := 0
	dst = dst[:len(in)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int(rel & kernel.Less)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] == c)) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] < c)) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] > c)) ^ flip
		}
	}
	return dst[:n]
}

// selectPairs selects the rows of in (nil: all) whose values in a and b compare as rel requires.
func selectPairs[T kernel.Ordered](dst []int32, a, b []T, rel kernel.Relation, in []int32) []int32 {
	if in != nil {
		return selectPairsIn(dst, a, b, rel, in)
	}
	n := 0
	dst, b = dst[:len(a)], b[:len(a)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int(rel & kernel.Less)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x == b[i])) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x < b[i])) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(kernel.Bit(x > b[i])) ^ flip
		}
	}
	return dst[:n]
}

func selectPairsIn[T kernel.Ordered](dst []int32, a, b []T, rel kernel.Relation, in []int32) []int32 {
	n := 0
	dst = dst[:len(in)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int(rel & kernel.Less)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] == b[r])) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] < b[r])) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(kernel.Bit(a[r] > b[r])) ^ flip
		}
	}
	return dst[:n]
}

// memberLoop selects the rows of in (nil: all) whose value in the flat column v is in a list.
type memberLoop func(dst []int32, v *vec.Vector, in []int32) []int32

func selectMembers[T int64 | float64](list []expr.Expr, value func(*expr.Const) T) memberLoop {
	values := make([]T, 0, len(list))
	for _, e := range list {
		if k := e.(*expr.Const); !expr.IsNull(k) {
			values = append(values, value(k))
		}
	}
	if ints, ok := any(values).([]int64); ok {
		if set := kernel.NewIntSet(ints); set != nil {
			return selectSet(set)
		}
	}
	if len(values) > kernel.ScanLimit {
		return selectHashed(values)
	}
	return func(dst []int32, v *vec.Vector, in []int32) []int32 {
		a, n := kernel.Values[T](v)[:v.N], 0
		if in == nil {
			dst = dst[:len(a)]
			for i, x := range a {
				dst[n] = int32(i)
				n += int(among(values, x))
			}
			return dst[:n]
		}
		dst = dst[:len(in)]
		for _, r := range in {
			dst[n] = r
			n += int(among(values, a[r]))
		}
		return dst[:n]
	}
}

// among returns 1 if x is in a short list, else 0.
func among[T int64 | float64](list []T, x T) (hit int64) {
	for _, y := range list {
		hit |= kernel.Bit(x == y)
	}
	return hit
}

// selectSet returns a memberLoop for a set without collisions.
func selectSet(set *kernel.IntSet) memberLoop {
	return func(dst []int32, v *vec.Vector, in []int32) []int32 {
		a, n := v.I64[:v.N], 0
		if in == nil {
			dst = dst[:len(a)]
			for i, x := range a {
				dst[n] = int32(i)
				n += int(set.Has(x))
			}
			return dst[:n]
		}
		dst = dst[:len(in)]
		for _, r := range in {
			dst[n] = r
			n += int(set.Has(a[r]))
		}
		return dst[:n]
	}
}

func selectHashed[T int64 | float64](values []T) memberLoop {
	set := make(map[T]struct{}, len(values))
	for _, x := range values {
		set[x] = struct{}{}
	}
	return func(dst []int32, v *vec.Vector, in []int32) []int32 {
		a := kernel.Values[T](v)[:v.N]
		dst = dst[:0]
		if in == nil {
			for i, x := range a {
				if _, ok := set[x]; ok {
					dst = append(dst, int32(i))
				}
			}
			return dst
		}
		for _, r := range in {
			if _, ok := set[a[r]]; ok {
				dst = append(dst, r)
			}
		}
		return dst
	}
}

// selectNulls selects the rows of in (nil: all n) where v is NULL or, if negated, is not NULL.
func selectNulls(dst []int32, v *vec.Vector, n int, in []int32, negated bool) []int32 {
	dst = dst[:0]
	if in == nil {
		for i := range n {
			if v.IsNull(i) != negated {
				dst = append(dst, int32(i))
			}
		}
		return dst
	}
	for _, r := range in {
		if v.IsNull(int(r)) != negated {
			dst = append(dst, r)
		}
	}
	return dst
}

// selectDecimals is selectConst for decimals of equal scale.
func selectDecimals(dst []int32, a []decimal128.Num, c decimal128.Num, rel kernel.Relation, in []int32) []int32 {
	n := 0
	if in == nil {
		dst = dst[:len(a)]
		for i, x := range a {
			dst[n] = int32(i)
			n += rel.Holds(dec128.Cmp(x, c))
		}
		return dst[:n]
	}
	dst = dst[:len(in)]
	for _, r := range in {
		dst[n] = r
		n += rel.Holds(dec128.Cmp(a[r], c))
	}
	return dst[:n]
}
