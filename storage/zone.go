package storage

import (
	"hash/maphash"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// zone summarises a run of one column's rows: what pruning and statistics need.
type zone struct {
	rows, nulls int
	min, max    *catalog.Datum // bounds of the values, nil when all are NULL
	sorted      bool           // NULLs first, then ascending
	text        int64          // string bytes
	sketch      *sketch        // never changed; may count more than the rows
}

var hashSeed = maphash.MakeSeed()

func hashString(s string) uint64 { return maphash.String(hashSeed, s) }

// makeZone summarises the flat vector v, with a sketch or without.
func makeZone(v *vec.Vector, sketched bool) zone {
	s := &summing{typ: v.Type}
	if sketched {
		s.sketch = newSketch()
	}
	s.add(v)
	return s.zone()
}

// makeZoneOfCodes summarises the rows of a view, codes, over its distinct values in order
// of appearance.
func makeZoneOfCodes(view *vec.Vector) zone {
	z := makeZone(view.Base, true)
	z.rows, z.nulls, z.text = view.N, 0, 0
	last := int32(-1)
	for _, c := range view.Idx {
		if c < 0 {
			z.nulls++
		} else {
			z.text += int64(len(view.Base.Str[c]))
		}
		z.sorted = z.sorted && c >= last
		last = c
	}
	return z
}

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
