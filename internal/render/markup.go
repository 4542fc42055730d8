package render

import (
	"fmt"
	"html"
	"io"
	"strings"

	"gsql"
	"gsql/sql/vec"
)

// markup writes a table in HTML or LaTeX, as its rows come.
type markup struct {
	w     io.Writer
	opt   Options
	cols  []gsql.Column
	latex bool
	begun bool
}

// Write implements Writer.
func (m *markup) Write(b *vec.Batch) error {
	if err := m.begin(); err != nil {
		return err
	}
	var out strings.Builder
	cells := make([]string, len(b.Cols))
	for i := range b.N {
		for c, v := range b.Cols {
			cells[c] = m.escape(m.opt.cell(v, i))
		}
		m.row(&out, cells, "td")
	}
	_, err := io.WriteString(m.w, out.String())
	return err
}

// begin writes what comes before the rows.
func (m *markup) begin() error {
	if m.begun {
		return nil
	}
	m.begun = true
	var out strings.Builder
	cells, align := make([]string, len(m.cols)), ""
	for i, c := range m.cols {
		cells[i] = m.escape(c.Name)
		if c.Type.IsNumeric() {
			align += "r"
		} else {
			align += "l"
		}
	}
	if m.latex {
		fmt.Fprintf(&out, "\\begin{tabular}{%s}\n\\hline\n", align)
		m.row(&out, cells, "")
		out.WriteString("\\hline\n")
	} else {
		out.WriteString("<table>\n<thead>\n")
		m.row(&out, cells, "th")
		out.WriteString("</thead>\n<tbody>\n")
	}
	_, err := io.WriteString(m.w, out.String())
	return err
}

// row writes a row of cells, of HTML's element.
func (m *markup) row(out *strings.Builder, cells []string, element string) {
	if m.latex {
		out.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		return
	}
	out.WriteString("<tr>")
	for i, c := range cells {
		style := ""
		if m.cols[i].Type.IsNumeric() {
			style = ` style="text-align:right"`
		}
		fmt.Fprintf(out, "<%s%s>%s</%s>", element, style, c, element)
	}
	out.WriteString("</tr>\n")
}

// latexEscapes are the characters with a meaning in LaTeX.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "\n", " ", "<", `\textless{}`, ">", `\textgreater{}`)

func (m *markup) escape(s string) string {
	if m.latex {
		return latexEscapes.Replace(s)
	}
	return strings.ReplaceAll(html.EscapeString(s), "\n", "<br>")
}

// Close implements Writer.
func (m *markup) Close() error {
	if err := m.begin(); err != nil {
		return err
	}
	end := "</tbody>\n</table>\n"
	if m.latex {
		end = "\\hline\n\\end{tabular}\n"
	}
	_, err := io.WriteString(m.w, end)
	return err
}
