package stats

import (
	"hash/maphash"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// Zone summarises a run of one column's rows for pruning and statistics.
type Zone struct {
	Rows, Nulls int
	Min, Max    *catalog.Datum // bounds of the values, nil if all are NULL
	Sorted      bool           // NULLs first, then ascending
	Text        int64          // bytes of strings
	Sketch      *Sketch        // never changed; may count more than the rows
}

var hashSeed = maphash.MakeSeed()

// HashString hashes a text. The hash differs between processes, so that nobody can prepare texts
// whose hashes are equal.
func HashString(s string) uint64 { return maphash.String(hashSeed, s) }

// Of summarises the flat vector v, optionally with a sketch.
func Of(v *vec.Vector, sketched bool) Zone {
	s := NewAccumulator(v.Type)
	if sketched {
		s.Count()
	}
	s.Add(v)
	return s.Zone()
}

// OfCodes summarises a view of distinct values in order of appearance, based on its codes.
func OfCodes(view *vec.Vector) Zone {
	z := Of(view.Base, true)
	z.Rows, z.Nulls, z.Text = view.N, 0, 0
	last := int32(-1)
	for _, c := range view.Idx {
		if c < 0 {
			z.Nulls++
		} else {
			z.Text += int64(len(view.Base.Str[c]))
		}
		z.Sorted = z.Sorted && c >= last
		last = c
	}
	return z
}

// Excludes reports whether no row of the zone can satisfy r.
func (z *Zone) Excludes(r *catalog.Range) bool {
	if z.Min == nil {
		return true
	}
	return r.Lo != nil && Comparable(r.Lo, z.Max) && z.Max.Compare(*r.Lo) < 0 ||
		r.Hi != nil && Comparable(r.Hi, z.Min) && z.Min.Compare(*r.Hi) > 0
}

// Comparable reports whether Datum.Compare orders a and b. b must not be NULL.
func Comparable(a, b *catalog.Datum) bool {
	return !a.Null && a.Type.Kind() == b.Type.Kind() && a.Type.Scale == b.Type.Scale
}

// Add extends z by the rows of o, which follow in table order.
func (z *Zone) Add(o *Zone) {
	z.Sorted = z.Sorted && o.Sorted && (z.Rows == z.Nulls || o.Nulls == 0) &&
		(z.Max == nil || o.Min == nil || z.Max.Compare(*o.Min) <= 0)
	z.Rows += o.Rows
	z.Nulls += o.Nulls
	z.Text += o.Text
	if o.Min != nil && (z.Min == nil || o.Min.Compare(*z.Min) < 0) {
		z.Min = o.Min
	}
	if o.Max != nil && (z.Max == nil || o.Max.Compare(*z.Max) > 0) {
		z.Max = o.Max
	}
	z.Sketch = z.Sketch.With(o.Sketch)
}
