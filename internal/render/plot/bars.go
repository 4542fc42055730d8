package plot

import (
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// fills distinguish series without colours.
var fills = []string{"█", "▒", "░", "▓"}

// bars draws horizontal bars with a label before and a value after each.
func (c *Chart) bars() string {
	labels, values, lo, hi := 0, 0, 0.0, 0.0
	for i, l := range c.label {
		labels = max(labels, text.StringWidthWithoutEscSequences(l))
		for k := range c.ys {
			values = max(values, text.StringWidthWithoutEscSequences(c.text[k][i]))
			if v := c.value[k][i]; !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	labels = min(labels, c.opt.Width/3)
	room := max(c.opt.Width-labels-values-len(" ")-len(" "), 10)
	var out strings.Builder
	out.WriteString(c.legend(func(k int) string { return c.painted(k, c.fill(k)) }))
	for i, l := range c.label {
		for k := range c.ys {
			label := ""
			if k == 0 {
				label = text.Snip(l, labels, "…")
			}
			out.WriteString(text.Pad(label, labels, ' ') + " ")
			left, bar := c.bar(k, c.value[k][i], lo, hi, room)
			out.WriteString(strings.Repeat(" ", left) + c.painted(k, bar) + " " + c.text[k][i] + "\n")
		}
	}
	return out.String()
}

// fill returns the character of which the bars of a series consist.
func (c *Chart) fill(series int) string {
	if c.opt.Color {
		return fills[0]
	}
	return fills[series%len(fills)]
}

// bar returns the bar of a value on a scale from lo to hi in room characters, and the number of blanks before it.
// Zero lies between the bars of negative and of positive values.
func (c *Chart) bar(series int, value, lo, hi float64, room int) (left int, bar string) {
	if math.IsNaN(value) || hi/2-lo/2 <= 0 {
		value = 0
	}
	share := func(x float64) float64 { // of the scale, which may be longer than the largest number
		if hi/2-lo/2 <= 0 {
			return 0
		}
		return x / 2 / (hi/2 - lo/2) * float64(room)
	}
	zero := int(math.Round(share(-lo)))
	if hi > 0 {
		zero = min(zero, room-1)
	}
	if value < 0 {
		n := min(max(int(math.Round(share(-value))), 1), zero)
		return zero - n, strings.Repeat(c.fill(series), n)
	}
	eighths := min(int(math.Round(share(value)*8)), 8*(room-zero))
	if value > 0 {
		eighths = max(eighths, 1)
	}
	if c.fill(series) != fills[0] {
		return zero, strings.Repeat(c.fill(series), (eighths+7)/8)
	}
	bar = strings.Repeat(fills[0], eighths/8)
	if eighths%8 > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
	}
	return zero, bar
}
