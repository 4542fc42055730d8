package sort

import (
	"cmp"
	"slices"
	"unsafe"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// column holds a key's values, flat, and its direction.
type column struct {
	v    *vec.Vector
	desc bool
}

// Compare compares row i of a and row j of b, flat vectors of the same type. NULL comes first.
// All rows of type NULL are equal, whether or not a vector has NULL flags.
func Compare(a *vec.Vector, i int32, b *vec.Vector, j int32) int {
	if a.Type.Kind() == types.KindNull {
		return 0
	}
	an, bn := a.Null != nil && a.Null[i], b.Null != nil && b.Null[j]
	switch {
	case an && bn:
		return 0
	case an:
		return -1
	case bn:
		return 1
	}
	switch a.Type.Kind() {
	case types.KindI64:
		return cmp.Compare(a.I64[i], b.I64[j])
	case types.KindU64:
		return cmp.Compare(uint64(a.I64[i]), uint64(b.I64[j]))
	case types.KindF64:
		return cmp.Compare(a.F64[i], b.F64[j])
	case types.KindDec:
		return a.Dec[i].Cmp(b.Dec[j])
	case types.KindStr:
		return cmp.Compare(a.Str[i], b.Str[j])
	}
	return 0
}

// compareTo compares a row with a bound, which has one value per key.
func compareTo(cols []column, row int32, bound []*vec.Vector) int {
	for i, c := range cols {
		if d := Compare(c.v, row, bound[i], 0); d != 0 {
			return directed(d, c.desc)
		}
	}
	return 0
}

// compareRows compares two rows by keys.
func compareRows(keys []column, x, y int32) int {
	for _, k := range keys {
		if d := Compare(k.v, x, k.v, y); d != 0 {
			return directed(d, k.desc)
		}
	}
	return 0
}

func directed(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}

// split appends to before the rows of v that come before the bound, and to ties those that equal
// it.
func split(v, bound *vec.Vector, desc bool, before, ties []int32) ([]int32, []int32) {
	if v.Null != nil || bound.Null != nil {
		return splitSlow(v, bound, desc, before, ties)
	}
	switch v.Type.Kind() {
	case types.KindI64:
		return splitTyped(v.I64, bound.I64[0], desc, before, ties)
	case types.KindU64:
		return splitTyped(unsigned(v.I64), uint64(bound.I64[0]), desc, before, ties)
	case types.KindF64:
		return splitTyped(v.F64, bound.F64[0], desc, before, ties)
	case types.KindStr:
		return splitTyped(v.Str, bound.Str[0], desc, before, ties)
	}
	return splitSlow(v, bound, desc, before, ties)
}

func splitTyped[T cmp.Ordered](xs []T, bound T, desc bool, before, ties []int32) ([]int32, []int32) {
	for i, x := range xs {
		switch {
		case x == bound:
			ties = append(ties, int32(i))
		case x < bound != desc:
			before = append(before, int32(i))
		}
	}
	return before, ties
}

func splitSlow(v, bound *vec.Vector, desc bool, before, ties []int32) ([]int32, []int32) {
	for i := range int32(v.N) {
		switch d := directed(Compare(v, i, bound, 0), desc); {
		case d < 0:
			before = append(before, i)
		case d == 0:
			ties = append(ties, i)
		}
	}
	return before, ties
}

func unsigned(xs []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

// mergeAscending merges two ascending runs of indexes, the second of which starts at n.
func mergeAscending(idx []int32, n int) []int32 {
	if n > 0 && n < len(idx) && idx[n-1] > idx[n] {
		slices.Sort(idx)
	}
	return idx
}
