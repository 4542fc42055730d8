package pack

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// FrameRows is the number of integers in a frame.
const FrameRows = 1024

// How integers are encoded.
const (
	constant = iota // one value for all
	frames          // frames of values
	deltas          // the first value, then frames of differences
)

// sampled is the number of values from which a common divisor is guessed.
const sampled = 64

// Integers are the types of values that can be encoded; only the bits count.
type Integers interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// AppendIntegers appends the encoding of values. It does not record how many there are.
func AppendIntegers(dst []byte, values []int64) []byte {
	lo, hi := int64(0), int64(0)
	if len(values) > 0 {
		lo, hi = values[0], values[0]
		for _, x := range values {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo == hi {
		return binary.AppendVarint(append(dst, constant), lo)
	}
	step := divisor(values, lo, hi)
	dst = append(dst, 0)
	mode := &dst[len(dst)-1]
	if deltaBytes(values, step) < frameBytes(values, step) {
		*mode = deltas
		dst = binary.AppendUvarint(dst, step)
		dst = binary.AppendVarint(dst, values[0])
		return appendDeltas(dst, values, int64(step))
	}
	*mode = frames
	dst = binary.AppendUvarint(dst, step)
	dst = binary.AppendVarint(dst, lo)
	return appendFrames(dst, values, lo, step)
}

// divisor returns the greatest common divisor of the distances from lo, or 1 if values may differ
// by more than an int64 holds.
func divisor(values []int64, lo, hi int64) uint64 {
	if uint64(hi)-uint64(lo) > math.MaxInt64 {
		return 1
	}
	d := uint64(hi - lo)
	for i := 0; i < len(values) && d > 1; i += max(1, len(values)/sampled) {
		d = gcd(uint64(values[i]-lo), d)
	}
	for _, x := range values {
		if d == 1 {
			return 1
		}
		if rest := uint64(x-lo) % d; rest != 0 {
			d = gcd(rest, d)
		}
	}
	return d
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
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
const frameHead = 3

// frameBytes estimates the size of frames of values.
func frameBytes(values []int64, step uint64) int {
	size := 0
	for at := 0; at < len(values); at += FrameRows {
		frame := values[at:min(at+FrameRows, len(values))]
		lo, hi := frame[0], frame[0]
		for _, x := range frame {
			lo, hi = min(lo, x), max(hi, x)
		}
		size += frameHead + packedBytes(len(frame), width((uint64(hi)-uint64(lo))/step))
	}
	return size
}

// deltaBytes estimates the size of frames of differences.
func deltaBytes(values []int64, step uint64) int {
	size, last := 0, values[0]
	for rest := values[1:]; len(rest) > 0; {
		frame := rest[:min(FrameRows, len(rest))]
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for _, x := range frame {
			lo, hi = min(lo, x-last), max(hi, x-last)
			last = x
		}
		size += frameHead + packedBytes(len(frame), width((uint64(hi)-uint64(lo))/step))
		rest = rest[len(frame):]
	}
	return size
}

// appendFrames appends frames of the values' distances from lo in steps.
func appendFrames(dst []byte, values []int64, lo int64, step uint64) []byte {
	var buf [FrameRows]uint64
	for at := 0; at < len(values); at += FrameRows {
		frame := values[at:min(at+FrameRows, len(values))]
		for i, x := range frame {
			buf[i] = uint64(x) - uint64(lo)
		}
		if step > 1 {
			for i := range frame {
				buf[i] /= step
			}
		}
		base := buf[0]
		for _, x := range buf[:len(frame)] {
			base = min(base, x)
		}
		dst = binary.AppendUvarint(dst, base)
		dst = appendFrame(dst, buf[:len(frame)], base)
	}
	return dst
}

// appendDeltas appends frames of the differences of neighbours in steps.
func appendDeltas(dst []byte, values []int64, step int64) []byte {
	var buf [FrameRows]uint64
	last := values[0]
	for rest := values[1:]; len(rest) > 0; {
		frame := rest[:min(FrameRows, len(rest))]
		base := int64(math.MaxInt64)
		for i, x := range frame {
			d := x - last
			if step > 1 {
				d /= step
			}
			buf[i], base, last = uint64(d), min(base, d), x
		}
		dst = binary.AppendVarint(dst, base)
		dst = appendFrame(dst, buf[:len(frame)], uint64(base))
		rest = rest[len(frame):]
	}
	return dst
}

// appendFrame appends the width of the distances from base, and the distances. It changes values.
func appendFrame(dst []byte, values []uint64, base uint64) []byte {
	most := uint64(0)
	for i := range values {
		values[i] -= base
		most = max(most, values[i])
	}
	w := width(most)
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
	unpack(dst, src, w)
	switch {
	case step != 1:
		for i, x := range dst {
			dst[i] = base + step*x
		}
	case base != 0:
		for i, x := range dst {
			dst[i] = base + x
		}
	}
}

func fill[T Integers](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}
