package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Sizes of a plot in pixels.
const (
	plotNames = 330
	plotWidth = 480
	barHeight = 18
)

// plot returns an SVG of the ratios of a suite, as bars that start at 1 on a logarithmic scale.
func plot(suite string, ms []*measured) string {
	far := 1.0 // decades from 1 to the edge
	for _, m := range ms {
		if m.Ratio > 0 {
			far = math.Max(far, math.Abs(math.Log10(m.Ratio)))
		}
	}
	far = math.Ceil(far)
	x := func(ratio float64) float64 { return plotNames + plotWidth/2*(1+math.Log10(ratio)/far) }
	height := 50 + barHeight*len(ms)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", plotNames+plotWidth+60, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="8" y="16" font-size="13">%s: time of gsql / time of DuckDB</text>`+"\n", html.EscapeString(suite))
	for d := -far; d <= far; d++ {
		at := x(math.Pow(10, d))
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="24" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", at, at, height-20, at, height-6, math.Pow(10, d))
	}
	for i, m := range ms {
		y := 28 + barHeight*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, plotNames-6, y+12, html.EscapeString(m.Name))
		if m.Ratio > 0 {
			from, to, color := x(m.Ratio), x(1), "#2a7"
			if m.Ratio > 1 {
				from, to, color = to, from, "#c43"
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, from, y, math.Max(1, to-from), barHeight-4, color)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", plotNames+plotWidth+6, y+12, html.EscapeString(m.ratio()))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
