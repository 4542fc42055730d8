package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// vertical writes one block per row, as MySQL's \G does.
type vertical struct {
	w     io.Writer
	opt   Options
	names []string
	rows  int
}

// Write implements Writer.
func (v *vertical) Write(b *vec.Batch) error {
	for i := 0; i < b.N; i++ {
		v.rows++
		if _, err := fmt.Fprintf(v.w, "%s %d. row %s\n", strings.Repeat("*", 27), v.rows, strings.Repeat("*", 27)); err != nil {
			return err
		}
		if err := writeFields(v.w, &v.opt, v.names, b, i, ": "); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Writer.
func (v *vertical) Close() error { return nil }

// lines writes "name = value" lines with an empty one between rows.
type lines struct {
	w     io.Writer
	opt   Options
	names []string
	rows  int
}

// Write implements Writer.
func (l *lines) Write(b *vec.Batch) error {
	for i := 0; i < b.N; i++ {
		if l.rows++; l.rows > 1 {
			if _, err := io.WriteString(l.w, "\n"); err != nil {
				return err
			}
		}
		if err := writeFields(l.w, &l.opt, l.names, b, i, " = "); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Writer.
func (l *lines) Close() error { return nil }

// writeFields writes one row, with one line per column and right-aligned names.
func writeFields(w io.Writer, opt *Options, names []string, b *vec.Batch, row int, sep string) error {
	width := 0
	for _, n := range names {
		width = max(width, text.StringWidthWithoutEscSequences(n))
	}
	for c, col := range b.Cols {
		if _, err := fmt.Fprintf(w, "%s%s%s\n", text.AlignRight.Apply(names[c], width), sep, opt.cell(col, row)); err != nil {
			return err
		}
	}
	return nil
}

// inserts writes INSERT statements.
type inserts struct {
	w     io.Writer
	opt   Options
	names []string
}

// Write implements Writer.
func (s *inserts) Write(b *vec.Batch) error {
	table := s.opt.Table
	if table == "" {
		table = "t"
	}
	head := "INSERT INTO " + quote(table) + " (" + strings.Join(quoteAll(s.names), ", ") + ") VALUES ("
	values := make([]string, len(b.Cols))
	for i := 0; i < b.N; i++ {
		for c, col := range b.Cols {
			values[c] = catalog.DatumAt(col, i).SQL()
		}
		if _, err := fmt.Fprintf(s.w, "%s%s);\n", head, strings.Join(values, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Writer.
func (s *inserts) Close() error { return nil }

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return out
}
