package planner_test

import (
	"slices"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/physical"
	"gsql/planner/plantest"
)

// TestDynamicFilterPlaces checks which scans receive the keys of a join as filters.
func TestDynamicFilterPlaces(t *testing.T) {
	cat := plantest.MustDefine(`
table few rows=1000
  id  bigint primary ndv=1000 min=1 max=1000000
  k   bigint ndv=900 min=1 max=1000000
  s   varchar(20) ndv=900
table many rows=5000000
  id  bigint primary ndv=5000000 min=1 max=5000000
  k   bigint ndv=1000000 min=1 max=1000000
  v   bigint ndv=1000 min=1 max=1000
  s   varchar(20) ndv=1000000
table more rows=4000000
  id  bigint primary ndv=4000000 min=1 max=4000000
  k   bigint ndv=1000000 min=1 max=1000000
`)
	for _, tt := range []struct{ from, want string }{
		{"few f JOIN many m ON m.k = f.k", "m.k"},
		{"few f JOIN many m ON m.s = f.s", "m.s"},
		{"few f LEFT JOIN many m ON m.k = f.k", "m.k"},
		{"many m LEFT JOIN few f ON m.k = f.k", ""},
		{"many m WHERE m.k IN (SELECT k FROM few)", "m.k"},
		{"many m WHERE m.k NOT IN (SELECT id FROM few)", ""},
		{"few f WHERE NOT EXISTS (SELECT * FROM many m WHERE m.k = f.k)", "m.k"},
		{"few f WHERE f.id < (SELECT AVG(m.v) FROM many m WHERE m.k = f.k)", "m.k"},
		{"few f WHERE f.id < (SELECT COUNT(*) FROM many m WHERE m.k = f.k)", "m.k"},
		{"few f JOIN (SELECT v, COUNT(*) AS c FROM many GROUP BY v) m ON m.c = f.k", ""},
		{"few f JOIN (SELECT k, v, COUNT(*) AS c FROM many m GROUP BY k, v) x ON x.k = f.k", "m.k"},
		{"few f JOIN (SELECT k FROM many m LIMIT 4000000) x ON x.k = f.k", ""},
		{"few f JOIN (SELECT k, ROW_NUMBER() OVER (ORDER BY id) AS n FROM many) x ON x.k = f.k", ""},
		{"few f JOIN (SELECT k FROM many m UNION ALL SELECT k FROM more n) x ON x.k = f.k", "m.k n.k"},
		{"few f JOIN (SELECT k FROM many m UNION SELECT id FROM more n) x ON x.k = f.k", "m.k n.id"},
		{"few f JOIN (SELECT k + 1 AS k FROM many m) x ON x.k = f.k", ""},
		{"few f JOIN (SELECT k, RAND() AS r FROM many m) x ON x.k = f.k AND x.r > 0.5", ""},
		{"few f JOIN (SELECT k, @n := @n + 1 AS r FROM many m) x ON x.k = f.k AND x.r > 5", ""},
		{"few f JOIN (many m LEFT JOIN more n ON n.id = m.id) ON m.k = f.k", "m.k"},
		{"few f JOIN (many m LEFT JOIN more n ON n.id = m.id) ON m.id = f.id", "m.id n.id"},
		{"few f JOIN (many m LEFT JOIN more n ON n.k = m.k) ON n.k <=> f.k", ""},
	} {
		p, _ := optimize(t, cat, "SELECT * FROM "+tt.from, planner.Options{Workers: 2})
		got := filteredKeys(p)
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: dynamic filters on %q, want %q\n%s", tt.from, s, tt.want, show(p))
		}
		p, _ = optimize(t, cat, "SELECT * FROM "+tt.from, planner.Options{Workers: 2, DisabledRules: map[string]bool{"DynamicFilters": true}})
		if got := filteredKeys(p); len(got) > 0 {
			t.Errorf("%s: dynamic filters on %q although they are switched off", tt.from, got)
		}
	}
}

// filteredKeys returns the columns on which scans of many and more have dynamic filters, and
// checks that joins create these.
func filteredKeys(n *physical.Node) []string {
	var out []string
	if s, ok := n.Op.(*physical.Scan); ok && s.Table.Name() != "few" {
		for _, f := range s.Dynamic {
			key := f.Key.String()
			if _, column, ok := strings.Cut(key, "."); ok {
				key = column
			}
			out = append(out, s.Alias+"."+key)
		}
	}
	for _, in := range n.In {
		out = append(out, filteredKeys(in)...)
	}
	slices.Sort(out)
	return out
}
