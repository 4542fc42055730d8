package arrowvec

import "gsql/sql/vec"

// number is a type in which Arrow stores a number, a date or a timestamp.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | float32 | float64
}

// place writes the values of v, of any form, to dst. slots are the payload slots of v, or of its
// base. It reports whether any value changes in the new type, including values in the slots of
// NULLs.
func place[T number, S int64 | float64](dst []T, v *vec.Vector, slots []S) (differ bool) {
	switch {
	case v.Form == vec.Flat:
		slots = slots[:len(dst)]
		for i := range dst {
			x := slots[i]
			dst[i] = T(x)
			differ = differ || S(T(x)) != x
		}
	case v.Form == vec.Const:
		fill(dst, T(slots[0]))
		differ = S(T(slots[0])) != slots[0]
	case v.Ends != nil:
		eachRun(v, func(from, to, row int32) {
			var x S
			if row >= 0 {
				x = slots[row]
			}
			fill(dst[from:to], T(x))
			differ = differ || S(T(x)) != x
		})
	default:
		for i, row := range v.Idx[:len(dst)] {
			var x S
			if uint32(row) < uint32(len(slots)) {
				x = slots[row]
			}
			dst[i] = T(x)
			differ = differ || S(T(x)) != x
		}
	}
	return differ
}

// eachRun calls f for each run of a view, with the row of the base that the run repeats.
func eachRun(v *vec.Vector, f func(from, to, row int32)) {
	from := int32(0)
	for _, end := range v.Ends {
		f(from, end, v.Idx[from])
		from = end
	}
}

// fill sets all elements of dst to x: first a few, then twice as many at a time by copying.
func fill[T any](dst []T, x T) {
	const few = 16
	first := dst[:min(few, len(dst))]
	for i := range first {
		first[i] = x
	}
	for n := len(first); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
