// Package render writes results for people and programs: the output modes of the gsql tool.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gsql"
	"gsql/internal/render/plot"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// Modes lists the output modes.
var Modes = []string{"table", "box", "csv", "tsv", "json", "jsonl", "markdown", "html", "latex", "vertical", "line", "insert",
	"plot", "plot-bar", "plot-line", "plot-scatter"}

// Options specifies how to write.
type Options struct {
	Mode    string
	Null    string // text for NULL in the modes for people and in csv and tsv
	Width   int    // columns of the terminal, 0 for no limit
	MaxRows int    // rows of table and box before the middle is elided, 0 for all
	Widths  []int  // widths set by hand for the first columns, 0 for automatic
	Table   string // table name for insert
	Dim     bool   // NULL is dim in the modes for people
	Height  int    // of the terminal in lines, for plot; 0 for a usual one
	Color   bool   // plot uses colours
	Light   bool   // the terminal's background is light
}

// Writer writes one result.
type Writer interface {
	// Write writes the next rows; the caller may change the batch afterwards.
	Write(b *vec.Batch) error
	// Close writes what remains. It does not close the underlying writer.
	Close() error
}

// Elider is implemented by writers that may omit the middle of a result.
type Elider interface {
	// Hidden returns the numbers of rows and columns that were omitted, after Close.
	Hidden() (rows, cols int)
}

// New returns a writer for a result with the given columns.
func New(w io.Writer, opt Options, cols []gsql.Column) (Writer, error) {
	switch opt.Mode {
	case "table", "box":
		return newGrid(w, opt, cols), nil
	case "markdown":
		opt.Width, opt.MaxRows, opt.Dim = 0, 0, false
		return newGrid(w, opt, cols), nil
	case "csv":
		opt.Dim = false
		return newSeparated(w, opt, cols, ','), nil
	case "tsv":
		opt.Dim = false
		return newSeparated(w, opt, cols, '\t'), nil
	case "json":
		return &jsonWriter{w: w, names: names(cols), open: "[", sep: ",\n ", end: "]\n"}, nil
	case "jsonl":
		return &jsonWriter{w: w, names: names(cols), sep: "\n", end: "\n", lines: true}, nil
	case "html", "latex":
		opt.Dim = false
		return &markup{w: w, opt: opt, cols: cols, latex: opt.Mode == "latex"}, nil
	case "vertical":
		return &vertical{w: w, opt: opt, names: names(cols)}, nil
	case "line":
		return &lines{w: w, opt: opt, names: names(cols)}, nil
	case "plot", "plot-bar", "plot-line", "plot-scatter":
		kind := plot.Kind(strings.TrimPrefix(strings.TrimPrefix(opt.Mode, "plot"), "-"))
		return plot.New(w, plot.Options{Kind: kind, Width: opt.Width, Height: opt.Height, Color: opt.Color, Light: opt.Light, Null: opt.Null}, cols)
	case "insert":
		return &inserts{w: w, opt: opt, names: names(cols)}, nil
	}
	return nil, fmt.Errorf("unknown mode %q: one of %s", opt.Mode, strings.Join(Modes, ", "))
}

// Valid reports whether there is a mode of that name.
func Valid(mode string) bool { return slices.Contains(Modes, mode) }

func names(cols []gsql.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// cell formats a value as text for people.
func (o *Options) cell(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		return o.nullCell()
	}
	return catalog.DatumAt(v, row).Text()
}

// nullCell returns NULL as text for people.
func (o *Options) nullCell() string {
	if o.Dim {
		return "\x1b[2m" + o.Null + "\x1b[0m"
	}
	return o.Null
}
