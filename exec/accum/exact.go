// Package accum implements the running states of aggregates that grouping and window functions
// share: sums of integers and decimals, sums of floats, and moments.
package accum

import (
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Exact is a sum of integers or decimals as a 128-bit two's complement number.
type Exact struct {
	Lo uint64
	Hi int64
}

// Add adds a number. The caller ensures that the sum cannot overflow, as with fewer than 2^63
// integers.
func (t *Exact) Add(lo uint64, hi int64) {
	var carry uint64
	t.Lo, carry = bits.Add64(t.Lo, lo, 0)
	t.Hi += hi + int64(carry)
}

// AddAll adds integers of a kind, summing them in registers.
func (t *Exact) AddAll(xs []int64, kind types.Kind) {
	var low uint64
	var high int64
	var done int
	if kind == types.KindU64 {
		low, high, done = simd.SumHalves(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs)))
	} else {
		low, high, done = simd.SumHalves(xs)
	}
	t.Add(low, 0)
	t.Add(uint64(high)<<32, high>>32)
	xs = xs[done:]
	lo, hi, carry := t.Lo, t.Hi, uint64(0)
	if kind == types.KindU64 {
		for _, x := range xs {
			lo, carry = bits.Add64(lo, uint64(x), 0)
			hi += int64(carry)
		}
	} else {
		for _, x := range xs {
			lo, carry = bits.Add64(lo, uint64(x), 0)
			hi += x>>63 + int64(carry)
		}
	}
	t.Lo, t.Hi = lo, hi
}

// AddChecked is Add, but returns false if 128 bits do not suffice.
func (t *Exact) AddChecked(lo uint64, hi int64) bool {
	low, carry := bits.Add64(t.Lo, lo, 0)
	high := t.Hi + hi + int64(carry)
	ok := (t.Hi^high)&(hi^high) >= 0
	t.Lo, t.Hi = low, high
	return ok
}

// Sub subtracts a number that was added before.
func (t *Exact) Sub(lo uint64, hi int64) {
	var borrow uint64
	t.Lo, borrow = bits.Sub64(t.Lo, lo, 0)
	t.Hi -= hi + int64(borrow)
}

// SubChecked subtracts a number and returns false if 128 bits do not suffice.
func (t *Exact) SubChecked(lo uint64, hi int64) bool {
	low, borrow := bits.Sub64(t.Lo, lo, 0)
	high := t.Hi - hi - int64(borrow)
	ok := (t.Hi^hi)&(t.Hi^high) >= 0
	t.Lo, t.Hi = low, high
	return ok
}

// Sum writes the sum of values of the given scale to slot i of dst. It returns false if the sum
// has more than 38 digits.
func (t Exact) Sum(dst *vec.Vector, i, scale int) bool {
	x, ok := dec128.Rescale(decimal128.New(t.Hi, t.Lo), scale, int(dst.Type.Scale))
	return ok && dec128.Valid(x) && put(dst, i, x)
}

// Averaging describes how sums of values of one type become averages of another.
type Averaging struct {
	raise  int  // digits after the point that averages have in addition to the values
	cutOff bool // averages are truncated, not rounded
}

// AveragingOf returns the Averaging of values of type of whose averages have the type mean.
func AveragingOf(mean, of types.Type) Averaging {
	return Averaging{int(mean.Scale) - int(of.Scale), expr.MeanCutsOff(mean, of)}
}

// Mean writes the sum of values, divided by n > 0, to slot i of dst. It returns false if the result
// has more than 38 digits.
func (t Exact) Mean(dst *vec.Vector, i int, a Averaging, n int64) bool {
	divide := dec128.Div
	if a.cutOff {
		divide = dec128.Quo
	}
	x, ok := divide(decimal128.New(t.Hi, t.Lo), a.raise, decimal128.FromI64(n))
	return ok && put(dst, i, x)
}
