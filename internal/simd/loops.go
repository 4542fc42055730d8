package simd

import "math/bits"

// loops holds the loops of a level, nil for those it lacks.
type loops struct {
	ofInt32     lanes[int32]
	ofInt64     lanes[int64]
	ofFloat64   lanes[float64]
	widen       func(dst *int64, src *int32, n int)
	widen16     func(dst *int64, src *int16, n int)
	widen8      func(dst *int64, src *int8, n int)
	positions   func(dst *int32, mask *uint64, n int, first int32) int
	doubles     func(dst *float64, src *int64, n int)
	notFinite   func(xs *float64, n int) uint64
	magnitudes  func(xs *int64, n int) uint64
	sumMasked   func(xs *int64, mask *uint64, n int) int64
	leastMasked func(xs, mask *uint64, n int) uint64

	selectMembers   func(dst *int32, xs *int64, n int, filter *uint64, words int) int
	prefetchMembers func(xs *int64, n int, filter *uint64, words int)
	selectBits      func(dst *int32, xs *int64, n int, bitmap *uint64, lo int64, beyond uint64) int
	mark            func(dst *uint64, text *byte, n int, bytes *byte)
	hashDigits      func(dst *uint16, xs *uint64, n int, shift uint64)
	scatter         func(codes *uint64, rows *int32, digits *uint16, n int, next, start *int32, groups, dst *uint64, dstRows *int32)
	scatter64       func(words *uint64, digits *uint16, n int, next, start *int32, lines, dst *uint64)
	scatter32       func(words *uint32, digits *uint16, n int, next, start *int32, lines, dst *uint32)

	logarithms                    func(dst, src *float64, factor, rest float64, n int) uint64
	exponentials                  func(dst, src *float64, n int) uint64
	powers                        func(dst, x, y *float64, n int) uint64
	squareRoots, floors, ceilings func(dst, src *float64, n int) uint64
}

// lanes are the loops over a type of elements.
type lanes[T Element] struct {
	arithmeticVV [operations]func(dst, a, b *T, n int)
	arithmeticVC [operations]func(dst, a *T, b T, n int)
	arithmeticCV [operations]func(dst *T, a T, b *T, n int)
	compareVV    [predicates]func(dst *uint64, a, b *T, n int)
	compareVC    [predicates]func(dst *uint64, a *T, b T, n int)
	selected     [predicates]func(dst *int32, xs *T, n int, c T) int
}

// lanesOf returns the loops over a type.
func lanesOf[T Element]() *lanes[T] {
	var l any
	switch any(T(0)).(type) {
	case int32:
		l = &current.ofInt32
	case int64:
		l = &current.ofInt64
	default:
		l = &current.ofFloat64
	}
	return l.(*lanes[T])
}

// Most loops process 64 elements per iteration; widening and those that select rows process at most
// 16.
const (
	perIteration      = 64
	shortPerIteration = 16
)

// Widen copies the first elements of src to dst, which must be as long, and returns their number.
func Widen(dst []int64, src []int32) (done int) { return widen(dst, src, current.widen) }

// Widen16 is Widen for integers of 16 bits.
func Widen16(dst []int64, src []int16) (done int) { return widen(dst, src, current.widen16) }

// Widen8 is Widen for integers of 8 bits.
func Widen8(dst []int64, src []int8) (done int) { return widen(dst, src, current.widen8) }

func widen[T int8 | int16 | int32](dst []int64, src []T, loop func(*int64, *T, int)) (done int) {
	if done = len(src) &^ (shortPerIteration - 1); loop == nil || done == 0 {
		return 0
	}
	_ = dst[done-1]
	loop(&dst[0], &src[0], done)
	return done
}

