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
	dst := values[at*f.Width:][:v.N*f.Width]
	if len(src) == 0 { // all are NULL
		clear(dst)
		return nil
	}
	switch f.Width {
	case 1:
		packAs(dst, src, f.Bias)
		zeroNulls(dst, bits)
	case 2:
		packAs(whole[uint16](dst), src, f.Bias)
		zeroNulls(whole[uint16](dst), bits)
	case 4:
		packAs(whole[uint32](dst), src, f.Bias)
		zeroNulls(whole[uint32](dst), bits)
	default: // without a bias
		copy(numbers[int64](dst, v.N), src)
		zeroNulls(whole[uint64](dst), bits)
	}
	return nil
}

// zeroNulls stores 0 for the rows whose bit is 0, if there are bits.
func zeroNulls[D unsigned](dst []D, bits []uint64) {
	if bits == nil {
		return
	}
	for i := range dst {
		dst[i] &= -D(bits[i/64] >> (i % 64) & 1)
	}
}
