package join

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"gsql/exec/rowhash"
	"gsql/internal/textradix"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// codes maps tuples of equality keys to 64-bit codes, by which all equality joins
// work. Codes are exact where the keys fit: one fixed-size key is its value in an
// order-preserving form, several, or short texts, are packed side by side when the ranges of
// the build side leave room. Otherwise the code is a hash, and pairs found by it still have to
// be compared.
type codes struct {
	parts []keyPart
	exact bool
	mask  uint64 // applied to hashes; tests make collisions with it
}

// keyPart is one key of the tuple. In exact codes its word is value-min (plus one where
// NULL, zero, is a value too), at shift.
type keyPart struct {
	kind     types.Kind
	nullSafe bool
	min, max uint64 // ordered words met in the build side
	shift    uint
	full     bool               // the whole range of 64 bits: nothing can be outside
	texts    *textradix.Numbers // the words of strings in exact codes
}

// Constants of the combination of several words: a start and an odd factor.
const (
	hashSeed   = 0x9e3779b97f4a7c15
	hashFactor = 0xd6e8feb86659fd93
)

// isWord tells whether every value is a word.
func (p *keyPart) isWord() bool {
	return p.kind == types.KindI64 || p.kind == types.KindU64 || p.kind == types.KindF64
}

// signBit tells the order of signed integers from that of unsigned ones.
const signBit = 1 << 63

// hashBits masks the hashes of codes made from now on.
var hashBits = ^uint64(0)

// newCodes decides on the codes for the keys of the build side, which are flat.
func newCodes(keys []*vec.Vector, nullSafe []bool) *codes {
	c := codesOf(keys, nullSafe)
	if p := &c.parts[0]; len(keys) == 1 && !p.nullSafe && p.isWord() {
		p.full = true
		return c
	}
	_, c.exact = c.pack(keys)
	return c
}

func codesOf(keys []*vec.Vector, nullSafe []bool) *codes {
	c := &codes{parts: make([]keyPart, len(keys)), exact: true, mask: hashBits}
	for i, k := range keys {
		c.parts[i] = keyPart{kind: k.Type.Kind(), nullSafe: nullSafe[i]}
	}
	return c
}

// pack puts the parts side by side in so many bits; ok is false when 64 do not suffice.
func (c *codes) pack(keys []*vec.Vector) (width int, ok bool) {
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

// measure finds the range of the part's words and the bits it takes; ok is false when
// it has no words of 64 bits.
func (p *keyPart) measure(v *vec.Vector) (width int, ok bool) {
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
		if !OrderedWords(block[:part.N], part, skip[:part.N]) {
			return 0, false
		}
		for i, w := range block[:part.N] {
			if !skip[i] && (part.Null == nil || !part.Null[i]) {
				p.min, p.max = min(p.min, w), max(p.max, w)
			}
		}
	}
	if p.min > p.max { // no value at all: nothing but NULL matches
		p.min, p.max = 0, 0
	}
	return p.width()
}

// width gives the bits of the part's words less min; ok is false where 64 do not suffice.
func (p *keyPart) width() (width int, ok bool) {
	span := p.max - p.min
	if p.nullSafe {
		if span == math.MaxUint64 {
			return 0, false
		}
		span++
	}
	return bits.Len64(span), true
}

// OrderedWords writes the values of v, which is flat, as words whose unsigned order is
// the values' order. It marks values in skip that equal nothing (NaN). ok is false
// when a decimal does not fit. Slots of NULLs get any word.
func OrderedWords(dst []uint64, v *vec.Vector, skip []bool) (ok bool) {
	switch v.Type.Kind() {
	case types.KindI64:
		for i, x := range v.I64[:len(dst)] {
			dst[i] = uint64(x) ^ signBit
		}
	case types.KindU64:
		for i, x := range v.I64[:len(dst)] {
			dst[i] = uint64(x)
		}
	case types.KindF64:
		for i, x := range v.F64[:len(dst)] {
			dst[i] = orderedFloat(x)
			if x != x && (v.Null == nil || !v.Null[i]) {
				skip[i] = true
			}
		}
	case types.KindDec:
		ok = true
		for i, x := range v.Dec[:len(dst)] {
			lo := x.LowBits()
			dst[i] = lo ^ signBit
			if x.HighBits() != int64(lo)>>63 && (v.Null == nil || !v.Null[i]) {
				ok, skip[i] = false, true
			}
		}
		return ok
	default:
		clear(dst)
	}
	return true
}

// orderedFloat maps -0.0 and 0.0 to one word.
func orderedFloat(x float64) uint64 {
	w := math.Float64bits(x + 0)
	if w>>63 != 0 {
		return ^w
	}
	return w | 1<<63
}

// coder encodes in one goroutine.
type coder struct {
	*codes
	flat   vec.Vector
	words  []uint64
	dict   *vec.Vector // whose entries' words as dictOf has them are in entry
	dictOf *keyPart
	entry  []uint64
}

// plain gives the codes of a key of integers without NULLs as they lie: with the bits of flip
// changed. It is false for other keys.
func (c *coder) plain(keys []*vec.Vector) (codes []uint64, flip uint64, ok bool) {
	p := &c.parts[0]
	if !p.full || p.kind == types.KindF64 {
		return nil, 0, false
	}
	v := keys[0].Flatten(&c.flat)
	if p.kind == types.KindI64 {
		flip = signBit
	}
	return wordBits(v.I64[:v.N]), flip, v.Null == nil && v.Type.Kind() == p.kind
}

