package keyindex

import (
	"math"
	"slices"

	"gsql/sql/collate"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Chunk holds the keys of a stretch of rows that are entered in bulk.
type Chunk struct {
	n     int
	first int64
	ids   []int64 // of the rows, ascending; nil if they are consecutive, from first
	ints  []int64 // integer keys
	hi    []uint64
	lo    []uint64
	null  []bool
	// climbs is set if the keys are integers without NULLs, strictly ascending.
	climbs bool
}

// Chunk returns the keys of n rows of vectors in schema order, of which only the key's are used. It copies them.
func (k *Columns) Chunk(cols []*vec.Vector, n int) *Chunk {
	c := &Chunk{n: n}
	flat := make([]*vec.Vector, len(cols))
	colls := k.Collations
	if colls != nil {
		colls = slices.Clone(colls)
	}
	for j, at := range k.At {
		v := cols[at]
		if colls != nil && colls[j] != types.Bin && v.Form == vec.View && v.Base.N <= n && !hasHuge(v.Base) {
			v, colls[j] = collated(v, colls[j]), types.Bin
		}
		flat[at] = v.Flatten(nil)
	}
	c.null = k.nulls(flat, n)
	switch k.Form {
	case Integer:
		c.ints = slices.Clone(flat[k.At[0]].I64[:n])
		c.climbs = n > 0 && c.null == nil && climbs(c.ints)
	case Pair:
		c.hi, c.lo = make([]uint64, n), make([]uint64, n)
		a, b := flat[k.At[0]].I64[:n], flat[k.At[1]].I64[:n]
		for i := range a {
			p := printOfPair(uint64(a[i]), uint64(b[i]))
			c.hi[i], c.lo[i] = p.hi, p.lo
		}
	default:
		c.hi, c.lo = make([]uint64, n), make([]uint64, n)
		var buf []byte
		for i := range n {
			if c.null != nil && c.null[i] {
				continue
			}
			var p print
			if p, buf = k.print(buf[:0], flat, i, colls); k.isHuge(flat, i) {
				buf = nil
			}
			c.hi[i], c.lo[i] = p.hi, p.lo
		}
	}
	return c
}

// collated returns a view over the collation keys of the texts that v, a view, refers to.
func collated(v *vec.Vector, coll types.Collation) *vec.Vector {
	base := vec.NewFlat(v.Type, v.Base.N)
	base.Null = v.Base.Null
	for i, s := range v.Base.Str[:v.Base.N] {
		if base.Null == nil || !base.Null[i] {
			base.Str[i] = collate.Key(coll, s)
		}
	}
	out := *v
	out.Base = base
	return &out
}

func climbs(keys []int64) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i] <= keys[i-1] {
			return false
		}
	}
	return true
}

// WithFirst sets the id of the first row; those of the others follow. It returns c.
func (c *Chunk) WithFirst(id int64) *Chunk {
	c.first = id
	return c
}

// WithIDs sets the ids of the rows, which are ascending. It returns c.
func (c *Chunk) WithIDs(ids []int64) *Chunk {
	if c.first = ids[0]; ids[c.n-1]-ids[0] != int64(c.n-1) {
		c.ids = slices.Clone(ids[:c.n])
	}
	return c
}

// Bytes returns the size of c.
func (c *Chunk) Bytes() int64 {
	return int64(8*(len(c.ids)+len(c.ints)+len(c.hi)+len(c.lo)) + len(c.null))
}

// First returns the id of the first row.
func (c *Chunk) First() int64 { return c.first }

func (c *Chunk) last() int64 {
	if c.ids != nil {
		return c.ids[c.n-1]
	}
	return c.first + int64(c.n-1)
}

func (c *Chunk) id(i int) int64 {
	if c.ids != nil {
		return c.ids[i]
	}
	return c.first + int64(i)
}

// print returns the print of the key of row i, which is not NULL.
func (c *Chunk) print(i int) print {
	if c.ints != nil {
		return printOfInt(c.ints[i])
	}
	return print{c.hi[i], c.lo[i]}
}

func (c *Chunk) isNull(i int) bool { return c.null != nil && c.null[i] }

// top returns the highest integer key.
func (c *Chunk) top() int64 {
	if len(c.ints) == 0 {
		return math.MinInt64
	}
	return slices.Max(c.ints)
}
