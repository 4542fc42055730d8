package column

import (
	"unsafe"

	"gsql/internal/simd"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Part holds some rows of a column on the host, in as few bytes as their bounds allow. Layout
// combines consecutive parts into one Narrow column.
type Part struct {
	Rows  int
	Nulls int
	// Width is 0 if all values are Bias, else as for a Narrow.
	Width int
	Bias  int64
	// Bounds are those of the values, or of the codes, that are not NULL. Doubles have none.
	Bounds Bounds
	data   []uint64 // Rows numbers of Width bytes; those of NULL rows are arbitrary
	valid  []uint64 // a bit for each row; nil if none is NULL
}

// Room provides a Packer with n words of memory with arbitrary contents. They stay allocated until
// the parts are laid out.
type Room func(n int) ([]uint64, error)

// Packer makes parts from the vectors of a column. It must be used by one goroutine only.
type Packer struct {
	Texts   *Texts // of a text column, else nil
	float   bool
	room    Room
	scratch []int64
	valid   []uint64
	zero    []int32 // the index of a constant vector's rows
}

// NewPacker returns a packer for a column of type t, which must be Narrowable. reserve is called
// with the bytes that texts take.
func NewPacker(t types.Type, room Room, reserve func(bytes int64) error) *Packer {
	p := &Packer{float: t.Kind() == types.KindF64, room: room}
	if t.Kind() == types.KindStr {
		p.Texts = newTexts(reserve)
	}
	return p
}

// Pack packs the rows of v, which must have at least one. It keeps no reference to v, except to a
// dictionary. The error is a Refusal if values are too wide.
func (p *Packer) Pack(v *vec.Vector) (Part, error) {
	part := Part{Rows: v.N, Bounds: None}
	src, bits, err := p.integers(v, &part)
	if err != nil {
		return part, err
	}
	if !p.float && len(src) > 0 {
		part.Bounds = measure(src, bits)
	}
	if part.Nulls > 0 {
		if part.valid, err = p.room((v.N + 63) / 64); err != nil {
			return part, err
		}
		copy(part.valid, bits)
	}
	if p.float && part.Nulls < v.N {
		part.Width = 8
		if part.data, err = p.room(v.N); err == nil {
			copy(numbers64(part.data, v.N), src)
		}
		return part, err
	}
	if part.Bounds.Empty() {
		return part, nil
	}
	if v.Type.Kind() == types.KindU64 && part.Bounds.Min < 0 {
		return part, beyondInt64
	}
	if part.Bounds.Min == part.Bounds.Max {
		part.Bias = part.Bounds.Min
		return part, nil
	}
	part.Width, part.Bias = Fit(part.Bounds.Min, part.Bounds.Max)
	if part.data, err = p.room((v.N*part.Width + 7) / 8); err != nil {
		return part, err
	}
	pack(part.data, part.Width, src, part.Bias)
	return part, nil
}

// integers returns the rows of v as integers, those of doubles as their bits, with arbitrary ones for NULL, or no
// rows if all are NULL. It sets the part's Nulls. If there are any, valid has a bit for each row.
func (p *Packer) integers(v *vec.Vector, part *Part) (src []int64, valid []uint64, err error) {
	base, idx := v, []int32(nil)
	if v.Form == vec.View {
		base, idx = v.Base, v.Idx[:v.N]
	}
	if v.Form == vec.Const {
		p.zero = sized(p.zero, v.N)
		idx = p.zero
	}
	p.flags(base.Null, idx, v.N, part)
	if part.Nulls > 0 {
		valid = p.valid
	}
	if part.Nulls == v.N {
		return nil, valid, nil
	}
	p.scratch = sized(p.scratch, v.N)
	src = p.scratch
	switch kind := v.Type.Kind(); {
	case kind == types.KindStr:
		if err := p.Texts.codes(src, base, idx); err != nil {
			return nil, nil, err
		}
	case kind == types.KindDec && !base.Narrow:
		if !decimals(src, base.Dec, base.Null, idx) {
			return nil, nil, tooManyDigits
		}
	case kind == types.KindF64:
		src = rows(src, bitsOf(base.F64), idx)
	case kind == types.KindNull:
		return nil, nil, sqlerr.Internal("%s packed", v.Type)
	default:
		src = rows(src, base.I64, idx)
	}
	return src[:v.N], valid, nil
}

// flags counts the NULLs and writes p.valid if there are any.
func (p *Packer) flags(null []bool, idx []int32, n int, part *Part) {
	if null == nil && !negative(idx) {
		return
	}
	p.valid = sized(p.valid, (n+63)/64)
	clear(p.valid)
	nulls := n
	for i := range n {
		row := i
		if idx != nil {
			row = int(idx[i])
		}
		if row >= 0 && (null == nil || !null[row]) {
			p.valid[i/64] |= 1 << (i % 64)
			nulls--
		}
	}
	part.Nulls = nulls
}

func negative(idx []int32) bool {
	any, done := simd.AnyNegative(idx)
	var signs int32
	for _, x := range idx[done:] {
		signs |= x
	}
	return any || signs < 0
}

// rows returns the rows idx of src in dst, or src itself if idx is nil.
func rows(dst, src []int64, idx []int32) []int64 {
	if idx == nil {
		return src
	}
	dst = dst[:len(idx)]
	for i, row := range idx {
		if row >= 0 {
			dst[i] = src[row]
		} else {
			dst[i] = 0
		}
	}
	return dst
}

// measure returns the bounds of the values, of those whose bit is set if there are bits.
func measure(src []int64, bits []uint64) Bounds {
	b := None
	if bits == nil {
		lo, hi, _, done := simd.Extent(src)
		if done > 0 {
			b = Bounds{lo, hi}
		}
		for _, x := range src[done:] {
			b = Bounds{min(b.Min, x), max(b.Max, x)}
		}
		return b
	}
	for i, x := range src {
		if bits[i/64]>>(i%64)&1 != 0 {
			b = Bounds{min(b.Min, x), max(b.Max, x)}
		}
	}
	return b
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// pack stores the numbers minus the bias.
func pack(dst []uint64, width int, src []int64, bias int64) {
	switch width {
	case 1:
		packAs(words[uint8](dst, len(src)), src, bias)
	case 2:
		packAs(words[uint16](dst, len(src)), src, bias)
	case 4:
		packAs(words[uint32](dst, len(src)), src, bias)
	default: // Fit biases no numbers of 8 bytes
		copy(numbers64(dst, len(src)), src)
	}
}

// packAs stores numbers of fewer than 64 bits minus the bias.
func packAs[D uint8 | uint16 | uint32](dst []D, src []int64, bias int64) {
	dst = dst[:len(src)]
	for i := simd.Narrow(dst, src, bias); i < len(src); i++ {
		dst[i] = D(src[i] - bias)
	}
}

// unsigned is a type of stored numbers.
type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// words views words as n numbers.
func words[T unsigned](w []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(w))), n)
}

func numbers64(w []uint64, n int) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(w))), n)
}

func bitsOf(f []float64) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(f))), len(f))
}
