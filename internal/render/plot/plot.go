package plot

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gsql"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Kind is the kind of a chart.
type Kind string

// The kinds of charts. Auto selects Bar if the first column is neither a number nor a time, else Line.
const (
	Auto    Kind = ""
	Bar     Kind = "bar"
	Line    Kind = "line"
	Scatter Kind = "scatter"
)

// Kinds lists the kinds that can be named.
var Kinds = []string{string(Bar), string(Line), string(Scatter)}

// Options specifies how to draw.
type Options struct {
	Kind   Kind
	Width  int    // in columns of the terminal, 0 for 80
	Height int    // of the terminal in lines, 0 for 24
	Color  bool   // with colours
	Light  bool   // the terminal's background is light
	Null   string // text for NULL beside a bar
}

const (
	// mostBars is the number of rows that are drawn as bars.
	mostBars = 60
	// mostPoints is the number of rows that are held for lines and points.
	mostPoints = 1 << 22
	leastWidth = 30
)

// Chart collects the rows of a result and draws them. It implements render.Writer.
type Chart struct {
	w     io.Writer
	opt   Options
	x     int            // the column of labels or of the horizontal axis, -1 for the number of the row
	ys    []int          // columns of numbers
	cols  []gsql.Column  // of the result
	rows  int            // of the result
	label []string       // of bars
	at    []float64      // positions on the horizontal axis
	value [][]float64    // by series; NaN for NULL
	text  [][]string     // of bars, by series: the values as text
	shown map[string]int // the number of rows left out, by the reason
}

// New returns a chart of a result with the given columns. Error 1210 says what is missing if they cannot be drawn.
func New(w io.Writer, opt Options, cols []gsql.Column) (*Chart, error) {
	c := &Chart{w: w, opt: opt, cols: cols, x: 0, shown: map[string]int{}}
	if c.opt.Width <= 0 {
		c.opt.Width = 80
	}
	c.opt.Width = max(c.opt.Width, leastWidth)
	if c.opt.Height <= 0 {
		c.opt.Height = 24
	}
	if len(cols) == 1 {
		c.x = -1
	}
	for i, col := range cols {
		if i != c.x && col.Type.IsNumeric() {
			c.ys = append(c.ys, i)
		}
	}
	continuous := c.x < 0 || cols[c.x].Type.IsNumeric() || cols[c.x].Type.IsTemporal()
	switch {
	case len(c.ys) == 0 && len(cols) > 1 && cols[0].Type.IsNumeric():
		return nil, unsuitable(cols, "a column of numbers after the first, which is the horizontal axis")
	case len(c.ys) == 0:
		return nil, unsuitable(cols, "a column of numbers")
	case opt.Kind == Auto && continuous:
		c.opt.Kind = Line
	case opt.Kind == Auto:
		c.opt.Kind = Bar
	case opt.Kind != Bar && !continuous:
		return nil, unsuitable(cols, fmt.Sprintf("a first column of numbers, dates or times for a %s chart", opt.Kind)).WithHint("Columns of text label bars: .plot bar")
	}
	c.value, c.text = make([][]float64, len(c.ys)), make([][]string, len(c.ys))
	return c, nil
}

// unsuitable returns the error of a result that cannot be drawn.
func unsuitable(cols []gsql.Column, needed string) *sqlerr.Error {
	list := make([]string, len(cols))
	for i, c := range cols {
		list[i] = fmt.Sprintf("%s %s", c.Name, c.Type)
	}
	return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to plot: it needs %s, but the result has %s", needed, strings.Join(list, ", "))
}

// Write implements render.Writer.
func (c *Chart) Write(b *vec.Batch) error {
	for i := range b.N {
		c.rows++
		if c.opt.Kind == Bar {
			c.addBar(b, i)
			continue
		}
		if len(c.at) == mostPoints {
			return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to plot: the result has more than %d rows", mostPoints).
				WithHint("Group the rows, or draw a sample of them.")
		}
		c.addPoint(b, i)
	}
	return nil
}

// addBar adds a row of a bar chart.
func (c *Chart) addBar(b *vec.Batch, row int) {
	if len(c.label) == mostBars {
		c.shown["more"]++
		return
	}
	label := fmt.Sprint(c.rows)
	if c.x >= 0 {
		label = c.cell(b.Cols[c.x], row)
	}
	c.label = append(c.label, label)
	for k, y := range c.ys {
		c.value[k] = append(c.value[k], number(b.Cols[y], row))
		c.text[k] = append(c.text[k], c.cell(b.Cols[y], row))
	}
}

// addPoint adds a row of a line or scatter chart, unless it has no position.
func (c *Chart) addPoint(b *vec.Batch, row int) {
	x := float64(c.rows)
	if c.x >= 0 {
		if x = number(b.Cols[c.x], row); math.IsNaN(x) {
			c.shown["without a position"]++
			return
		}
	}
	c.at = append(c.at, x)
	for k, y := range c.ys {
		c.value[k] = append(c.value[k], number(b.Cols[y], row))
	}
}

// number returns a value as a number, and NaN for NULL and infinities.
func number(v *vec.Vector, row int) float64 {
	if v.IsNull(row) {
		return math.NaN()
	}
	if x := catalog.DatumAt(v, row).Float(); !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}

// cell returns a value as text on one line.
func (c *Chart) cell(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		return c.opt.Null
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, catalog.DatumAt(v, row).Text())
}

// Close implements render.Writer. It draws the chart.
func (c *Chart) Close() error {
	var text string
	switch {
	case c.rows == 0:
		text = "no rows to draw\n"
	case c.opt.Kind == Bar:
		text = c.bars()
	default:
		text = c.graph()
	}
	for _, reason := range slices.Sorted(func(yield func(string) bool) {
		for k := range c.shown {
			if !yield(k) {
				return
			}
		}
	}) {
		text += fmt.Sprintf("(%d rows %s)\n", c.shown[reason], reason)
	}
	_, err := io.WriteString(c.w, text)
	return err
}

// legend returns the line above a chart: what is drawn, and the mark of each series if there are several.
func (c *Chart) legend(mark func(series int) string) string {
	var names []string
	for k, y := range c.ys {
		name := c.cols[y].Name
		if len(c.ys) > 1 {
			name = mark(k) + " " + name
		}
		names = append(names, name)
	}
	by := "row"
	if c.x >= 0 {
		by = c.cols[c.x].Name
	}
	return strings.Join(names, "  ") + " by " + by + "\n"
}

// The colours of series, from the terminal's palette, on dark and on light backgrounds.
var (
	darkColors  = []uint8{14, 11, 13, 10, 12, 9}
	lightColors = []uint8{4, 1, 5, 2, 6, 8}
)

// color returns the colour of a series, and 0 without colours.
func (c *Chart) color(series int) uint8 {
	switch {
	case !c.opt.Color:
		return 0
	case c.opt.Light:
		return lightColors[series%len(lightColors)]
	}
	return darkColors[series%len(darkColors)]
}

// painted returns a text in the colour of a series.
func (c *Chart) painted(series int, text string) string {
	if color := c.color(series); color != 0 && text != "" {
		return fmt.Sprintf("\x1b[38;5;%dm%s\x1b[0m", color, text)
	}
	return text
}

// isTime reports whether the horizontal axis is one of dates or times, and of which type.
func (c *Chart) isTime() (types.Type, bool) {
	if c.x < 0 {
		return types.Type{}, false
	}
	t := c.cols[c.x].Type
	return t, t.IsTemporal()
}
