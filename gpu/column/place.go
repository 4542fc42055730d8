package column

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Placer writes vectors of a column to memory in the form of a Narrow whose bounds are known beforehand, so that
// rows need not be read twice. It must be used by one goroutine only.
type Placer struct {
	packer *Packer
	form   Narrow
}

// NewPlacer returns a placer for a column of type t, which must be Narrowable and no text.
func NewPlacer(t types.Type, form Narrow) *Placer {
	return &Placer{packer: NewPacker(t, nil, nil), form: form}
}

// Place writes the rows of v, which must have at least one, from row at on of values and of valid, whose bits
// there are 0. valid may be nil if the form has no NULLs. The error is ErrRange if a value is outside the
// form's bounds.
func (p *Placer) Place(values []byte, valid []byte, at int, v *vec.Vector) error {
	part := Part{Rows: v.N, Bounds: None}
	src, err := p.packer.integers(v, &part)
	if err != nil {
		return err
	}
	var bits []uint64
	if part.Nulls > 0 {
		bits = p.packer.valid
	}
	f := &p.form
	switch {
	case bits != nil && f.Valid == 0, !f.Float && !part.Bounds.Empty() && (part.Bounds.Min < f.Min || part.Bounds.Max > f.Max):
		return ErrRange
	case f.Valid != 0:
		layBits(whole[uint64](valid), at, bits, 0, v.N)
	}
	switch f.Width {
	case 1:
		place(whole[uint8](values)[at:], src, f.Bias, v.N, bits)
	case 2:
		place(whole[uint16](values)[at:], src, f.Bias, v.N, bits)
	case 4:
		place(whole[uint32](values)[at:], src, f.Bias, v.N, bits)
	default:
		place(whole[uint64](values)[at:], src, f.Bias, v.N, bits)
	}
	return nil
}

// place stores n numbers minus the bias; src is empty if all are NULL, which are stored as 0.
func place[D unsigned](dst []D, src []int64, bias int64, n int, bits []uint64) {
	dst = dst[:n]
	if len(src) == 0 {
		clear(dst)
		return
	}
	packAs(dst, src, bias)
	if bits == nil {
		return
	}
	for i := range dst {
		dst[i] &= -D(bits[i/64] >> (i % 64) & 1)
	}
}
