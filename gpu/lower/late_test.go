package lower_test

import (
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/internal/sqltest"
	"gsql/planner/physical"
)

// TestLate checks which columns the host reads by row numbers, and that these are not read on the device.
func TestLate(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fill(t, s)
	for _, tt := range []struct{ sql, late, device string }{
		{"SELECT id, t, d FROM a WHERE i > 3", "id t d", "i"},
		{"SELECT t, UPPER(t) FROM a WHERE i > 3", "", "i t"},
		{"SELECT x.t, y.t FROM a x JOIN b y ON x.j = y.k AND x.d > y.v", "t t", "d j k v"},
		{"SELECT x.id, y.t FROM a x LEFT JOIN b y ON x.j = y.k AND y.v > 2", "id t", "j k v"},
		{"SELECT u.id, MAX(u.w), SUM(a.i) FROM a JOIN u ON u.id = a.j GROUP BY u.id", "", "i id j w"},
		{"SELECT u.id, u.w, SUM(a.i) FROM a JOIN u ON u.id = a.j GROUP BY u.id", "w", "i id j"},
		{"SELECT u.id, u.w, SUM(a.i) FROM a JOIN u ON u.id = a.j GROUP BY u.id HAVING u.w > 3", "", "i id j w"},
		{"SELECT DISTINCT t FROM a", "", "t"},
		{"SELECT u.id, u.w, a.t, SUM(a.i) FROM a JOIN u ON u.id = a.j GROUP BY u.w, a.t, u.id", "w", "i id j t"},
		{"SELECT u.w, a.t, SUM(a.i) FROM a JOIN u ON u.id = a.j GROUP BY u.w, a.t", "", "i id j t w"},
		{"SELECT u.id, u.w, SUM(a.i) FROM a LEFT JOIN u ON u.id = a.j GROUP BY u.id, u.w", "w", "i id j"},
	} {
		plan := planOf(t, s, tt.sql)
		for len(plan.In) == 1 && !isForm(plan) {
			plan = plan.In[0]
		}
		q, err := lower.Lower(bare(plan), late{hostColumns{}})
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		var host, device []string
		for _, o := range q.Outputs {
			if o.Form == lower.Row {
				host = append(host, q.Relations[o.Relation].Table.Schema().Columns[o.Ordinal].Name)
			}
		}
		for _, r := range q.Relations {
			for _, o := range r.Ordinals {
				device = append(device, r.Table.Schema().Columns[o].Name)
			}
		}
		slices.Sort(device)
		if h, d := strings.Join(host, " "), strings.Join(device, " "); h != tt.late || d != tt.device {
			t.Errorf("%s: the host reads %q, the device %q; want %q and %q", tt.sql, h, d, tt.late, tt.device)
		}
	}
}

// isForm reports whether a node has a form if its inputs have one.
func isForm(n *physical.Node) bool {
	switch n.Op.(type) {
	case *physical.Scan, *physical.Filter, *physical.Project, *physical.Join, *physical.HashAgg:
		return true
	}
	return false
}
