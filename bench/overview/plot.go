package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Sizes in pixels, and the range of the logarithmic axis.
const (
	left, right, top = 250, 24, 54
	width, rowHeight = 860, 34
	slowest          = 2.0
)

// style follows the reader's colour scheme, where the viewer supports it.
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #24292f } .small { font-size: 11px; fill: #57606a }
.grid { stroke: #d0d7de } .even { stroke: #57606a; stroke-width: 1.5 }
.faster { fill: #1a7f37; fill-opacity: .55 } .slower { fill: #cf222e; fill-opacity: .7 } .mean { stroke: #24292f; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #3d444d } .even { stroke: #9198a1 }
.faster { fill: #3fb950 } .slower { fill: #f85149 } .mean { stroke: #e6edf3 } }
</style>
`

// plot returns the SVG.
func plot(rows []row, caption string) string {
	fastest := 1.0
	for _, r := range rows {
		fastest = math.Min(fastest, r.ratios[0])
	}
	first := math.Pow(10, math.Floor(math.Log10(fastest)))
	x := func(ratio float64) float64 {
		return left + (width-left-right)*math.Log(ratio/first)/math.Log(slowest/first)
	}
	bottom := top + rowHeight*len(rows)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="time of gsql divided by time of DuckDB">`+"\n", width, bottom+44)
	b.WriteString(style)
	fmt.Fprintf(&b, `<text x="8" y="20" font-weight="600">Time of gsql divided by time of DuckDB, a dot for each query</text>`+"\n")
	fmt.Fprintf(&b, `<text class="small" x="8" y="38">left of 1 gsql is faster; the tick is the geometric mean; %s</text>`+"\n", html.EscapeString(caption))
	for ratio := first; ratio <= 1.0001; ratio *= 10 {
		class := "grid"
		if ratio > 0.9 {
			class = "even"
		}
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text class="small" x="%.1f" y="%d" text-anchor="middle">%.4g</text>`+"\n",
			class, x(ratio), x(ratio), top, bottom, x(ratio), bottom+18, ratio)
	}
	for i, r := range rows {
		y := top + rowHeight*i + rowHeight/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, left-14, y+5, html.EscapeString(r.name))
		for _, ratio := range r.ratios {
			class := "faster"
			if ratio > 1 {
				class = "slower"
			}
			fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%d" r="5"/>`, class, x(math.Min(ratio, slowest)), y)
		}
		fmt.Fprintf(&b, `<line class="mean" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+"\n", x(r.mean()), x(r.mean()), y-11, y+11)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
