package main

import (
	"fmt"
	"math"
	"strings"
)

// crossings writes, for each pair of ways of a series, where one overtakes the other.
func (r *report) crossings(b *strings.Builder) {
	b.WriteString("\n## Crossover points\n\nAmong the sizes measured, interpolated: a way without a size is ahead from the smallest one on. Two ways of which the same one is ahead at all sizes, measured and by price, are left out.\n\n" +
		"| joins | size | ways | measured | by price |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range r.Series {
		for i, x := range s.Ways {
			for _, y := range s.Ways[i+1:] {
				measured, priced := s.overtaking(x, y, (*Way).time), s.overtaking(x, y, (*Way).price)
				if measured != priced || strings.Contains(measured, ",") {
					fmt.Fprintf(b, "| %s, %s | %s | %s, %s | %s | %s |\n", s.Family, s.Name, s.Axis, x, y, measured, priced)
				}
			}
		}
	}
}

func (w *Way) time() float64  { return w.TimeMS }
func (w *Way) price() float64 { return w.PriceMS }

// overtaking reports which of two ways is ahead by some measure, and from which size on.
func (s *Series) overtaking(x, y string, of func(*Way) float64) string {
	var out []string
	ahead, lead, size := "", 0.0, 0.0
	for _, p := range s.Points {
		now, by, at := x, math.Log(of(p.way(y))/of(p.way(x))), math.Log(float64(p.Size))
		if by < 0 {
			now = y
		}
		switch {
		case ahead == "":
			out = append(out, now)
		case now != ahead:
			cross := size + (at-size)*lead/(lead-by)
			out = append(out, fmt.Sprintf("%s from %s on", now, about(math.Exp(cross))))
		}
		ahead, lead, size = now, by, at
	}
	return strings.Join(out, ", ")
}

// about formats a number of rows with two digits.
func about(n float64) string {
	if n < 10 {
		return fmt.Sprintf("%.1f", n)
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return count(int(math.Round(n/unit) * unit))
}
