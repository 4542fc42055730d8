package plot

import (
	"math"
	"strconv"
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

// numbers returns a function that formats numbers of an axis whose labels are step apart, with as many digits as that needs.
func (r interval) numbers(step float64) func(v float64) string {
	digits := 0
	if step > 0 {
		digits = max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	}
	if largest := max(math.Abs(r.lo), math.Abs(r.hi)); largest >= 1e15 || digits > 9 {
		return func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	}
	return func(v float64) string {
		text := strconv.FormatFloat(v, 'f', digits, 64)
		if zero := strconv.FormatFloat(0, 'f', digits, 64); text == "-"+zero {
			return zero
		}
		return text
	}
}

// rounds calls yield for the numbers 1, 2 and 5 times a power of ten that are at least least, in ascending order, until it
// returns false.
func rounds(least float64, yield func(step float64) bool) {
	for exponent := math.Floor(math.Log10(least)); exponent <= 308; exponent++ {
		for _, m := range []float64{1, 2, 5} {
			// A quotient is exact where a product with a negative power of ten is not.
			step := m * math.Pow(10, exponent)
			if exponent < 0 {
				step = m / math.Pow(10, -exponent)
			}
			if step >= least && !yield(step) {
				return
			}
		}
	}
}

// vertical is the vertical axis.
type vertical struct {
	interval
	rows  int                  // above the first one
	label func(row int) string // "" where there is none; rows are counted from the bottom
}

// axis widens the range so that the labels of an axis of most rows at most are round numbers, with equally many rows from one to the next.
func (r interval) axis(most int) vertical {
	half := r.hi/2 - r.lo/2
	best, covered := r.evenly(most), 0.0
	rounds(half/float64(most)*2, func(step float64) bool {
		lo, hi := math.Floor(r.lo/step), math.Ceil(r.hi/step)
		parts := int(hi - lo)
		if parts < 1 || math.IsInf(lo*step, 0) || math.IsInf(hi*step, 0) || math.Abs(lo) > 1<<50 || math.Abs(hi) > 1<<50 {
			return false
		}
		if parts > most {
			return true
		}
		every := most / parts
		// The more rows the values cover, the finer is the picture.
		if rows := float64(parts*every) * (half / (hi*step/2 - lo*step/2)); rows > covered+1e-9 {
			format := interval{lo * step, hi * step, false}.numbers(step)
			covered = rows
			best = vertical{interval{lo * step, hi * step, false}, parts * every, func(row int) string {
				if row%every != 0 {
					return ""
				}
				return format((lo + float64(row/every)) * step)
			}}
		}
		return parts > 1
	})
	return best
}

// evenly returns an axis that labels each row with what is there: the numbers are too large or too close together to be rounded.
func (r interval) evenly(rows int) vertical {
	format := r.numbers((r.hi/2 - r.lo/2) / float64(rows) * 2)
	return vertical{r, rows, func(row int) string { return format(r.at(float64(row) / float64(rows))) }}
}
