package storage

import (
	"cmp"
	"hash/maphash"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/axiomhq/hyperloglog"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// zone summarises a run of one column's rows: what pruning and statistics need.
type zone struct {
	rows, nulls int
	min, max    *catalog.Datum // bounds of the values, nil when all are NULL
	sorted      bool           // NULLs first, then ascending
	text        int64          // string bytes
	sketch      *hyperloglog.Sketch
}

// sketchPrecision gives sketches of 4 KB with a standard error of 1.6 %.
const sketchPrecision = 12

func newSketch() *hyperloglog.Sketch {
	s, err := hyperloglog.NewSketch(sketchPrecision, false)
	if err != nil {
		panic(err) // the precision is a constant within range
	}
	return s
}

var hashSeed = maphash.MakeSeed()

// makeZone summarises the flat vector v. dict, when not nil, holds v's rows as a view
// over their distinct values, which saves hashing and comparing each row. The sketch is left out unless wanted.
func makeZone(v, dict *vec.Vector, sketch bool) zone {
	z := zone{rows: v.N}
	if sketch {
		z.sketch = newSketch()
	}
	for _, x := range v.Null {
		if x {
			z.nulls++
		}
	}
	if v.Type.ID == types.Null {
		z.nulls = v.N
	}
	z.summarise(v, dict)
	return z
}

func (z *zone) summarise(v, dict *vec.Vector) {
	switch v.Type.Kind() {
	case types.KindI64:
		summariseValues(z, v, v.I64[:v.N], cmp.Compare[int64], hashInt, func(x int64) catalog.Datum { return catalog.Datum{Type: v.Type, I64: x} })
	case types.KindU64:
		summariseValues(z, v, v.I64[:v.N], compareUnsigned, hashInt, func(x int64) catalog.Datum { return catalog.Datum{Type: v.Type, I64: x} })
	case types.KindF64:
		summariseValues(z, v, v.F64[:v.N], cmp.Compare[float64], hashFloat, func(x float64) catalog.Datum { return catalog.Datum{Type: v.Type, F64: x} })
	case types.KindDec:
		summariseValues(z, v, v.Dec[:v.N], decimal128.Num.Cmp, hashDecimal, func(x decimal128.Num) catalog.Datum { return catalog.Datum{Type: v.Type, Dec: x} })
	case types.KindStr:
		for i, s := range v.Str[:v.N] {
			if v.Null == nil || !v.Null[i] {
				z.text += int64(len(s))
			}
		}
		datum := func(s string) catalog.Datum { return catalog.Datum{Type: v.Type, Str: strings.Clone(s)} }
		if dict == nil {
			summariseValues(z, v, v.Str[:v.N], strings.Compare, hashString, datum)
			return
		}
		summariseValues(z, dict.Base, dict.Base.Str, strings.Compare, hashString, datum)
		z.sorted = z.sorted && dictionarySorted(dict.Idx)
	}
}

// dictionarySorted tells whether codes given in order of appearance never go back, and
// NULLs come first: with an ascending dictionary the rows are ascending then.
func dictionarySorted(codes []int32) bool {
	last := int32(-1)
	for _, c := range codes {
		if c < last {
			return false
		}
		last = c
	}
	return true
}

// summariseValues finds bounds, order and the sketch of v's values xs.
func summariseValues[T any](z *zone, v *vec.Vector, xs []T, compare func(a, b T) int, hash func(T) uint64, datum func(T) catalog.Datum) {
	z.sorted = true
	var lo, hi, last T
	seen := false
	for i, x := range xs {
		if v.Null != nil && v.Null[i] {
			z.sorted = z.sorted && !seen
			continue
		}
		c := -1
		if seen {
			c = compare(x, last)
		}
		switch {
		case !seen:
			lo, hi, seen = x, x, true
		case c == 0:
			continue
		case c < 0:
			z.sorted = false
			if compare(x, lo) < 0 {
				lo = x
			}
		case compare(x, hi) > 0:
			hi = x
		}
		if z.sketch != nil {
			z.sketch.InsertHash(hash(x))
		}
		last = x
	}
	if seen {
		a, b := datum(lo), datum(hi)
		z.min, z.max = &a, &b
	}
}

func compareUnsigned(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) }

// hashInt is the finaliser of MurmurHash3 (Appleby), a bijection whose bits all depend
// on all bits of x.
func hashInt(x int64) uint64 {
	h := uint64(x)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func hashFloat(x float64) uint64 { return hashInt(int64(math.Float64bits(x + 0))) } // -0 is 0

func hashDecimal(x decimal128.Num) uint64 {
	return hashInt(int64(hashInt(x.HighBits())) ^ int64(x.LowBits()))
}

func hashString(s string) uint64 { return maphash.String(hashSeed, s) }

// excludes is true when no row of the zone can lie within r.
func (z *zone) excludes(r *catalog.Range) bool {
	if z.min == nil {
		return true
	}
	return r.Lo != nil && comparable(r.Lo, z.max) && z.max.Compare(*r.Lo) < 0 ||
		r.Hi != nil && comparable(r.Hi, z.min) && z.min.Compare(*r.Hi) > 0
}

// comparable is true of non-NULL values that Datum.Compare may order.
func comparable(a, b *catalog.Datum) bool {
	return !a.Null && a.Type.Kind() == b.Type.Kind() && a.Type.Scale == b.Type.Scale
}
