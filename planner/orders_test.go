package planner_test

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/joinorder"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/planner/rules"
)

// snowflake defines a fact table with dimensions that themselves have dimensions, and returns a
// query over them with some predicates.
func snowflake(rng *rand.Rand) (def, sql string) {
	var tables, from, where []string
	facts := 3_000_000 + rng.Intn(5_000_000)
	cols := fmt.Sprintf("table f rows=%d\n  id bigint primary ndv=%d min=1 max=%d\n  a bigint ndv=50 min=1 max=50\n  b bigint ndv=900 min=1 max=900\n", facts, facts, facts)
	from = append(from, "f")
	for i := range 2 + rng.Intn(3) {
		rows := []int{500, 40_000, 300_000, 1_500_000}[rng.Intn(4)]
		cols += fmt.Sprintf("  d%d bigint not null ndv=%d min=1 max=%d\n", i, rows, rows)
		d := fmt.Sprintf("table d%d rows=%d\n  id bigint primary ndv=%d min=1 max=%d\n  a bigint ndv=1000 min=1 max=1000\n", i, rows, rows, rows)
		from = append(from, fmt.Sprintf("JOIN d%d ON f.d%d = d%d.id", i, i, i))
		if rng.Intn(2) == 0 {
			where = append(where, fmt.Sprintf("d%d.a <= %d", i, 1+rng.Intn(1000)))
		}
		if rng.Intn(2) == 0 {
			d += "  e bigint not null ndv=2000 min=1 max=2000\n"
			tables = append(tables, fmt.Sprintf("table e%d rows=2000\n  id bigint primary ndv=2000 min=1 max=2000\n  a bigint ndv=100 min=1 max=100\n", i))
			from = append(from, fmt.Sprintf("JOIN e%d ON d%d.e = e%d.id", i, i, i))
			where = append(where, fmt.Sprintf("e%d.a <= %d", i, 1+rng.Intn(100)))
		}
		tables = append(tables, d)
	}
	where = append(where, fmt.Sprintf("f.a <= %d", 1+rng.Intn(50)))
	return cols + strings.Join(tables, ""), "SELECT COUNT(*), SUM(f.b) FROM " + strings.Join(from, " ") + " WHERE " + strings.Join(where, " AND ")
}

// TestOrdersByFilters checks that a join order based on dynamic filters is chosen if it makes the
// finished plan cheaper, and only then.
func TestOrdersByFilters(t *testing.T) {
	others, better := 0, 0
	for seed := range int64(300) {
		def, sql := snowflake(rand.New(rand.NewSource(seed)))
		cat := plantest.MustDefine(def)
		bound, _ := bind(t, cat, sql)
		n, _, err := rules.Rewrite(bound, rules.Options{})
		if err != nil {
			t.Fatal(err)
		}
		orders := joinorder.Orders(n, joinorder.Options{Estimator: cost.NewEstimator(), Model: cost.Model{P: cost.Default(2)}, Filters: true})
		plan := func(orders []logical.Node) *physical.Node {
			p, err := implement.Plan(orders, implement.Options{Placement: implement.Placement{CPU: cost.Default(2)}})
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			return p
		}
		first := plan(orders[:1])
		got, _ := optimize(t, cat, sql, planner.Options{Workers: 2})
		least := first.Est.TotalMS
		if len(orders) > 1 {
			others++
			if second := plan(orders[1:]); second.Est.TotalMS < least {
				least = second.Est.TotalMS
				better++
			}
		}
		if got.Est.TotalMS != least {
			t.Errorf("%s\nis planned for %g ms, the best order takes %g", sql, got.Est.TotalMS, least)
		}
	}
	if others == 0 || better == 0 {
		t.Errorf("%d of 300 queries have another order by filters, and %d are cheaper by it", others, better)
	}
	t.Logf("%d of 300 queries have another order by filters, and %d are cheaper by it", others, better)
}

// TestOrdersWithoutFilters checks that there is a single order if joins may not create filters or
// are cheap.
func TestOrdersWithoutFilters(t *testing.T) {
	for seed := range int64(20) {
		def, sql := snowflake(rand.New(rand.NewSource(seed)))
		for _, small := range []bool{false, true} {
			if small {
				def = regexp.MustCompile(`rows=\d+`).ReplaceAllString(def, "rows=300")
			}
			bound, _ := bind(t, plantest.MustDefine(def), sql)
			if n := len(joinorder.Orders(bound, joinorder.Options{Estimator: cost.NewEstimator(), Model: cost.Model{P: cost.Default(2)}, Filters: small})); n != 1 {
				t.Errorf("%s: %d orders", sql, n)
			}
		}
	}
}

// keyed defines tables that refer to each other's lookup keys, and returns a join of them.
func keyed(rng *rand.Rand) (def, sql string) {
	n := 3 + rng.Intn(4)
	var from, where []string
	for i := range n {
		rows := []int{200, 3000, 40_000, 300_000, 1_500_000, 8_000_000}[rng.Intn(6)]
		from = append(from, fmt.Sprintf("t%d", i))
		def += fmt.Sprintf("table t%d rows=%d\n  id bigint primary found ndv=%d min=1 max=%d\n  a bigint ndv=1000 min=1 max=1000\n  c bigint not null ndv=%d min=1 max=%d\n", i, rows, rows, rows, rows/3+1, rows)
		for j := range n {
			def += fmt.Sprintf("  r%d bigint not null ndv=%d min=1 max=8000000\n", j, rows/2+1)
		}
		if i > 0 {
			j := rng.Intn(i)
			where = append(where, []string{
				fmt.Sprintf("t%d.id = t%d.r%d", j, i, j), fmt.Sprintf("t%d.id = t%d.r%d", i, j, i), fmt.Sprintf("t%d.c = t%d.c", i, j),
			}[rng.Intn(3)])
		}
		if rng.Intn(2) == 0 {
			where = append(where, fmt.Sprintf("t%d.a <= %d", i, 1+rng.Intn(20)))
		}
	}
	return def, "SELECT COUNT(*), SUM(t0.a) FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND ")
}

// TestOrdersByLookups checks that join orders take lookups by keys into account: many of the
// finished plans are far cheaper than without lookups, and hardly any is more expensive.
func TestOrdersByLookups(t *testing.T) {
	better, sum := 0, 0.0
	const plans = 300
	for seed := range int64(plans) {
		def, sql := keyed(rand.New(rand.NewSource(seed)))
		bound, _ := bind(t, plantest.MustDefine(def), sql)
		n, _, err := rules.Rewrite(bound, rules.Options{})
		if err != nil {
			t.Fatal(err)
		}
		price := func(lookups bool) float64 {
			orders := joinorder.Orders(n, joinorder.Options{Estimator: cost.NewEstimator(), Model: cost.Model{P: cost.Default(2)}, Filters: true, Lookups: lookups})
			p, err := implement.Plan(orders, implement.Options{Placement: implement.Placement{CPU: cost.Default(2)}})
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			return p.Est.TotalMS
		}
		with, without := price(true), price(false)
		if with < without/2 {
			better++
		}
		if with > 1.3*without {
			t.Errorf("%s\ntakes %g ms, %g in the order that knows nothing of lookups", sql, with, without)
		}
		sum += with / without
	}
	t.Logf("%d of %d plans take less than half the time; %.3f of it on average", better, plans, sum/plans)
	if better < plans/30 || sum > 0.97*plans {
		t.Errorf("%d of %d plans take less than half the time; %.3f of it on average", better, plans, sum/plans)
	}
}
