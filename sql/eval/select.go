package eval

import "gsql/sql/vec"

// The loops here write the numbers of the qualifying rows without a branch: every
// row's number is stored, and the position moves on only when the row qualifies. dst
// has room for all rows.

// selectOrdered selects among the rows in (nil: all) of a flat column by comparing it
// with a constant or with another flat column.
func selectOrdered[T ordered](dst []int32, left, right *vec.Vector, rel relation, in []int32) []int32 {
	a, b := Values[T](left)[:left.N], Values[T](right)
	switch {
	case right.Form == vec.Const && in == nil:
		return selectConst(dst, a, b[0], rel)
	case right.Form == vec.Const:
		return selectConstIn(dst, a, b[0], rel, in)
	case in == nil:
		return selectPairs(dst, a, b, rel)
	}
	return selectPairsIn(dst, a, b, rel, in)
}

func selectConst[T ordered](dst []int32, a []T, c T, rel relation) []int32 {
	n := 0
	dst = dst[:len(a)]
	switch rel {
	case eq, lt | gt:
		flip := int(rel & lt)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x == c)) ^ flip
		}
	case lt, gt | eq:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x < c)) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x > c)) ^ flip
		}
	}
	return dst[:n]
}

func selectConstIn[T ordered](dst []int32, a []T, c T, rel relation, in []int32) []int32 {
	n := 0
	dst = dst[:len(in)]
	switch rel {
	case eq, lt | gt:
		flip := int(rel & lt)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] == c)) ^ flip
		}
	case lt, gt | eq:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] < c)) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] > c)) ^ flip
		}
	}
	return dst[:n]
}

func selectPairs[T ordered](dst []int32, a, b []T, rel relation) []int32 {
	n := 0
	dst, b = dst[:len(a)], b[:len(a)]
	switch rel {
	case eq, lt | gt:
		flip := int(rel & lt)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x == b[i])) ^ flip
		}
	case lt, gt | eq:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x < b[i])) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for i, x := range a {
			dst[n] = int32(i)
			n += int(b2i(x > b[i])) ^ flip
		}
	}
	return dst[:n]
}

func selectPairsIn[T ordered](dst []int32, a, b []T, rel relation, in []int32) []int32 {
	n := 0
	dst = dst[:len(in)]
	switch rel {
	case eq, lt | gt:
		flip := int(rel & lt)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] == b[r])) ^ flip
		}
	case lt, gt | eq:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] < b[r])) ^ flip
		}
	default:
		flip := int(rel >> 1 & 1)
		for _, r := range in {
			dst[n] = r
			n += int(b2i(a[r] > b[r])) ^ flip
		}
	}
	return dst[:n]
}
