package pipelinetest

import (
	"encoding/binary"
	"math"

	"gsql/gpu/pipeline"
)

// Stored returns the first rows of a column whose elements are in raw, as they are in device memory:
// integers without their bias.
func Stored(c *pipeline.Column, raw []byte, rows int) (out Column) {
	if c.Kind == pipeline.Float {
		out.Floats = []float64{}
	}
	for r := range rows {
		var word [8]byte
		copy(word[:], raw[r*c.Width:(r+1)*c.Width])
		bits := binary.LittleEndian.Uint64(word[:])
		if c.Kind == pipeline.Float {
			out.Floats = append(out.Floats, math.Float64frombits(bits))
		} else {
			out.Ints = append(out.Ints, int64(bits))
		}
	}
	return out
}
