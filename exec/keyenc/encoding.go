package keyenc

import (
	"math"
	"math/bits"

	"gsql/internal/textradix"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Encoding maps tuples of equality keys to 64-bit codes. It is safe for concurrent use.
type Encoding struct {
	parts []part
	Exact bool   // equal codes mean equal keys
	mask  uint64 // of hashes; tests make them collide
}

// part is one key of the tuple. In exact codes its word is the value less min, plus one if zero
// means NULL, shifted left by shift bits.
type part struct {
	kind     types.Kind
	nullSafe bool
	min, max uint64 // of the build side's order keys
	shift    uint
	full     bool               // the range takes all 64 bits
	texts    *textradix.Numbers // the numbers of strings in exact codes
}

// Hashes of several words start with hashSeed and are multiplied by hashFactor.
const (
	hashSeed   = 0x9e3779b97f4a7c15
	hashFactor = 0xd6e8feb86659fd93
)

// isWord reports whether every value has an order key.
func (p *part) isWord() bool {
	return p.kind == types.KindI64 || p.kind == types.KindU64 || p.kind == types.KindF64
}

// signBit separates the order of signed integers from that of unsigned ones.
const signBit = 1 << 63

// hashBits masks the hashes of encodings made from now on.
var hashBits = ^uint64(0)

// MaskHashes masks the hashes of encodings made from now on. Tests use it to cause collisions.
func MaskHashes(mask uint64) { hashBits = mask }

// NewEncoding chooses the codes for the keys of a build side. The keys are flat; those with nullSafe
// set match NULL with NULL.
func NewEncoding(keys []*vec.Vector, nullSafe []bool) *Encoding {
	c := encodingOf(keys, nullSafe)
	if p := &c.parts[0]; len(keys) == 1 && !p.nullSafe && p.isWord() {
		p.full = true
		return c
	}
	_, c.Exact = c.pack(keys)
	return c
}

func encodingOf(keys []*vec.Vector, nullSafe []bool) *Encoding {
	c := &Encoding{parts: make([]part, len(keys)), Exact: true, mask: hashBits}
	for i, k := range keys {
		c.parts[i] = part{kind: k.Type.Kind(), nullSafe: nullSafe[i]}
	}
	return c
}

// pack places the parts side by side and returns their width in bits; ok is false if 64 bits do
// not suffice.
func (c *Encoding) pack(keys []*vec.Vector) (width int, ok bool) {
	for i := range c.parts {
		w, ok := c.parts[i].measure(keys[i])
		if !ok || width+w > 64 {
			return 0, false
		}
		c.parts[i].shift = uint(width)
		width += w
	}
	return width, true
}

// measure computes the range of the part's words and returns its width in bits; ok is false if
// the values do not fit in 64 bits.
func (p *part) measure(v *vec.Vector) (width int, ok bool) {
	p.min, p.max = math.MaxUint64, 0
	if p.kind == types.KindStr {
		if p.texts = numberTexts(v); p.texts == nil {
			return 0, false
		}
		p.min, p.max = 0, p.texts.Count-1
		return p.width()
	}
	var block [1024]uint64
	var skip [1024]bool
	for from := 0; from < v.N; from += len(block) {
		part := v.Slice(from, min(from+len(block), v.N))
		clear(skip[:])
		if !OrderKeys(block[:part.N], part, skip[:part.N]) {
			return 0, false
		}
		for i, w := range block[:part.N] {
			if !skip[i] && (part.Null == nil || !part.Null[i]) {
				p.min, p.max = min(p.min, w), max(p.max, w)
			}
		}
	}
	if p.min > p.max { // without values, only NULL matches
		p.min, p.max = 0, 0
	}
	return p.width()
}

// width returns the width in bits of the part's words less min; ok is false if 64 bits do not suffice.
func (p *part) width() (width int, ok bool) {
	span := p.max - p.min
	if p.nullSafe {
		if span == math.MaxUint64 {
			return 0, false
		}
		span++
	}
	return bits.Len64(span), true
}

// foreign reports whether v has signed integers and the build side unsigned ones, or vice versa.
func (p *part) foreign(v *vec.Vector) bool {
	k := v.Type.Kind()
	return p.kind == types.KindU64 && k == types.KindI64 || p.kind == types.KindI64 && k == types.KindU64
}

// convert converts the order keys of foreign values to those of the build side's type, and marks
// in skip the values that this type does not have.
func (p *part) convert(words []uint64, v *vec.Vector, skip []bool) {
	if !p.foreign(v) {
		return
	}
	outside := uint64(signBit) // the sign bit of values that only one type has
	if p.kind == types.KindI64 {
		outside = 0
	}
	for i, w := range words {
		w ^= signBit
		words[i] = w
		if w&signBit == outside && (v.Null == nil || !v.Null[i]) {
			skip[i] = true
		}
	}
}

// pack adds the part's words to the codes and reports whether it marked a row in skip.
func (p *part) pack(dst, w []uint64, null, skip []bool, first bool) (any bool) {
	plus := uint64(vec.One(p.nullSafe))
	span := p.max - p.min
	for i, x := range w {
		x -= p.min
		switch {
		case null != nil && null[i]:
			x = 0
		case x > span:
			skip[i], any = true, true
		default:
			x += plus
		}
		if first {
			dst[i] = x << p.shift
		} else {
			dst[i] |= x << p.shift
		}
	}
	return any
}
