package segment

import (
	"math/bits"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/conform"
	"gsql/storage/stats"
)

// A string column gets a dictionary if a segment has at least dictMinRows rows and at most one
// distinct value per dictRatio rows. A writer abandons codes early if more than half of the first
// dictMinRows to dictProbe rows are distinct.
const (
	dictMinRows = 1024
	dictRatio   = 8
	dictProbe   = 4096
)

// Encoder is a dictionary encoder: it numbers the distinct strings that a writer adds to a
// column, as long as there are few of them.
type Encoder struct {
	limit  int // largest number of distinct values for which codes pay
	rows   int
	Off    bool
	values []string // copies, in order of appearance
	hashes []uint64 // of values
	slots  []int32  // open addressing: number of a value plus 1, or 0 if empty
	text   int64    // bytes of values

	base *vec.Vector // the last foreign dictionary
	here []int32     // codes for the values of base, -1 if unknown
}

// maxForeign is the size of the largest dictionary whose codes are translated through an array.
const maxForeign = 1 << 18

// NewEncoders returns encoders for the string columns of segments of the given number of rows;
// the entries of other columns are nil.
func NewEncoders(schema *catalog.Schema, rows int) []*Encoder {
	out := make([]*Encoder, len(schema.Columns))
	for i := range out {
		if schema.Columns[i].Type.Kind() == types.KindStr {
			out[i] = NewEncoder(rows)
		}
	}
	return out
}

// NewEncoder returns an encoder for one column of segments of the given number of rows.
func NewEncoder(rows int) *Encoder {
	return &Encoder{limit: rows / dictRatio, Off: rows < dictMinRows}
}

// Full reports whether an encoder should be replaced by a new one.
func (c *Encoder) Full() bool { return len(c.values) > c.limit }

// number returns the code of s. It copies s if it is new.
func (c *Encoder) number(s string) int32 {
	if 2*(len(c.values)+1) > len(c.slots) {
		c.rehash()
	}
	h := stats.HashString(s)
	mask := uint64(len(c.slots) - 1)
	at := h & mask
	for ; c.slots[at] != 0; at = (at + 1) & mask {
		if i := c.slots[at] - 1; c.hashes[i] == h && c.values[i] == s {
			return i
		}
	}
	c.values, c.hashes = append(c.values, strings.Clone(s)), append(c.hashes, h)
	c.slots[at] = int32(len(c.values))
	c.text += int64(len(s))
	return int32(len(c.values)) - 1
}

func (c *Encoder) rehash() {
	c.slots = make([]int32, 1<<bits.Len(uint(4*len(c.values)+63)))
	mask := uint64(len(c.slots) - 1)
	for i, h := range c.hashes {
		at := h & mask
		for c.slots[at] != 0 {
			at = (at + 1) & mask
		}
		c.slots[at] = int32(i + 1)
	}
}

// Translates reports whether the rows of v can be encoded by translating the codes of v: whether
// it is a view of an immutable vector.
func (c *Encoder) Translates(v *vec.Vector) bool {
	return v.Form == vec.View && v.Type.Kind() == types.KindStr && (v.Base.Dict || v.Base.Fixed) && v.Base.N <= maxForeign
}

// foreign sets the dictionary whose codes are translated.
func (c *Encoder) foreign(base *vec.Vector) {
	if c.base == base {
		return
	}
	c.base = base
	if cap(c.here) < base.N {
		c.here = make([]int32, base.N)
	}
	c.here = c.here[:base.N]
	for i := range c.here {
		c.here[i] = -1
	}
}

// crowded reports whether the column has too many distinct values for codes to pay. It is called
// after the rows of a batch.
func (c *Encoder) crowded() bool {
	n := len(c.values)
	return n > c.limit && n*dictRatio > c.rows || c.rows >= dictMinRows && c.rows < dictProbe && 2*n > c.rows
}

// AddCoded appends the values of a flat vector. It stores strings as codes of c as long as codes
// pay.
func (k *ChunkColumn) AddCoded(v *vec.Vector, c *Encoder) error {
	if c == nil || !k.Takes(c) {
		return k.add(v)
	}
	k.addNulls(v)
	at := len(k.codes)
	for i, s := range v.Str[:v.N] {
		if v.Null != nil && v.Null[i] {
			k.codes = append(k.codes, -1)
			continue
		}
		k.codes = append(k.codes, c.number(s))
	}
	return k.keep(at, c)
}

// Takes reports whether the column's next rows can be stored as codes of c.
func (k *ChunkColumn) Takes(c *Encoder) bool { return !c.Off && (k.N == 0 || k.encoder == c) }

// keep counts the codes from index at on. It converts the codes to strings once they no longer
// pay.
func (k *ChunkColumn) keep(at int, c *Encoder) error {
	n := len(k.codes) - at
	k.N += n
	c.rows += n
	k.encoder, k.values = c, c.values
	if c.crowded() {
		*c = Encoder{Off: true}
		return k.unpack()
	}
	if c.text > MaxBytes/DefaultRows { // else they cannot fill a segment
		for _, x := range k.codes[at:] {
			if x >= 0 {
				k.text += int64(len(c.values[x]))
			}
		}
	}
	return nil
}

// AddForeign appends the rows of a view over a dictionary (see Translates) as codes. bad is the
// first row whose string the column's type does not allow, or -1.
func (k *ChunkColumn) AddForeign(v *vec.Vector, c *Encoder) (bad int, err error) {
	c.foreign(v.Base)
	base, at := v.Base, k.N
	for i, x := range v.Idx[:v.N] {
		if x < 0 || base.Null != nil && base.Null[x] {
			k.codes = append(k.codes, -1)
			k.null = flags(k.null, at+i+1)
			k.null[at+i] = true
			continue
		}
		code := c.here[x]
		if code < 0 {
			if conform.Longer(k.def.Type, base.Str[x]) {
				return i, nil
			}
			code = c.number(base.Str[x])
			c.here[x] = code
		}
		k.codes = append(k.codes, code)
	}
	if len(k.null) > 0 {
		k.null = flags(k.null, at+v.N)
	}
	return -1, k.keep(at, c)
}

// Footprint returns the bytes held by the encoder, or 0 if c is nil.
func (c *Encoder) Footprint() int64 {
	if c == nil {
		return 0
	}
	return c.text + int64(len(c.values))*(SlotBytes(types.KindStr)+8) + 4*int64(cap(c.slots)+cap(c.here))
}
