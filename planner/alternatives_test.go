package planner_test

import (
	"slices"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/implement"
	"gsql/planner/plantest"
)

// alternative is a form of plan that competes by price. It has the name used in
// gsql_disable_rules, the text that EXPLAIN shows if the form is chosen, statements for which it
// is chosen, and similar ones for which it is not.
type alternative struct {
	rule, form, shown string
	fires, silent     []string
}

var alternatives = []alternative{
	{"GroupJoin", "aggregate over a join", "(making the pairs)",
		[]string{"SELECT COUNT(*) FROM points JOIN spans ON x BETWEEN lo AND hi", "SELECT x, SUM(hi) FROM points LEFT JOIN spans ON lo < x GROUP BY x"},
		[]string{"SELECT x, lo FROM points JOIN spans ON x BETWEEN lo AND hi", "SELECT COUNT(DISTINCT lo, x) FROM points JOIN spans ON x BETWEEN lo AND hi"}},
	{"GroupJoin", "two bands", "-> GroupJoin",
		[]string{"SELECT COUNT(*) FROM spans a JOIN spans b ON a.lo BETWEEN b.lo - 90000 AND b.lo + 90000 AND a.hi BETWEEN b.hi - 70000 AND b.hi + 70000"},
		[]string{"SELECT a.lo + b.hi FROM spans a JOIN spans b ON a.lo BETWEEN b.lo - 5 AND b.lo + 5 AND a.hi BETWEEN b.hi - 5 AND b.hi + 5"}},
	{"GroupJoin", "aggregates of both sides", "-> GroupJoin",
		[]string{"SELECT SUM(x * hi) FROM points JOIN spans ON x < lo"},
		[]string{"SELECT SUM(SQRT(x + hi)) FROM points JOIN spans ON x % 7 < lo % 7 AND x + lo <> hi"}},
	{"GroupJoin", "extreme of the partners", "(testing pairs)",
		[]string{"SELECT a.lo FROM spans a WHERE EXISTS (SELECT 1 FROM spans b WHERE b.lo < a.lo AND b.hi > a.hi)"},
		[]string{"SELECT a.lo FROM spans a WHERE EXISTS (SELECT 1 FROM spans b WHERE b.lo < a.lo AND b.hi > a.hi AND b.lo + b.hi <> a.lo)"}},
	{"GroupJoin", "aggregate of each row", "(with an aggregate by distinct values)",
		[]string{"SELECT a.lo, (SELECT COUNT(*) FROM spans b WHERE b.lo < a.lo AND b.hi > a.lo) FROM spans a"},
		[]string{"SELECT a.lo, (SELECT COUNT(DISTINCT b.hi) FROM spans b WHERE b.lo = a.lo) FROM spans a"}},
	{"EagerAggregation", "aggregate below a join", "(no aggregate below",
		[]string{"SELECT g, SUM(v) FROM dim JOIN fact ON dim.id = fact.d GROUP BY g"},
		[]string{"SELECT g, SUM(w) FROM dim JOIN items ON dim.id = items.id GROUP BY g", "SELECT g, COUNT(DISTINCT v) FROM dim JOIN fact ON dim.id = fact.d GROUP BY g"}},
	{"DynamicFilters", "filter of a join's keys", "makes dynamic filter",
		[]string{"SELECT s FROM fact JOIN dim ON d = dim.id WHERE g = 3"},
		[]string{"SELECT s FROM fact LEFT JOIN dim ON d = dim.id AND g = 3", "SELECT s FROM fact JOIN dim ON d = dim.id"}},
	{"CommonSubplans", "part of a plan computed once", "-> Shared",
		[]string{"WITH c AS (SELECT d, COUNT(*) n FROM fact GROUP BY d) SELECT * FROM c a JOIN c b ON a.n < b.n"},
		[]string{"WITH c AS (SELECT d, SUM(RAND()) n FROM fact GROUP BY d) SELECT * FROM c a JOIN c b ON a.n < b.n", "SELECT * FROM (SELECT d, COUNT(*) n FROM fact GROUP BY d) a JOIN (SELECT d, COUNT(*) n FROM fact WHERE v > 5 GROUP BY d) b ON a.n = b.d"}},
	{"SplitNulls", "null-aware join taken apart", "(one null-aware join",
		[]string{"SELECT a FROM holes t WHERE b NOT IN (SELECT b FROM holes u WHERE u.a = t.a)"},
		[]string{"SELECT a FROM holes t WHERE a NOT IN (SELECT a FROM holes u WHERE u.b = t.b)", "SELECT a FROM holes t WHERE b NOT IN (SELECT b FROM holes u)"}},
	{"SplitBranches", "join of a union's branches taken apart", "(one join of all branches",
		[]string{"SELECT a.lo, (SELECT COUNT(*) FROM (SELECT b.hi FROM spans b WHERE b.lo BETWEEN a.lo AND a.lo + 5 UNION SELECT x FROM points WHERE x BETWEEN a.hi AND a.hi + 5) q) FROM spans a"},
		[]string{"SELECT a.lo, (SELECT COUNT(*) FROM (SELECT b.hi FROM spans b WHERE b.lo < a.lo AND b.hi > a.hi UNION SELECT x FROM points WHERE x < a.hi AND x > a.lo) q) FROM spans a"}},
	{"DevicePipelines", "subtree as pipelines of a device", "-> Pipelines",
		[]string{"SELECT f, COUNT(*) FROM big GROUP BY f", "SELECT g, SUM(v) FROM huge JOIN fact ON huge.b = fact.id JOIN dim ON d = dim.id GROUP BY g ORDER BY g"},
		[]string{"SELECT g, SUM(v) FROM fact JOIN dim ON d = dim.id GROUP BY g", "SELECT f FROM big"}},
}

// devices are those with which the statements of an alternative are planned.
var devices = map[string]implement.Placement{"DevicePipelines": pipelined("auto")}

// TestAlternatives plans statements with and without each alternative that competes by price.
func TestAlternatives(t *testing.T) {
	cat := plantest.MustDefine(warehouse + "table holes rows=1000000\n  a bigint not null ndv=1000 min=1 max=1000\n  b bigint ndv=5000 nulls=100000 min=0 max=99999\n")
	for _, a := range alternatives {
		if len(a.fires) == 0 || len(a.silent) == 0 {
			t.Errorf("%s, %s: needs statements for which it is taken and others", a.rule, a.form)
		}
		plan := func(sql string, disabled map[string]bool) string {
			p, _ := optimize(t, cat, sql, planner.Options{Workers: 2, DisabledRules: disabled, Devices: devices[a.rule]})
			return show(p)
		}
		for _, sql := range a.fires {
			if got := plan(sql, nil); !strings.Contains(got, a.shown) {
				t.Errorf("%s, %s: not taken for %s\n%s", a.rule, a.form, sql, got)
			}
			if got := plan(sql, map[string]bool{a.rule: true}); strings.Contains(got, a.shown) {
				t.Errorf("%s, %s: taken for %s though it is switched off\n%s", a.rule, a.form, sql, got)
			}
		}
		for _, sql := range a.silent {
			if got := plan(sql, nil); strings.Contains(got, a.shown) {
				t.Errorf("%s, %s: taken for %s\n%s", a.rule, a.form, sql, got)
			}
		}
	}
	for _, name := range implement.Names() {
		if !slices.ContainsFunc(alternatives, func(a alternative) bool { return a.rule == name }) {
			t.Errorf("%s has no statements for which it is taken and others", name)
		}
	}
}
