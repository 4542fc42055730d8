package format

import (
	"math"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ColumnSample collects the values of a column in a sample. The zero value has none.
type ColumnSample struct {
	counts map[catalog.Datum]int64
	nulls  int64
	bytes  int64
	lo, hi *catalog.Datum
}

// Add adds the values of a batch.
func (c *ColumnSample) Add(v *vec.Vector) {
	if c.counts == nil {
		c.counts = make(map[catalog.Datum]int64)
	}
	for i := range v.N {
		d := catalog.DatumAt(v, i)
		if d.Null {
			c.nulls++
			continue
		}
		c.bytes += int64(len(d.Str))
		if c.counts[d]++; c.counts[d] > 1 {
			continue
		}
		if c.lo == nil {
			c.lo, c.hi = &d, &d
		}
		c.lo, c.hi = Lesser(c.lo, &d), Greater(c.hi, &d)
	}
}

// Describe scales the sample of seen rows to rows. The number of distinct values follows the
// guaranteed-error estimator of Charikar et al. (Towards Estimation Error Guarantees for Distinct
// Values, PODS 2000): each value that occurs once stands for sqrt(rows/seen) values.
func (c *ColumnSample) Describe(seen, rows int64) catalog.ColumnStats {
	s := catalog.ColumnStats{Min: c.lo, Max: c.hi, Nulls: c.nulls}
	values := seen - c.nulls
	if seen == 0 || values == 0 {
		return s
	}
	once := 0
	for _, n := range c.counts {
		if n == 1 {
			once++
		}
	}
	scale := float64(rows) / float64(seen)
	ndv := float64(len(c.counts)) + (math.Sqrt(scale)-1)*float64(once)
	if float64(once) > 0.95*float64(values) { // apparently a key
		ndv = float64(len(c.counts)) * scale
	}
	s.NDV = int64(ndv)
	s.Nulls = int64(float64(c.nulls) * scale)
	if c.lo.Type.Kind() == types.KindStr {
		s.AvgLen = float64(c.bytes) / float64(values)
	}
	return s
}
