package run

import (
	"encoding/binary"
	"math"
)

// Ints writes the integers from row from on to dst.
func (c *Column) Ints(dst []int64, from int) {
	raw := c.Bytes[from*c.Width : (from+len(dst))*c.Width]
	switch c.Width {
	case 1:
		for i := range dst {
			dst[i] = int64(raw[i])
		}
	case 2:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	default:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	}
}

// Codes writes the integers from row from on, which have at most 31 bits, to dst.
func (c *Column) Codes(dst []int32, from int) {
	raw := c.Bytes[from*c.Width : (from+len(dst))*c.Width]
	switch c.Width {
	case 1:
		for i := range dst {
			dst[i] = int32(raw[i])
		}
	case 2:
		for i := range dst {
			dst[i] = int32(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	default:
		for i := range dst {
			dst[i] = int32(binary.LittleEndian.Uint32(raw[c.Width*i:]))
		}
	}
}

// Floats writes the doubles from row from on to dst.
func (c *Column) Floats(dst []float64, from int) {
	raw := c.Bytes[8*from:]
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
}
