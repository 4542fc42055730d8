package files

import (
	"encoding/binary"
	"errors"
)

var errShort = errors.New("a page ends before its values do")

// hybrid decodes Parquet's mix of run-length and bit-packed integers, as levels and
// dictionary codes are stored. Eight readable bytes must follow data.
type hybrid struct {
	data  []byte
	pos   int
	width uint // bits, 0..32

	left   int // values left in the current run
	packed bool
	value  int32 // of a run-length run
	bit    int   // next bit of a bit-packed run
}

func newHybrid(data []byte, width int) (hybrid, error) {
	if width < 0 || width > 32 {
		return hybrid{}, errors.New("a bit width is out of range")
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
	// The last run may be cut short of its padding.
	h.left, h.packed, h.bit = int(head>>1)*8, true, h.pos*8
	if avail := (len(h.data) - h.pos) * 8; h.width > 0 && h.left > avail/int(h.width) {
		h.left = avail / int(h.width)
	}
	if h.left == 0 {
		return errShort
	}
	return nil
}

// constant takes n values when the current run repeats v at least that often.
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

func (h *hybrid) read(dst []int32) error {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.run(); err != nil {
				return err
			}
		}
		n := min(h.left, len(dst))
		if h.packed {
			h.unpack(dst[:n])
		} else {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

func (h *hybrid) unpack(dst []int32) {
	data := h.data[:len(h.data)+padding]
	bit, width, mask := uint(h.bit), h.width, uint64(1)<<h.width-1
	if width <= 14 { // with the bits before them four values are in a word
		for len(dst) >= 4 {
			word := binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7)
			dst[0] = int32(word & mask)
			dst[1] = int32(word >> (width & 63) & mask)
			dst[2] = int32(word >> (2 * width & 63) & mask)
			dst[3] = int32(word >> (3 * width & 63) & mask)
			dst = dst[4:]
			bit += 4 * width
		}
	}
	for i := range dst {
		word := binary.LittleEndian.Uint64(data[bit>>3:])
		dst[i] = int32(word >> (bit & 7) & mask)
		bit += width
	}
	h.bit = int(bit)
}
