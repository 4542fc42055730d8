package cost

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// distribution is the distribution of a column's non-NULL values, prepared for many queries.
type distribution struct {
	c           *Column
	lo          float64 // every value is above it
	from, share float64 // mass up to lo, and mass between lo and the highest value
	// common holds the most common values in ascending order, each with the number of rows up to
	// and including it. It is empty if the histogram includes these rows.
	common []commonUpTo
}

type commonUpTo struct{ value, rows float64 }

func (c *Column) distribution() distribution {
	d := distribution{c: c, lo: c.Lo}
	if c.Type.IsInteger() {
		d.lo--
	}
	if c.hist == nil {
		return d
	}
	d.common = make([]commonUpTo, len(c.mcv))
	for i := range c.mcv {
		d.common[i] = commonUpTo{c.mcv[i].Value.Float(), float64(c.mcv[i].Rows)}
	}
	slices.SortFunc(d.common, func(a, b commonUpTo) int { return cmp.Compare(a.value, b.value) })
	for i := 1; i < len(d.common); i++ {
		d.common[i].rows += d.common[i-1].rows
	}
	if float64(c.hist.Rows)+d.commonRows(len(d.common)) > c.base*1.05 {
		d.common = nil
	}
	d.from = d.mass(d.lo)
	d.share = d.mass(c.Hi) - d.from
	return d
}

// commonRows returns the rows of the first n of the most common values.
func (d *distribution) commonRows(n int) float64 {
	if n == 0 {
		return 0
	}
	return d.common[n-1].rows
}

// upTo returns the share of values up to x, interpolated within [Lo, Hi]. An integer represents
// the interval of length one that ends at it.
func (d *distribution) upTo(x float64) float64 {
	c := d.c
	if c.Type.IsInteger() {
		x = math.Floor(x)
	}
	if x <= d.lo {
		return 0
	}
	if x >= c.Hi || c.Hi <= d.lo {
		return 1
	}
	if d.share > 0 {
		return clamp((d.mass(x)-d.from)/d.share, 0, 1)
	}
	return (x - d.lo) / (c.Hi - d.lo)
}

// mass returns the share of the table's non-NULL rows up to x: interpolated histogram buckets,
// plus the most common values if the histogram leaves them out.
func (d *distribution) mass(x float64) float64 {
	h := histUpTo(d.c.hist, x, d.c.Type.IsInteger())
	n := len(d.common)
	if n == 0 {
		return h
	}
	rows := float64(d.c.hist.Rows)
	below := d.commonRows(sort.Search(n, func(i int) bool { return d.common[i].value > x }))
	return (h*rows + below) / max(rows+d.commonRows(n), 1)
}

// quantile inverts upTo by bisection.
func (d *distribution) quantile(f float64) float64 {
	if f <= 0 {
		return d.c.Lo
	}
	return d.search(f, d.c.Lo, d.c.Hi)
}

// search returns the point in (lo, hi] up to which the share of values is f.
func (d *distribution) search(f, lo, hi float64) float64 {
	for i := 0; i < 30 && hi > lo; i++ {
		mid := lo + (hi-lo)/2
		if d.upTo(mid) < f {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// quantiles returns the bounds of n parts of equal shares. It passes once over the histogram;
// between its bounds, apart from common values, shares grow evenly.
func (d *distribution) quantiles(n int) []float64 {
	c, bounds := d.c, d.c.hist.Bounds
	out := make([]float64, 1, n+1)
	out[0] = c.Lo
	at, piece := 0, piece{from: d.lo, to: d.lo} // bounds[at] is the first above piece.from
	for i := 1; i <= n; i++ {
		f := float64(i) / float64(n)
		for piece.above < f && piece.to < c.Hi {
			piece.from, piece.below = piece.to, piece.above
			for at < len(bounds) && bounds[at] <= piece.from {
				at++
			}
			piece.to = c.Hi
			if at < len(bounds) {
				piece.to = min(c.Hi, bounds[at])
			}
			piece.above = d.upTo(piece.to)
			piece.even = d.evenly(at, &piece)
		}
		out = append(out, d.within(f, &piece))
	}
	return out
}

// piece is the range above one histogram bound and up to the next, clipped to the column's
// bounds.
type piece struct {
	from, to     float64
	below, above float64 // shares up to from and to
	even         float64 // share up to the piece's end, excluding values equal to it
}

// evenly returns piece.even; bounds[at] is the first above piece.from.
func (d *distribution) evenly(at int, p *piece) float64 {
	b := d.c.hist.Bounds
	if at == 0 || at == len(b) || p.to != b[at] || d.share <= 0 {
		return p.above
	}
	start := b[at-1]
	if at == 1 && d.c.Type.IsInteger() {
		start--
	}
	return min(p.above, p.below+(p.to-p.from)/(p.to-start)/float64(len(b)-1)/d.share)
}

// within returns the point in a piece up to which the share of values is f.
func (d *distribution) within(f float64, p *piece) float64 {
	switch {
	case len(d.common) > 0 || d.share <= 0:
		return d.search(f, max(p.from, d.c.Lo), p.to)
	case f >= p.even || p.even <= p.below:
		return p.to
	}
	x := p.from + (p.to-p.from)*(f-p.below)/(p.even-p.below)
	if d.c.Type.IsInteger() {
		return max(d.c.Lo, min(p.to, math.Ceil(x)))
	}
	return x
}