// Select writes to dst, which must be as long as xs, the positions of those of the first done
// elements of xs for which p holds in comparison with c, and returns their number. NaN is neither
// less nor greater than c, and so passes LessEqual and GreaterEqual.
func Select[T Element](dst []int32, xs []T, c T, p Predicate) (selected, done int) {
	f := lanesOf[T]().selected[p]
	if done = len(xs) &^ (shortPerIteration - 1); f == nil || done == 0 {
		return 0, 0
	}
	_ = dst[done-1]
	return f(&dst[0], &xs[0], done, c), done
}

// Positions writes to dst the positions of the bits set in mask, counted from first, and returns
// their number. dst must have space for all positions up to the last bit's.
func Positions(dst []int32, mask []uint64, first int32) (n int) {
	words := min(len(dst)/64, len(mask))
	if current.positions == nil {
		words = 0
	}
	if words > 0 {
		n = current.positions(&dst[0], &mask[0], 64*words, first)
	}
	for i, w := range mask[words:] {
		for ; w != 0; w &= w - 1 {
			dst[n] = first + int32(64*(words+i)+bits.TrailingZeros64(w))
			n++
		}
	}
	return n
}

// Doubles converts src to dst, which must be as long.
func Doubles(dst []float64, src []int64) {
	src = src[:len(dst)]
	done := 0
	if n := len(dst) &^ (perIteration - 1); current.doubles != nil && n > 0 {
		current.doubles(&dst[0], &src[0], n)
		done = n
	}
	for i, x := range src[done:] {
		dst[done+i] = float64(x)
	}
}

// AreFinite reports whether no element is infinite or NaN.
func AreFinite(xs []float64) bool {
	if n := len(xs) &^ (perIteration - 1); current.notFinite != nil && n > 0 {
		if current.notFinite(&xs[0], n) != 0 {
			return false
		}
		xs = xs[n:]
	}
	for _, x := range xs {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// Magnitudes returns the bitwise or of some elements, the negative ones inverted.
func Magnitudes(xs []int64) (used uint64) {
	if n := len(xs) &^ (perIteration - 1); current.magnitudes != nil && n > 0 {
		used = current.magnitudes(&xs[0], n)
		xs = xs[n:]
	}
	var other int64
	for _, x := range xs {
		other |= x ^ x>>63
	}
	return used | uint64(other)
}

// Compare sets bit i%64 of dst[i/64] to whether p holds for a[i] and b[i], none of which may be
// NaN, for the first elements of a, and returns their number, a multiple of 64.
func Compare[T Element](dst []uint64, a, b []T, p Predicate) (done int) {
	f := lanesOf[T]().compareVV[p]
	if done = len(a) &^ (perIteration - 1); f == nil || done == 0 {
		return 0
	}
	_, _ = b[done-1], dst[(done-1)/64]
	f(&dst[0], &a[0], &b[0], done)
	return done
}

// CompareConst is Compare with the constant c instead of b.
func CompareConst[T Element](dst []uint64, a []T, c T, p Predicate) (done int) {
	f := lanesOf[T]().compareVC[p]
	if done = len(a) &^ (perIteration - 1); f == nil || done == 0 {
		return 0
	}
	_ = dst[(done-1)/64]
	f(&dst[0], &a[0], c, done)
	return done
}

// SumMasked adds those of the first done elements whose bits are set in mask. The sum wraps around.
func SumMasked(xs []int64, mask []uint64) (sum int64, done int) {
	if done = len(xs) &^ (perIteration - 1); current.sumMasked == nil || done == 0 {
		return 0, 0
	}
	_ = mask[(done-1)/64]
	return current.sumMasked(&xs[0], &mask[0], done), done
}

// LeastMasked returns the least of those of the first done elements whose bits are set in mask, or
// all ones if there are none.
func LeastMasked(xs, mask []uint64) (least uint64, done int) {
	if done = len(xs) &^ (perIteration - 1); current.leastMasked == nil || done == 0 {
		return 1<<64 - 1, 0
	}
	_ = mask[(done-1)/64]
	return current.leastMasked(&xs[0], &mask[0], done), done
}
