//go:build !amd64

package simd

// Arithmetic computes the first elements of dst, whose length a and b have, and gives their
// number. What does not fit the type wraps around; remainders of division by zero are any.
func Arithmetic[T Element](op Operation, dst, a, b []T) (done int) { return 0 }

// ArithmeticConst is Arithmetic with the constant c in the place of b.
func ArithmeticConst[T Element](op Operation, dst, a []T, c T) (done int) { return 0 }

// ConstArithmetic is Arithmetic with the constant c in the place of a.
func ConstArithmetic[T Element](op Operation, dst []T, c T, b []T) (done int) { return 0 }

// Compare sets bit i%64 of dst[i/64] to whether a[i] and b[i], none of them NaN, compare as p
// says, for the first elements of a, and gives their number, a multiple of 64.
func Compare[T Element](dst []uint64, a, b []T, p Predicate) (done int) { return 0 }

// CompareConst is Compare with the constant c in the place of b.
func CompareConst[T Element](dst []uint64, a []T, c T, p Predicate) (done int) { return 0 }

// SumMasked adds those of the first done elements whose bits are set in mask. The sum wraps
// around.
func SumMasked(xs []int64, mask []uint64) (sum int64, done int) { return 0, 0 }

// LeastMasked gives the least of those of the first done elements whose bits are set in mask,
// all ones if there are none.
func LeastMasked(xs, mask []uint64) (least uint64, done int) { return 1<<64 - 1, 0 }
