package planner_test

import (
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/plantest"
)

// TestHintsOfSubqueries forces and forbids algorithms for the joins that replace subqueries.
func TestHintsOfSubqueries(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, c := range []struct{ condition, want string }{
		{"EXISTS (SELECT /*+ MERGE_JOIN(f) */ 1 FROM fact f WHERE f.d = dim.id)", "MergeJoin semi"},
		{"NOT EXISTS (SELECT /*+ MERGE_JOIN(fact) */ 1 FROM fact WHERE fact.d = dim.id)", "MergeJoin anti"},
		{"EXISTS (SELECT /*+ NL_JOIN() */ 1 FROM fact WHERE fact.d = dim.id)", "NestedLoopJoin semi"},
		{"NOT EXISTS (SELECT /*+ RADIX_JOIN(fact) */ 1 FROM fact WHERE fact.d = dim.id)", "RadixJoin anti"},
		{"NOT EXISTS (SELECT /*+ HASH_JOIN(fact) */ 1 FROM fact WHERE fact.d = dim.id)", "HashJoin anti"},
		{"dim.g IN (SELECT /*+ MERGE_JOIN(fact) */ d FROM fact)", "MergeJoin semi"},
		{"dim.g NOT IN (SELECT /*+ MERGE_JOIN(fact) */ v FROM fact WHERE fact.d > 5)", "MergeJoin anti"},
		{"dim.g = 3 OR EXISTS (SELECT /*+ MERGE_JOIN(fact) */ 1 FROM fact WHERE fact.d = dim.id)", "MergeJoin mark"},
	} {
		p, s := optimize(t, cat, "SELECT * FROM dim WHERE "+c.condition, planner.Options{Workers: 1})
		if plan := show(p); !strings.Contains(plan, c.want) || len(s.warnings) > 0 {
			t.Errorf("%s: no %s, warnings %q\n%s", c.condition, c.want, s.warnings, plan)
		}
	}
	for _, c := range []struct{ condition, without, why string }{
		{"EXISTS (SELECT /*+ NO_HASH_JOIN(fact) NO_RADIX_JOIN(fact) NO_INDEX_JOIN(fact) */ 1 FROM fact WHERE fact.d = dim.id)", "-> HashJoin", ""},
		{"EXISTS (SELECT /*+ MERGE_JOIN(tiny) */ 1 FROM fact WHERE fact.d = dim.id)", "-> MergeJoin", "concerns no join"},
		{"EXISTS (SELECT /*+ HASH_JOIN(fact) */ 1 FROM fact WHERE fact.d > dim.id)", "-> HashJoin", "no equality predicate"},
	} {
		p, s := optimize(t, cat, "SELECT * FROM dim WHERE "+c.condition, planner.Options{Workers: 1})
		plan, warnings := show(p), strings.Join(s.warnings, "\n")
		if strings.Contains(plan, c.without) || !strings.Contains(warnings, c.why) || (c.why == "") != (warnings == "") {
			t.Errorf("%s: warnings %q, want %q\n%s", c.condition, warnings, c.why, plan)
		}
	}
}
