package plot

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// marks distinguish series without colours.
var marks = []string{"•", "+", "x", "o"}

// graph draws lines or points between two axes.
func (c *Chart) graph() string {
	xs, ys := rangeOf(c.at), rangeOf(c.value...)
	if len(c.at) == 0 || ys.empty {
		return "no values to draw\n"
	}
	axis := ys.axis(min(max(c.opt.Height-8, 5), 18))
	widest := 0
	for row := range axis.rows + 1 {
		widest = max(widest, utf8.RuneCountInString(axis.label(row)))
	}
	margin := widest + len(" ") + len(" ") + 1 // the library puts a blank on both sides of the labels
	format := c.xLabels(xs)
	width := max(c.opt.Width-margin-(max(utf8.RuneCountInString(format(xs.lo)), utf8.RuneCountInString(format(xs.hi)))+1)/2, 10)
	series, colors, sets := c.lines(xs, axis.interval, width)
	if c.opt.Kind == Scatter {
		series, colors, sets = c.points(xs, axis, width)
	}
	picture := asciigraph.PlotMany(series,
		asciigraph.Height(axis.rows), asciigraph.LowerBound(0), asciigraph.UpperBound(1),
		asciigraph.YAxisValueFormatter(func(share float64) string { return axis.label(int(math.Round(share * float64(axis.rows)))) }),
		asciigraph.SeriesColors(colors...), asciigraph.SeriesChars(sets...))
	return c.legend(func(k int) string { return c.painted(k, c.mark(k)) }) + picture + "\n" + c.below(xs, c.xTicks(xs, width), margin, width)
}

// mark returns the character with which a legend refers to a series.
func (c *Chart) mark(series int) string {
	if c.opt.Kind == Scatter || series > 0 && !c.opt.Color {
		return c.point(series)
	}
	return "─"
}

// point returns the character of a point.
func (c *Chart) point(series int) string {
	if c.opt.Color {
		return marks[0]
	}
	return marks[series%len(marks)]
}

// lines returns, for each series, its height from 0 to 1 in each of width columns: the mean of the rows there,
// or what a straight line between the rows before and after has.
func (c *Chart) lines(xs, ys interval, width int) (series [][]float64, colors []asciigraph.AnsiColor, sets []asciigraph.CharSet) {
	for k := range c.ys {
		sums, counts := make([]float64, width), make([]float64, width)
		for i, x := range c.at {
			if v := c.value[k][i]; !math.IsNaN(v) {
				at := xs.column(x, width)
				sums[at] += ys.share(v)
				counts[at]++
			}
		}
		for i := range sums {
			sums[i] /= counts[i] // NaN if there are none
		}
		connect(sums)
		set := asciigraph.DefaultCharSet
		if k > 0 && !c.opt.Color {
			set = asciigraph.CreateCharSet(c.point(k))
		}
		series, colors, sets = append(series, sums), append(colors, asciigraph.AnsiColor(c.color(k))), append(sets, set)
	}
	return series, colors, sets
}

// connect fills gaps with straight lines.
func connect(heights []float64) {
	last := -1
	for i, v := range heights {
		if math.IsNaN(v) {
			continue
		}
		for j := last + 1; last >= 0 && j < i; j++ {
			heights[j] = heights[last] + (v-heights[last])*float64(j-last)/float64(i-last)
		}
		last = i
	}
}

// points returns a series of its own for each point. Asciigraph draws the character of a series from a value to an equal
// one that follows, and a blank before the first value. The points on the left come last, so that no blank covers one.
func (c *Chart) points(xs interval, axis vertical, width int) (series [][]float64, colors []asciigraph.AnsiColor, sets []asciigraph.CharSet) {
	type point struct{ x, y, series int }
	seen := map[point]bool{}
	var all []point
	for k := range c.ys {
		for i, x := range c.at {
			v := c.value[k][i]
			if math.IsNaN(v) {
				continue
			}
			p := point{xs.column(x, width-1), int(math.Round(axis.share(v) * float64(axis.rows))), k}
			if !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b point) int { return b.x - a.x })
	for _, p := range all {
		one := make([]float64, p.x+2)
		for i := range p.x {
			one[i] = math.NaN()
		}
		one[p.x] = float64(p.y) / float64(axis.rows)
		one[p.x+1] = one[p.x]
		set := asciigraph.CreateCharSet(c.point(p.series))
		set.StartCap = " "
		series, colors, sets = append(series, one), append(colors, asciigraph.AnsiColor(c.color(p.series))), append(sets, set)
	}
	return series, colors, sets
}
