package plot

import (
	"math"
	"strconv"

	"gsql/sql/types"
)

// interval is the range of an axis.
type interval struct {
	lo, hi float64
	empty  bool
}

// rangeOf returns the range of all values that are numbers. It is wider than 0.
func rangeOf(lists ...[]float64) interval {
	r := interval{math.Inf(1), math.Inf(-1), true}
	for _, list := range lists {
		for _, v := range list {
			if !math.IsNaN(v) {
				r = interval{min(r.lo, v), max(r.hi, v), false}
			}
		}
	}
	if r.lo == r.hi {
		half := max(math.Abs(r.lo)/10, 0.5)
		r.lo, r.hi = r.lo-half, r.hi+half
	}
	return r
}

// share returns where a value lies, from 0 to 1. Neither the width of the range nor a value need fit a number
// twice.
func (r interval) share(v float64) float64 {
	return min(max((v/2-r.lo/2)/(r.hi/2-r.lo/2), 0), 1)
}

// at returns the value at a share of the range.
func (r interval) at(share float64) float64 { return r.lo*(1-share) + r.hi*share }

// column returns in which of width columns a value lies.
func (r interval) column(v float64, width int) int {
	return int(math.Round(r.share(v) * float64(width-1)))
}

// labels returns a function that formats the value at a share of the range, with as many digits as distinguish
// steps neighbours.
func (r interval) labels(steps int) func(share float64) string {
	step := (r.hi/2 - r.lo/2) / float64(steps) * 2
	largest := max(math.Abs(r.lo), math.Abs(r.hi))
	digits := 0
	if step > 0 {
		digits = max(0, -int(math.Floor(math.Log10(step))))
	}
	if largest >= 1e15 || digits > 9 {
		return func(share float64) string { return strconv.FormatFloat(r.at(share), 'g', 5, 64) }
	}
	return func(share float64) string {
		text := strconv.FormatFloat(r.at(share), 'f', digits, 64)
		if zero := strconv.FormatFloat(0, 'f', digits, 64); text == "-"+zero {
			return zero
		}
		return text
	}
}

// xLabels returns a function that formats the value at a share of the horizontal axis.
func (c *Chart) xLabels(xs interval) func(share float64) string {
	t, isTime := c.isTime()
	if !isTime {
		return xs.labels(6)
	}
	return func(share float64) string {
		v := int64(math.Round(xs.at(share)))
		switch {
		case t.ID == types.Date:
			return string(types.AppendDate(nil, v))
		case t.ID == types.Time:
			return string(types.AppendTime(nil, v, 0))
		case xs.hi-xs.lo > 6*float64(types.Day):
			return string(types.AppendDatetime(nil, v, 0)[:len("2006-01-02")])
		}
		return string(types.AppendDatetime(nil, v, 0))
	}
}
