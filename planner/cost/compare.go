package cost

import (
	"math"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// eqShare returns the share of all rows in which the column equals v.
func (c *Column) eqShare(v catalog.Datum) float64 {
	if v.Null {
		return 0
	}
	x := convert(v, c.Type)
	if m, ok := c.spread(); ok && c.wholeNumbers() {
		return m.between(x, x, false, false, true)
	}
	var common float64
	for i := range c.mcv {
		if sameValue(&c.mcv[i].Value, &v, x) {
			return min(1, float64(c.mcv[i].Rows)/max(c.base, 1))
		}
		common += float64(c.mcv[i].Rows)
	}
	if c.Bounded && (x < c.Lo || x > c.Hi) {
		return 0
	}
	rest := 1 - c.Null - common/max(c.base, 1)
	others := max(1, c.NDV-float64(len(c.mcv)))
	return clamp(rest/others, 0, (1-c.Null)/max(1, min(c.NDV, float64(len(c.mcv)+1))))
}

func sameValue(m, v *catalog.Datum, x float64) bool {
	if m.Type.Kind() == types.KindStr && v.Type.Kind() == types.KindStr {
		return m.Str == v.Str
	}
	return m.Type.Kind() != types.KindStr && m.Float() == x
}

// anyShare returns the share of rows equal to some unknown value.
func (c *Column) anyShare() float64 { return (1 - c.Null) / max(c.NDV, 1) }

// rangeShare returns the share of all rows with lo <= value <= hi. Either bound may be infinite,
// or open, which excludes the bound itself.
func (c *Column) rangeShare(lo, hi float64, loOpen, hiOpen bool) float64 {
	if lo > hi || lo == hi && (loOpen || hiOpen) {
		return 0
	}
	if m, ok := c.spread(); ok {
		return (1 - c.Null) * m.between(lo, hi, loOpen, hiOpen, c.wholeNumbers())
	}
	if !c.Bounded {
		return (1 - c.Null) * unboundedRange(lo, hi)
	}
	if hi < c.Lo || lo > c.Hi {
		return 0
	}
	share := c.upTo(hi, hiOpen) - c.upTo(lo, !loOpen)
	return (1 - c.Null) * clamp(share, 0, 1)
}

// upTo returns the share of non-NULL values below x, or up to and including x if it is not open.
func (c *Column) upTo(x float64, open bool) float64 {
	switch {
	case x < c.Lo || x == c.Lo && open:
		return 0
	case x > c.Hi || x == c.Hi && !open:
		return 1
	}
	if open && c.Type.IsInteger() {
		x = math.Ceil(x) - 1
	}
	return c.cdf(x)
}

func unboundedRange(lo, hi float64) float64 {
	if math.IsInf(lo, -1) || math.IsInf(hi, 1) {
		return defaultRange
	}
	return defaultRange * defaultRange
}

// cdf returns the share of non-NULL values up to x: see distribution.upTo.
func (c *Column) cdf(x float64) float64 {
	d := c.distribution()
	return d.upTo(x)
}

// histUpTo returns the share of a histogram's rows up to x. For whole numbers the first bucket
// includes its lower bound, as if it began one below.
func histUpTo(h *catalog.Histogram, x float64, whole bool) float64 {
	b := h.Bounds
	n := len(b) - 1
	if n < 1 || x < b[0] {
		return 0
	}
	if whole && x < b[1] {
		return (x - b[0] + 1) / (b[1] - b[0] + 1) / float64(n)
	}
	if x >= b[n] {
		return 1
	}
	lo, hi := 0, n // b[lo] <= x < b[hi]: equal bounds below x are full buckets
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; b[mid] <= x {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (float64(lo) + (x-b[lo])/(b[hi]-b[lo])) / float64(n)
}

// microsPerDay converts DATETIME values to the unit of DATE.
const microsPerDay = 86400e6

// convert maps v to the scale of a column of type t.
func convert(v catalog.Datum, t types.Type) float64 {
	x := v.Float()
	from, to := v.Type.ID, t.ID
	switch {
	case (from == types.Datetime || from == types.Timestamp) && to == types.Date:
		return x / microsPerDay
	case from == types.Date && (to == types.Datetime || to == types.Timestamp):
		return x * microsPerDay
	}
	return x
}

func clamp(x, lo, hi float64) float64 { return max(lo, min(x, hi)) }
