package keyenc

import (
	"math"
	"slices"

	"gsql/exec/rowhash"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Encoder computes codes in one goroutine.
type Encoder struct {
	*Encoding
	flat   vec.Vector
	words  []uint64
	dict   *vec.Vector // the dictionary whose words for the part dictOf are in entry
	dictOf *part
	entry  []uint64
}

// Plain returns the memory of a single integer key without NULLs. Its values are the codes, with
// the bits of flip inverted. ok is false for other keys.
func (c *Encoder) Plain(keys []*vec.Vector) (codes []uint64, flip uint64, ok bool) {
	p := &c.parts[0]
	if !p.full || p.kind == types.KindF64 {
		return nil, 0, false
	}
	v := keys[0].Flatten(&c.flat)
	if p.kind == types.KindI64 {
		flip = signBit
	}
	return Bits(v.I64[:v.N]), flip, v.Null == nil && v.Type.Kind() == p.kind
}

// Encode writes the codes of the key tuples to dst and marks in skip, which must be clear, the rows
// that match nothing: those with NULLs in keys that are not null-safe, with NaNs, or with values
// outside the build side's ranges. It reports whether it marked any.
func (c *Encoder) Encode(keys []*vec.Vector, dst []uint64, skip []bool) bool {
	if len(c.parts) == 1 && c.parts[0].full {
		p := &c.parts[0]
		v := keys[0].Flatten(&c.flat)
		OrderKeys(dst, v, skip)
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
	if !c.Exact {
		for i := range dst {
			dst[i] = hashSeed
		}
	}
	for i := range c.parts {
		p := &c.parts[i]
		null := c.wordsOf(p, keys[i], len(dst), skip)
		w := c.words[:len(dst)]
		switch {
		case !c.Exact:
			mixIn(dst, w)
		default:
			any = p.pack(dst, w, null, skip, i == 0) || any
		}
		if null != nil && !p.nullSafe {
			orInto(skip, null)
		}
		any = any || null != nil || p.kind == types.KindF64 || p.kind == types.KindDec || p.foreign(keys[i])
	}
	if !c.Exact && c.mask != math.MaxUint64 {
		for i := range dst {
			dst[i] &= c.mask
		}
	}
	return any
}

// wordsOf fills c.words with the part's words of v and returns the NULL flags, or nil if there
// are none. In hashes, NULL has a constant word.
func (c *Encoder) wordsOf(p *part, v *vec.Vector, n int, skip []bool) (null []bool) {
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
		if p.kind == types.KindDec && !c.Exact {
			for i, x := range v.Dec[:n] {
				w[i] = rowhash.Decimal(x, 0)
			}
		} else {
			OrderKeys(w, v, skip)
			p.convert(w, v, skip)
		}
	}
	if null != nil && !c.Exact {
		for i, isNull := range null[:n] {
			if isNull {
				w[i] = 0
			}
		}
	}
	return null
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

// stringWords writes the words of strings. If v is a view of a dictionary, it computes them once
// per entry.
func (c *Encoder) stringWords(p *part, w []uint64, v *vec.Vector) (null []bool) {
	if v.Form == vec.View && (v.Base.Dict || v.Base.N <= v.N/2) {
		return c.entryWords(p, w, v)
	}
	v = v.Flatten(&c.flat)
	c.textWords(p, w, v.Str[:len(w)])
	return v.Null
}

// textWords writes the numbers of texts for exact codes, and hashes otherwise.
func (c *Encoder) textWords(p *part, w []uint64, texts []string) {
	if c.Exact {
		p.texts.Of(w, texts)
		return
	}
	for i, s := range texts {
		w[i] = rowhash.String(s, 0)
	}
}

// entryWords writes the words of a view, which it takes from those of its base.
func (c *Encoder) entryWords(p *part, w []uint64, v *vec.Vector) (null []bool) {
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
