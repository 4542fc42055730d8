package column

import (
	"sort"
	"unsafe"
)

// Layout holds the parts of a whole column in order. It is immutable.
type Layout struct {
	Narrow // without addresses
	Nulls  int64
	parts  []Part
	starts []int64    // first row of each part
	codes  [][]uint32 // codes, by the numbers of each part's texts; nil for other columns
}

// NewLayout describes a column of parts. For a text column, texts has each part's codes by the
// numbers of its Texts; for others it is nil.
func NewLayout(float bool, parts []Part, d *Dictionary, codes [][]uint32) *Layout {
	l := &Layout{parts: parts, codes: codes, starts: make([]int64, len(parts))}
	b := None
	for i := range parts {
		l.starts[i] = l.Rows
		l.Rows += int64(parts[i].Rows)
		l.Nulls += int64(parts[i].Nulls)
		b = b.With(parts[i].Bounds)
	}
	l.Float, l.Texts, l.Width = float, d, 8
	if d != nil {
		b = None
		if len(d.Texts) > 0 {
			b = Bounds{0, int64(len(d.Texts)) - 1}
		}
	}
	if b.Empty() {
		b = Bounds{}
	}
	if !float {
		l.Min, l.Max = b.Min, b.Max
		l.Width, l.Bias = Fit(b.Min, b.Max)
	}
	return l
}

// Values fills dst, whose length is a multiple of Width bytes, with the stored numbers of the rows
// from row on. Beyond the last row they are 0.
func (l *Layout) Values(dst []byte, row int64) {
	switch l.Width {
	case 1:
		layValues(l, whole[uint8](dst), row)
	case 2:
		layValues(l, whole[uint16](dst), row)
	case 4:
		layValues(l, whole[uint32](dst), row)
	default:
		layValues(l, whole[uint64](dst), row)
	}
}

// whole views a buffer as numbers.
func whole[T unsigned](b []byte) []T {
	var zero T
	return numbers[T](b, len(b)/int(unsafe.Sizeof(zero)))
}

// at returns the number of the part that contains a row, or the number of parts if none does.
func (l *Layout) at(row int64) int {
	return sort.Search(len(l.parts), func(i int) bool { return l.starts[i]+int64(l.parts[i].Rows) > row })
}

func layValues[D unsigned](l *Layout, dst []D, row int64) {
	for i := l.at(row); i < len(l.parts) && len(dst) > 0; i++ {
		p, from := &l.parts[i], int(row-l.starts[i])
		n := min(p.Rows-from, len(dst))
		switch {
		case p.Nulls == p.Rows:
			clear(dst[:n])
		case l.codes != nil:
			layCodes(dst[:n], p, from, l.codes[i])
		default:
			layPart(dst[:n], p, from, uint64(p.Bias)-uint64(l.Bias))
		}
		if p.Nulls > 0 {
			for k := range dst[:n] {
				bit := p.valid[(from+k)/64] >> ((from + k) % 64) & 1
				dst[k] &= -D(bit)
			}
		}
		dst, row = dst[n:], row+int64(n)
	}
	clear(dst)
}

func layPart[D unsigned](dst []D, p *Part, from int, add uint64) {
	switch p.Width {
	case 0:
		for i := range dst {
			dst[i] = D(add)
		}
	case 1:
		shift(dst, words[uint8](p.data, p.Rows)[from:], add)
	case 2:
		shift(dst, words[uint16](p.data, p.Rows)[from:], add)
	case 4:
		shift(dst, words[uint32](p.data, p.Rows)[from:], add)
	default:
		shift(dst, words[uint64](p.data, p.Rows)[from:], add)
	}
}

// shift stores numbers with a different bias.
func shift[D, S unsigned](dst []D, src []S, add uint64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = D(uint64(src[i]) + add)
	}
}

func layCodes[D unsigned](dst []D, p *Part, from int, codes []uint32) {
	codes = codes[p.Bias:]
	switch p.Width {
	case 0:
		for i := range dst {
			dst[i] = D(codes[0])
		}
	case 1:
		look(dst, words[uint8](p.data, p.Rows)[from:], codes)
	case 2:
		look(dst, words[uint16](p.data, p.Rows)[from:], codes)
	default:
		look(dst, words[uint32](p.data, p.Rows)[from:], codes)
	}
}

// look stores the codes of numbers. The numbers of NULL rows may be out of range.
func look[D, S unsigned](dst []D, src []S, codes []uint32) {
	src = src[:len(dst)]
	for i := range dst {
		if x := uint64(src[i]); x < uint64(len(codes)) {
			dst[i] = D(codes[x])
		}
	}
}

// ValidBits fills dst, whose length is a multiple of 8 bytes, with the bits of the rows from row
// on, a multiple of 64. Beyond the last row they are 0.
func (l *Layout) ValidBits(dst []byte, row int64) {
	out := whole[uint64](dst)
	clear(out)
	at, most := 0, len(out)*64
	for i := l.at(row); i < len(l.parts) && at < most; i++ {
		p, from := &l.parts[i], int(row-l.starts[i])
		n := min(p.Rows-from, most-at)
		layBits(out, at, p.valid, from, n)
		at, row = at+n, row+int64(n)
	}
}

// layBits sets n bits, which were 0, from at on to those of valid from a position on, or to 1 if
// valid is nil.
func layBits(out []uint64, at int, valid []uint64, from, n int) {
	for n > 0 {
		// As many bits as are in one word of both sides.
		k := min(n, 64-at%64, 64-from%64)
		word := ^uint64(0)
		if valid != nil {
			word = valid[from/64] >> (from % 64)
		}
		out[at/64] |= word & (^uint64(0) >> (64 - k)) << (at % 64)
		at, from, n = at+k, from+k, n-k
	}
}
