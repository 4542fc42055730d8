package simd

import "unsafe"

// Extent returns the bounds of the first done elements of xs, and whether one of them is
// greater than the next one, which is in xs too.
func Extent[T int64 | uint64](xs []T) (lo, hi T, falls bool, done int) {
	if done = (len(xs) - 1) &^ 63; level < AVX2 || done <= 0 {
		return 0, 0, false, 0
	}
	first := unsafe.Pointer(&xs[0])
	if T(0)-1 < 0 {
		l, h, f := extentInt64((*int64)(first), done)
		return T(l), T(h), f, done
	}
	l, h, f := extentUint64((*uint64)(first), done)
	return T(l), T(h), f, done
}

func extentInt64(xs *int64, n int) (lo, hi int64, falls bool) {
	if level == AVX512 {
		return extentInt64AVX512(xs, n)
	}
	return extentInt64AVX2(xs, n)
}

func extentUint64(xs *uint64, n int) (lo, hi uint64, falls bool) {
	if level == AVX512 {
		return extentUint64AVX512(xs, n)
	}
	return extentUint64AVX2(xs, n)
}

// SelectHashes writes to dst, which must be as long as xs, the positions of those of the first done
// elements of xs whose hashes have no bit in common with mask, and returns their number. The hash
// is the finaliser of MurmurHash3.
func SelectHashes(dst []int32, xs []int64, mask uint64) (selected, done int) {
	if done = len(xs) &^ 63; level < AVX2 || done == 0 {
		return 0, 0
	}
	_ = dst[done-1]
	if level == AVX512 {
		return selectHashesAVX512(&dst[0], &xs[0], done, mask), done
	}
	return selectHashesAVX2(&dst[0], &xs[0], done, mask), done
}

// AnyNegative reports whether one of the first done elements is negative.
func AnyNegative(xs []int32) (any bool, done int) {
	if done = len(xs) &^ 63; level < AVX2 || done == 0 {
		return false, 0
	}
	return anyNegativeAVX2(&xs[0], done), done
}

// Offsets writes to dst, which must be as long as xs, the differences of the first done elements of
// xs from lo. Differences must be below size, which is at most 2^31. It stops some elements before
// the first one that is further away, or below lo.
func Offsets(dst []int32, xs []uint64, lo, size uint64) (done int) {
	n := len(xs) &^ 63
	if level < AVX2 || n == 0 {
		return 0
	}
	_ = dst[n-1]
	first := (*int64)(unsafe.Pointer(&xs[0]))
	if level == AVX512 {
		return offsetsAVX512(&dst[0], first, n, lo, size)
	}
	return offsetsAVX2(&dst[0], first, n, lo, size)
}

// SumHalves adds the lower halves and, separately, the upper halves of the first done elements; the
// upper halves are signed if T is. There must be fewer than 2^31 elements.
func SumHalves[T int64 | uint64](xs []T) (lo uint64, hi int64, done int) {
	if done = len(xs) &^ 63; level < AVX2 || done == 0 {
		return 0, 0, 0
	}
	first := (*int64)(unsafe.Pointer(&xs[0]))
	switch signed := T(0)-1 < 0; {
	case signed && level == AVX512:
		lo, hi = sumInt64AVX512(first, done)
	case signed:
		lo, hi = sumInt64AVX2(first, done)
	case level == AVX512:
		lo, hi = sumUint64AVX512(first, done)
	default:
		lo, hi = sumUint64AVX2(first, done)
	}
	return lo, hi, done
}
