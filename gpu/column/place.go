package column

import (
	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
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

// placeRows is the number of rows that Place measures and stores at once: 16 KB, which stay in the L1 cache in between.
// It is a multiple of 64.
const placeRows = 2048

// Place writes the rows of v, which must have at least one, from row at on of values and of valid, whose bits
// there are 0. valid may be nil if the form has no NULLs. The error is ErrRange if a value is outside the
// form's bounds.
func (p *Placer) Place(values []byte, valid []byte, at int, v *vec.Vector) error {
	part := Part{Rows: v.N}
	src, bits, err := p.packer.integers(v, &part)
	if err != nil {
		return err
	}
	f := &p.form
	switch {
	case bits != nil && f.Valid == 0:
		return ErrRange
	case f.Valid != 0:
		layBits(whole[uint64](valid), at, bits, 0, v.N)
	}
	dst := values[at*f.Width:][:v.N*f.Width]
	if len(src) == 0 { // all are NULL
		clear(dst)
		return nil
	}
	for from := 0; from < len(src); from += placeRows {
		to := min(from+placeRows, len(src))
		var some []uint64
		if bits != nil {
			some = bits[from/64:]
		}
		if !f.Float {
			if b := measure(src[from:to], some); !b.Empty() && (b.Min < f.Min || b.Max > f.Max) {
				return ErrRange
			}
		}
		f.store(dst[from*f.Width:to*f.Width], src[from:to], some)
	}
	return nil
}

// PlaceStored is Place for values as tables store them.
func (p *Placer) PlaceStored(values []byte, valid []byte, at int, v catalog.Stored) error {
	switch {
	case v.I8 != nil:
		return placeStored(&p.form, values, valid, at, v.I8)
	case v.I16 != nil:
		return placeStored(&p.form, values, valid, at, v.I16)
	default:
		return placeStored(&p.form, values, valid, at, v.I32)
	}
}

func placeStored[S int8 | int16 | int32](f *Narrow, values, valid []byte, at int, src []S) error {
	if f.Valid != 0 {
		layBits(whole[uint64](valid), at, nil, 0, len(src))
	}
	dst := values[at*f.Width:][:len(src)*f.Width]
	var lo, hi S
	switch f.Width {
	case 1:
		lo, hi = rebase(dst, src, f.Bias)
	case 2:
		lo, hi = rebase(whole[uint16](dst), src, f.Bias)
	case 4:
		lo, hi = rebase(whole[uint32](dst), src, f.Bias)
	default:
		return sqlerr.Internal("%d bytes for each number of at most 4", f.Width)
	}
	if int64(lo) < f.Min || int64(hi) > f.Max {
		return ErrRange
	}
	return nil
}

// rebase stores numbers minus the bias, and returns their bounds.
func rebase[D uint8 | uint16 | uint32, S int8 | int16 | int32](dst []D, src []S, bias int64) (lo, hi S) {
	lo, hi, done := simd.Rebase(dst, src, bias)
	if done == 0 {
		lo, hi = src[0], src[0]
	}
	for i, x := range src[done:] {
		lo, hi = min(lo, x), max(hi, x)
		dst[done+i] = D(int64(x) - bias)
	}
	return lo, hi
}

// store stores numbers, and 0 for those whose bit is 0 if there are bits.
func (f *Narrow) store(dst []byte, src []int64, bits []uint64) {
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
		copy(numbers[int64](dst, len(src)), src)
		zeroNulls(whole[uint64](dst), bits)
	}
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
