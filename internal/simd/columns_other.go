//go:build !amd64

package simd

// Extent returns the bounds of the first done elements of xs, and whether one of them is
// greater than the next one, which is in xs too.
func Extent[T int64 | uint64](xs []T) (lo, hi T, falls bool, done int) { return 0, 0, false, 0 }

// SelectHashes writes to dst, which must be as long as xs, the positions of those of the first done
// elements of xs whose hashes have no bit in common with mask, and returns their number. The hash
// is the finaliser of MurmurHash3.
func SelectHashes(dst []int32, xs []int64, mask uint64) (selected, done int) { return 0, 0 }

// AnyNegative reports whether one of the first done elements is negative.
func AnyNegative(xs []int32) (any bool, done int) { return false, 0 }

// Offsets writes to dst, which must be as long as xs, the differences of the first done elements of
// xs from lo. Differences must be below size, which is at most 2^31. It stops some elements before
// the first one that is further away, or below lo.
func Offsets(dst []int32, xs []uint64, lo, size uint64) (done int) { return 0 }

// SumHalves adds the lower halves and, separately, the upper halves of the first done elements; the
// upper halves are signed if T is. There must be fewer than 2^31 elements.
func SumHalves[T int64 | uint64](xs []T) (lo uint64, hi int64, done int) { return 0, 0, 0 }
