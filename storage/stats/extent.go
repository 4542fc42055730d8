package stats

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
)

// extent tracks the bounds of values as they are added, and whether they ever descend.
type extent[T any] struct {
	lo, hi, last T
	seen, falls  bool
}

// start initialises the extent with the first value.
func (e *extent[T]) start(x T) {
	if !e.seen {
		e.lo, e.hi, e.last, e.seen = x, x, x, true
	}
}

func addOrdered[T int64 | uint64](e *extent[T], xs []T) {
	if len(xs) == 0 {
		return
	}
	e.start(xs[0])
	lo, hi, falls, done := simd.Extent(xs)
	if done == 0 {
		lo, hi = xs[0], xs[0]
	}
	e.falls = e.falls || falls || xs[0] < e.last || descends(xs[done], xs[done:])
	for _, x := range xs[done:] {
		lo, hi = min(lo, x), max(hi, x)
	}
	e.lo, e.hi, e.last = min(lo, e.lo), max(hi, e.hi), xs[len(xs)-1]
}

// addFloats treats NaN as a value that cannot be ordered: it makes the bounds infinite.
func addFloats(e *extent[float64], xs []float64) {
	if len(xs) == 0 {
		return
	}
	e.start(xs[0])
	e.falls = e.falls || descends(e.last, xs)
	lo, hi, number := e.lo, e.hi, true
	for _, x := range xs {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		number = number && x == x
	}
	if !number || e.lo != e.lo {
		lo, hi, e.falls = math.Inf(-1), math.Inf(1), true
	}
	e.lo, e.hi, e.last = lo, hi, xs[len(xs)-1]
}

// descends reports whether any value of the sequence last, xs... is less than its predecessor.
func descends[T cmp.Ordered](last T, xs []T) bool {
	for _, x := range xs {
		if x < last {
			return true
		}
		last = x
	}
	return false
}

func addDecimals(e *extent[decimal128.Num], xs []decimal128.Num) {
	if len(xs) == 0 {
		return
	}
	e.start(xs[0])
	for _, x := range xs {
		e.falls = e.falls || lessDecimal(x, e.last)
		e.last = x
		if lessDecimal(x, e.lo) {
			e.lo = x
		}
		if lessDecimal(e.hi, x) {
			e.hi = x
		}
	}
}

func lessDecimal(a, b decimal128.Num) bool {
	ah, bh := a.HighBits(), b.HighBits()
	return ah < bh || ah == bh && a.LowBits() < b.LowBits()
}

// addStrings compares eight bytes at a time before it compares whole strings. It stores copies, which
// are cut if they are long: the bounds are then a little wider, and equal texts may seem to descend.
func addStrings(e *extent[string], xs []string) {
	if len(xs) == 0 {
		return
	}
	first := !e.seen
	e.start(xs[0])
	if e.falls = e.falls || descends(e.last, xs); e.falls {
		e.last = "" // no longer needed
	} else {
		e.last = upperBound(xs[len(xs)-1])
	}
	lo, hi := e.lo, e.hi
	low, high := prefix(lo), prefix(hi)
	for _, x := range xs {
		p := prefix(x)
		if p > low && p < high {
			continue
		}
		if p <= low && x < lo {
			lo, low = x, p
		}
		if p >= high && x > hi {
			hi, high = x, p
		}
	}
	if first || lo != e.lo {
		e.lo = lowerBound(lo)
	}
	if first || hi != e.hi {
		e.hi = upperBound(hi)
	}
}

// prefix returns the first eight bytes of s, padded with zeros, as a number. Strings are ordered
// like their prefixes if those differ.
func prefix(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64([]byte(s[:8]))
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}