// wordBits reads the bits of signed numbers as unsigned ones, signed the other way round.
func wordBits(xs []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

func signed(xs []uint64) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

// encode writes the codes of the key tuples to dst and marks in skip the rows that
// match nothing: those with NULLs in keys that are not null-safe, with NaNs, or with
// values outside of what the build side has. It tells whether it marked any. skip must
// be clear before.
func (c *coder) encode(keys []*vec.Vector, dst []uint64, skip []bool) bool {
	if len(c.parts) == 1 && c.parts[0].full {
		p := &c.parts[0]
		v := keys[0].Flatten(&c.flat)
		OrderedWords(dst, v, skip)
		p.convert(dst, v, skip)
		if v.Null != nil {
			orInto(skip, v.Null)
		}
		return v.Null != nil || p.kind == types.KindF64 || p.foreign(v)
	}
	any := false
	if len(c.words) < len(dst) {
		c.words = make([]uint64, len(dst))
	}
	if !c.exact {
		for i := range dst {
			dst[i] = hashSeed
		}
	}
	for i := range c.parts {
		p := &c.parts[i]
		null := c.wordsOf(p, keys[i], len(dst), skip)
		w := c.words[:len(dst)]
		switch {
		case !c.exact:
			mixIn(dst, w)
		default:
			any = p.pack(dst, w, null, skip, i == 0) || any
		}
		if null != nil && !p.nullSafe {
			orInto(skip, null)
		}
		any = any || null != nil || p.kind == types.KindF64 || p.kind == types.KindDec || p.foreign(keys[i])
	}
	if !c.exact && c.mask != math.MaxUint64 {
		for i := range dst {
			dst[i] &= c.mask
		}
	}
	return any
}

// wordsOf fills c.words with the part's words of v and gives the NULL flags, nil if
// there are none. In hashes the word of a NULL is a constant.
func (c *coder) wordsOf(p *keyPart, v *vec.Vector, n int, skip []bool) (null []bool) {
	w := c.words[:n]
	if v.Type.ID == types.Null {
		clear(w)
		return allTrue(n)
	}
	if p.kind == types.KindStr {
		null = c.stringWords(p, w, v)
	} else {
		v = v.Flatten(&c.flat)
		null = v.Null
		if p.kind == types.KindDec && !c.exact {
			for i, x := range v.Dec[:n] {
				w[i] = rowhash.Decimal(x, 0)
			}
		} else {
			OrderedWords(w, v, skip)
			p.convert(w, v, skip)
		}
	}
	if null != nil && !c.exact {
		for i, isNull := range null[:n] {
			if isNull {
				w[i] = 0
			}
		}
	}
	return null
}

// foreign tells whether values are signed integers where the build side has unsigned ones, or
// the other way round.
func (p *keyPart) foreign(v *vec.Vector) bool {
	k := v.Type.Kind()
	return p.kind == types.KindU64 && k == types.KindI64 || p.kind == types.KindI64 && k == types.KindU64
}

// convert makes the ordered words of foreign values those that the build side's have, and marks
// values in skip that are negative or too great for the other type.
func (p *keyPart) convert(words []uint64, v *vec.Vector, skip []bool) {
	if !p.foreign(v) {
		return
	}
	outside := uint64(signBit) // the first bit of what is no word of both types
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

// pack adds the part's words to the codes. It tells whether it marked a row.
func (p *keyPart) pack(dst, w []uint64, null, skip []bool, first bool) (any bool) {
	plus := uint64(one(p.nullSafe))
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

func mixIn(dst, w []uint64) {
	for i, x := range w[:len(dst)] {
		dst[i] = rowhash.Mix(dst[i]*hashFactor ^ x)
	}
}

func orInto(dst, src []bool) {
	for i, x := range src[:len(dst)] {
		dst[i] = dst[i] || x
	}
}

func allTrue(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// stringWords writes the words of the rows of v, of dictionaries by entry.
func (c *coder) stringWords(p *keyPart, w []uint64, v *vec.Vector) (null []bool) {
	if v.Form == vec.View && (v.Base.Dict || v.Base.N <= v.N/2) {
		return c.entryWords(p, w, v)
	}
	v = v.Flatten(&c.flat)
	c.textWords(p, w, v.Str[:len(w)])
	return v.Null
}

// textWords writes numbers of texts in exact codes, and hashes else.
func (c *coder) textWords(p *keyPart, w []uint64, texts []string) {
	if c.exact {
		p.texts.Of(w, texts)
		return
	}
	for i, s := range texts {
		w[i] = rowhash.String(s, 0)
	}
}

func (c *coder) entryWords(p *keyPart, w []uint64, v *vec.Vector) (null []bool) {
	base := v.Base
	if c.dict != base || c.dictOf != p {
		c.entry = slices.Grow(c.entry[:0], base.N)[:base.N]
		c.textWords(p, c.entry, base.Str[:base.N])
		c.dict = nil
		if base.Dict {
			c.dict, c.dictOf = base, p
		}
	}
	if v.MayHaveNulls() {
		null = make([]bool, v.N)
	}
	for i, x := range v.Idx[:len(w)] {
		if x < 0 || base.Null != nil && base.Null[x] {
			null[i] = true
			continue
		}
		w[i] = c.entry[x]
	}
	return null
}
