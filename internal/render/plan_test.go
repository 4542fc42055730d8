package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// plan writes a plan of three operators, whose details have many parts.
func plan(t *testing.T, opt Options, numbers int) string {
	t.Helper()
	var parts []string
	for i := range 12 {
		parts = append(parts, fmt.Sprintf("left.column_%d = right.column_%d", i, i))
	}
	names, rows := []string{"operator"}, [][]string{{"HashJoin inner"}, {"├─Scan left"}, {"└─Scan right"}}
	for i := range numbers {
		names = append(names, fmt.Sprintf("number_%d", i))
		for r := range rows {
			rows[r] = append(rows[r], "123456")
		}
	}
	names = append(names, "details", "best_rejected")
	rows[0] = append(rows[0], strings.Join(parts, "; "), "radix_join (build left) 1.5 ms")
	rows[1], rows[2] = append(rows[1], "filter: "+strings.Repeat("x", 150), ""), append(rows[2], "", "")
	cols, b := make([]gsql.Column, len(names)), &vec.Batch{N: len(rows)}
	for c, name := range names {
		cols[c] = gsql.Column{Name: name, Type: types.T(types.String)}
		v := vec.NewFlat(cols[c].Type, len(rows))
		for r := range rows {
			v.Str[r] = rows[r][c]
		}
		b.Cols = append(b.Cols, v)
	}
	var out strings.Builder
	w, err := New(&out, opt, cols)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPlansFitTheirWidth writes a plan with few and with many columns of numbers: no line is
// longer than 120 columns or the terminal, and nothing is left out.
func TestPlansFitTheirWidth(t *testing.T) {
	for _, mode := range []string{"table", "box"} {
		for _, width := range []int{0, 100, 160} {
			for _, numbers := range []int{2, 6} {
				limit := width
				if width == 0 {
					limit = planWidth
				}
				out := plan(t, Options{Mode: mode, Width: width}, numbers)
				joined := strings.NewReplacer("\n", "", " ", "", "|", "", "│", "", "+", "", "-", "").Replace(out)
				for line := range strings.Lines(out) {
					if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > limit {
						t.Errorf("%s, width %d, %d numbers: a line of %d columns\n%s", mode, width, numbers, n, out)
						break
					}
				}
				for i := range 12 {
					if part := fmt.Sprintf("left.column_%d", i); !strings.Contains(joined, part) {
						t.Errorf("%s, width %d, %d numbers: %s is missing\n%s", mode, width, numbers, part, out)
					}
				}
				if strings.Count(joined, "x") < 150 || !strings.Contains(joined, "1.5ms") {
					t.Errorf("%s, width %d, %d numbers: details are cut\n%s", mode, width, numbers, out)
				}
			}
		}
	}
}

// TestShortPlansKeepTheirRows writes a plan that fits as it is.
func TestShortPlansKeepTheirRows(t *testing.T) {
	out := plan(t, Options{Mode: "table", Width: 1000}, 1)
	if n := strings.Count(out, "\n"); n != 7 || !strings.Contains(out, "best_rejected") {
		t.Errorf("%d lines\n%s", n, out)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		s     string
		width int
		want  string
	}{
		{"", 5, ""},
		{"a; b", 9, "a; b"},
		{"abc; def; ghi", 9, "abc; def;|ghi"},
		{"one two three", 7, "one two|three"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"éééééé", 4, "éééé|éé"},
	} {
		if got := strings.Join(wrap(tt.s, tt.width), "|"); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.s, tt.width, got, tt.want)
		}
	}
}
