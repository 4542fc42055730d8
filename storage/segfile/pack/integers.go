package pack

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"gsql/internal/simd"
)

// FrameRows is the number of integers in a frame.
const FrameRows = 1024

// How integers are encoded.
const (
	constant = iota // one value for all
	frames          // frames of values
	deltas          // the first value, then frames of differences
)

// Integers are the types of values that can be encoded; only the bits count.
type Integers interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// AppendIntegers appends the encoding of values. It does not record how many there are.
func AppendIntegers(dst []byte, values []int64) []byte {
	ranges := rangesOf(values)
	lo, hi := int64(0), int64(0)
	if len(ranges) > 0 {
		lo, hi = ranges[0].lo, ranges[0].hi
	}
	for _, r := range ranges {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	if lo == hi {
		return binary.AppendVarint(append(dst, constant), lo)
	}
	step := divisorOf(values, lo, hi)
	size := frameBytes(ranges, len(values), step)
	if deltasAreSmaller(values, step, size) {
		dst = binary.AppendUvarint(append(dst, deltas), step.of)
		dst = binary.AppendVarint(dst, values[0])
		return appendDeltas(slices.Grow(dst, size), values, step)
	}
	dst = binary.AppendUvarint(append(dst, frames), step.of)
	dst = binary.AppendVarint(dst, lo)
	return appendFrames(slices.Grow(dst, size), values, ranges, lo, step)
}

// extent is the range of the values of a frame.
type extent struct{ lo, hi int64 }

// rangesOf returns the ranges of the frames of values.
func rangesOf(values []int64) []extent {
	out := make([]extent, 0, len(values)/FrameRows+1)
	for rest := values; len(rest) > 0; {
		frame := rest[:min(FrameRows, len(rest))]
		rest = rest[len(frame):]
		lo, hi, _, done := simd.Extent(frame)
		if done == 0 {
			lo, hi = frame[0], frame[0]
		}
		for _, x := range frame[done:] {
			lo, hi = min(lo, x), max(hi, x)
		}
		out = append(out, extent{lo, hi})
	}
	return out
}

// width returns the number of bits that values from 0 to most take in a frame: those that unpack
// supports.
func width(most uint64) uint {
	if w := uint(bits.Len64(most)); w <= widest {
		return w
	}
	return 64
}

// frameHead is the usual size of a frame's base and width.
const frameHead = 4

// frameBytes estimates the size of frames of n values.
func frameBytes(ranges []extent, n int, step divisor) int {
	size := 0
	for _, r := range ranges {
		size += frameHead + packedBytes(min(n, FrameRows), width((uint64(r.hi)-uint64(r.lo))/step.of))
		n -= FrameRows
	}
	return size
}

// deltasAreSmaller reports whether frames of differences take less than size bytes. The first
// frames decide if they take much more.
func deltasAreSmaller(values []int64, step divisor, size int) bool {
	last, sum := values[0], 0
	for rest := values[1:]; len(rest) > 0; {
		frame := rest[:min(FrameRows, len(rest))]
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for _, x := range frame {
			lo, hi = min(lo, x-last), max(hi, x-last)
			last = x
		}
		sum += frameHead + packedBytes(len(frame), width((uint64(hi)-uint64(lo))/step.of))
		rest = rest[len(frame):]
		if sum >= size || len(values)-len(rest) >= 4*FrameRows && sum*len(values) > size*(len(values)-len(rest)) {
			return false
		}
	}
	return sum < size
}

// appendFrames appends frames of the values' distances from lo in steps.
func appendFrames(dst []byte, values []int64, ranges []extent, lo int64, step divisor) []byte {
	var buf [FrameRows]uint64
	for _, r := range ranges {
		frame := values[:min(FrameRows, len(values))]
		values = values[len(frame):]
		for i, x := range frame {
			buf[i] = uint64(x) - uint64(r.lo)
		}
		dst = binary.AppendUvarint(dst, (uint64(r.lo)-uint64(lo))/step.of)
		dst = appendFrame(dst, buf[:len(frame)], uint64(r.hi)-uint64(r.lo), step)
	}
	return dst
}

// appendDeltas appends frames of the differences of neighbours in steps.
func appendDeltas(dst []byte, values []int64, step divisor) []byte {
	var buf [FrameRows]uint64
	last := values[0]
	for rest := values[1:]; len(rest) > 0; {
		frame := rest[:min(FrameRows, len(rest))]
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for i, x := range frame {
			d := x - last
			buf[i], lo, hi, last = uint64(d), min(lo, d), max(hi, d), x
		}
		for i := range frame {
			buf[i] -= uint64(lo)
		}
		dst = binary.AppendVarint(dst, lo/int64(step.of))
		dst = appendFrame(dst, buf[:len(frame)], uint64(hi)-uint64(lo), step)
		rest = rest[len(frame):]
	}
	return dst
}

// appendFrame appends the width of distances of up to most in steps, and the distances. It changes
// values.
func appendFrame(dst []byte, values []uint64, most uint64, step divisor) []byte {
	if step.of > 1 {
		for i, x := range values {
			values[i] = step.quotient(x)
		}
	}
	w := width(most / step.of)
	return appendPacked(append(dst, byte(w)), values, w)
}

// ReadIntegers reads as many integers as dst has room for.
func ReadIntegers[T Integers](r *Reader, dst []T) error {
	switch r.Byte() {
	case constant:
		fill(dst, T(r.Varint()))
	case frames:
		step, lo := r.Uvarint(), uint64(r.Varint())
		for at := 0; at < len(dst) && !r.bad; at += FrameRows {
			frame := dst[at:min(at+FrameRows, len(dst))]
			base := r.Uvarint()
			readFrame(r, frame, T(lo+step*base), T(step))
		}
	case deltas:
		step, last := r.Uvarint(), T(r.Varint())
		if len(dst) == 0 {
			r.fail()
			return r.Err()
		}
		dst[0] = last
		for rest := dst[1:]; len(rest) > 0 && !r.bad; {
			frame := rest[:min(FrameRows, len(rest))]
			base := uint64(r.Varint())
			readFrame(r, frame, T(step*base), T(step))
			for i, d := range frame {
				last += d
				frame[i] = last
			}
			rest = rest[len(frame):]
		}
	default:
		r.fail()
	}
	return r.Err()
}

// readFrame reads the distances of a frame and sets dst to base plus their multiples of step.
func readFrame[T Integers](r *Reader, dst []T, base, step T) {
	w := uint(r.Byte())
	if w > widest && w != 64 {
		r.fail()
		return
	}
	src := r.src
	if r.Take(packedBytes(len(dst), w)); r.bad {
		return
	}
	if w == 0 {
		fill(dst, base)
		return
	}
	unpack(dst, src, w, base, step)
}

func fill[T Integers](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}
