package planner_test

import (
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/plantest"
)

// TestScansByKey checks which predicates let a scan look up its rows by lists of keys.
func TestScansByKey(t *testing.T) {
	cat := plantest.MustDefine(`
table t rows=1000000
  id bigint primary found ndv=1000000 min=1 max=1000000
  v  bigint ndv=100 min=1 max=100
  s  varchar(20) unique found ndv=1000000
  m  decimal(10,2) unique ndv=1000000
table few rows=20
  id bigint primary found ndv=20 min=1 max=20
table c rows=1000000
  a  bigint found ndv=1000 min=1 max=1000
  b  bigint found ndv=10000 min=1 max=10000
  v  bigint ndv=100 min=1 max=100
  unique(a,b)
`)
	many := strings.TrimSuffix(strings.Repeat("7, ", 2000), ", ")
	for _, tt := range []struct {
		from, by string
		rows     float64
	}{
		{"t WHERE id IN (1, 2, 3)", "id, of 3 values", 3},
		{"t WHERE id IN (1, 2, 3) AND v = 5", "id, of 3 values", 1},
		{"t WHERE id = 2 OR id = 7", "id, of 2 values", 2},
		{"t WHERE id IN (1, 2, 3) AND id IN (2, 3)", "id, of 2 values", 0},
		{"t WHERE s IN ('a', 'b')", "s, of 2 values", 2},
		{"t WHERE id IN (1, 2, NULL)", "", 2},
		{"t WHERE id = 2", "", 1}, // found by its bounds
		{"t WHERE id IN (1, v)", "", 0},
		{"t WHERE id IN (1, 2.5)", "", 2},
		{"t WHERE id IN (1, 2) OR v = 3", "", 0},
		{"t WHERE id NOT IN (1, 2)", "", 0},
		{"t WHERE v IN (1, 2)", "", 20000},
		{"t WHERE m IN (1.25, 2.50)", "", 2}, // m is unique, but the table finds no rows by it
		{"t WHERE id IN (" + many + ")", "", 0},
		{"few WHERE id IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)", "", 10},
		{"c WHERE a IN (1, 2) AND b IN (3, 4, 5)", "a, b, of 6 values", 6},
		{"c WHERE b IN (3, 4, 5) AND a = 9 AND v > 3", "a, b, of 3 values", 0},
		{"c WHERE a = 9 AND b = 3", "", 1},
		{"c WHERE a IN (1, 2)", "", 2000},
		{"c WHERE a IN (1, 2) AND b > 5", "", 0},
	} {
		p, _ := optimize(t, cat, "SELECT * FROM "+tt.from, planner.Options{Workers: 2})
		_, by, _ := strings.Cut(show(p), "by key: ")
		by, _, _ = strings.Cut(by, "\n")
		if by = strings.TrimSpace(by); !strings.HasPrefix(by, tt.by) || tt.by == "" && by != "" {
			t.Errorf("%s: by key %q, want %q\n%s", tt.from, by, tt.by, show(p))
		}
		if tt.rows > 0 && (p.Est.Rows > 1.01*tt.rows || p.Est.Rows < 0.99*tt.rows) {
			t.Errorf("%s: %g rows, want %g", tt.from, p.Est.Rows, tt.rows)
		}
	}
}
