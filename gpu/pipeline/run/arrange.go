package run

import (
	"encoding/binary"

	"gsql/internal/mem"
)

// Arrange makes the rows those of the given numbers, in this order. The memory of the old ones is freed.
func (r *Rows) Arrange(acct *mem.Account, numbers []int32) error {
	var held mem.Buffers
	columns := make([]Column, len(r.Columns))
	for i, c := range r.Columns {
		b, err := mem.Scratch[byte](acct, len(numbers)*c.Width)
		if err != nil {
			held.Free()
			return err
		}
		held.Add(b)
		gather(b.S, c.Bytes, numbers, c.Width)
		columns[i] = Column{Width: c.Width, Bytes: b.S}
	}
	r.held.Free()
	r.Count, r.Columns, r.held = len(numbers), columns, held
	return nil
}

// gather copies elements of a width.
func gather(to, from []byte, numbers []int32, width int) {
	switch width {
	case 4:
		for i, n := range numbers {
			binary.LittleEndian.PutUint32(to[4*i:], binary.LittleEndian.Uint32(from[4*int(n):]))
		}
	case 8:
		for i, n := range numbers {
			binary.LittleEndian.PutUint64(to[8*i:], binary.LittleEndian.Uint64(from[8*int(n):]))
		}
	default:
		for i, n := range numbers {
			copy(to[i*width:(i+1)*width], from[int(n)*width:])
		}
	}
}
