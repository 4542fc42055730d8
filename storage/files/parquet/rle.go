package parquet

import (
	"encoding/binary"
	"math/bits"

	"gsql/internal/simd"
	"gsql/storage/files/format"
)

var errShort = format.Fault("a page ends before its values do")

// hybrid decodes Parquet's mix of run-length and bit-packed integers, used for levels and
// dictionary codes. data must be followed by at least padding readable bytes.
type hybrid struct {
	data  []byte
	pos   int
	width uint // bits, 0..32

	left   int // values remaining in the current run
	packed bool
	value  int32 // value of a run-length run
	bit    int   // position of the next bit of a bit-packed run
}

func newHybrid(data []byte, width int) (hybrid, error) {
	if width < 0 || width > 32 {
		return hybrid{}, format.Fault("a bit width is out of range")
	}
	if cap(data)-len(data) < padding {
		data = append(make([]byte, 0, len(data)+padding), data...)
	}
	return hybrid{data: data, width: uint(width)}, nil
}

// run starts the next run.
func (h *hybrid) run() error {
	if h.packed {
		h.pos = (h.bit + 7) / 8
	}
	head, n := binary.Uvarint(h.data[min(h.pos, len(h.data)):])
	if n <= 0 || head>>1 == 0 || head>>1 > 1<<31-1 {
		return errShort
	}
	h.pos += n
	if head&1 == 0 {
		bytes := int(h.width+7) / 8
		if h.pos+bytes > len(h.data) {
			return errShort
		}
		word := binary.LittleEndian.Uint64(h.data[h.pos : h.pos+8 : h.pos+8])
		h.value = int32(word & (1<<(8*bytes) - 1))
		h.pos += bytes
		h.left, h.packed = int(head>>1), false
		return nil
	}
	// The padding of the last run may be missing.
	h.left, h.packed, h.bit = int(head>>1)*8, true, h.pos*8
	if avail := (len(h.data) - h.pos) * 8; h.width > 0 && h.left > avail/int(h.width) {
		h.left = avail / int(h.width)
	}
	if h.left == 0 {
		return errShort
	}
	return nil
}

// constant consumes n values and returns true if the current run repeats v at least n times.
// Otherwise it returns false.
func (h *hybrid) constant(n int, v int32) bool {
	if h.left == 0 && h.run() != nil {
		return false
	}
	if h.packed || h.value != v || h.left < n {
		return false
	}
	h.left -= n
	return true
}

// read reads the next values and returns the largest of them.
func (h *hybrid) read(dst []int32) (most uint32, err error) {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.run(); err != nil {
				return 0, err
			}
		}
		n := min(h.left, len(dst))
		if h.packed {
			most = max(most, h.unpack(dst[:n]))
		} else {
			for i := range dst[:n] {
				dst[i] = h.value
			}
			most = max(most, uint32(h.value))
		}
		h.left -= n
		dst = dst[n:]
	}
	return most, nil
}

// unpack reads the next values of a bit-packed run and returns the largest of them.
func (h *hybrid) unpack(dst []int32) (most uint32) {
	if h.width > 0 && h.width <= simd.UnpackWidth {
		for len(dst) >= 32 && h.bit&7 != 0 {
			most = max(most, h.unpackOne(dst))
			dst = dst[1:]
		}
		done, greatest := simd.Unpack(dst, h.data[h.bit>>3:len(h.data)+padding], h.width)
		h.bit += done * int(h.width)
		dst, most = dst[done:], max(most, greatest)
	}
	for ; len(dst) > 0; dst = dst[1:] {
		most = max(most, h.unpackOne(dst))
	}
	return most
}

// unpackOne reads and returns the next value of a bit-packed run.
func (h *hybrid) unpackOne(dst []int32) uint32 {
	word := binary.LittleEndian.Uint64(h.data[h.bit>>3 : len(h.data)+padding])
	x := uint32(word >> (h.bit & 7) & (1<<h.width - 1))
	dst[0] = int32(x)
	h.bit += int(h.width)
	return x
}

// zeros sets null for each of the next one-bit values that is 0 and returns the number of values
// that are 1.
func (h *hybrid) zeros(null []bool) (ones int, err error) {
	for len(null) > 0 {
		if h.left == 0 {
			if err := h.run(); err != nil {
				return 0, err
			}
		}
		n := min(h.left, len(null))
		switch {
		case h.packed:
			ones += h.unpackZeros(null[:n])
		case h.value > 1:
			return 0, format.Fault("a definition level is out of range")
		default:
			for i := range null[:n] {
				null[i] = h.value == 0
			}
			ones += n * int(h.value)
		}
		h.left -= n
		null = null[n:]
	}
	return ones, nil
}

// unpackZeros is like zeros within a bit-packed run.
func (h *hybrid) unpackZeros(null []bool) (ones int) {
	one := func() {
		bit := h.data[h.bit>>3] >> (h.bit & 7) & 1
		null[0] = bit == 0
		ones += int(bit)
		h.bit++
		null = null[1:]
	}
	for len(null) > 0 && h.bit&7 != 0 {
		one()
	}
	for ; len(null) >= 8; null = null[8:] {
		x := h.data[h.bit>>3]
		*(*[8]bool)(null) = zeroBits[x]
		ones += bits.OnesCount8(x)
		h.bit += 8
	}
	for len(null) > 0 {
		one()
	}
	return ones
}

// zeroBits lists, for each byte, which of its bits are 0, lowest bit first.
var zeroBits = func() (all [256][8]bool) {
	for x := range all {
		for bit := range all[x] {
			all[x][bit] = x>>bit&1 == 0
		}
	}
	return all
}()
