package planner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql/internal/cputime"
	"gsql/planner"
	"gsql/planner/binder"
	"gsql/planner/explain"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// session is a binder.Session without variables that collects warnings.
type session struct{ warnings []string }

func (*session) CurrentDB() string                    { return "test" }
func (*session) GlobalVar(string) (string, error)     { return "", sqlerr.UnknownSystemVariable }
func (*session) Var(string) (string, bool)            { return "", false }
func (*session) UserVar(string) (catalog.Datum, bool) { return catalog.Datum{}, false }
func (*session) Params() []catalog.Datum              { return nil }
func (s *session) Warn(code uint16, msg string) {
	s.warnings = append(s.warnings, fmt.Sprintf("%d %s", code, msg))
}

func bind(t testing.TB, cat *plantest.Catalog, sql string) (logical.Node, *session) {
	t.Helper()
	stmts, err := parse.Parse(sql, 0)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	s := &session{}
	q, err := binder.New(cat, s).Query(context.Background(), &stmts[0], stmts[0].Node)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return q.Node, s
}

func optimize(t testing.TB, cat *plantest.Catalog, sql string, opt planner.Options) (*physical.Node, *session) {
	t.Helper()
	n, s := bind(t, cat, sql)
	opt.Warn = s.Warn
	p, err := planner.Optimize(n, opt)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return p, s
}

func show(p *physical.Node) string { return strings.Join(explain.Tree(p, nil), "\n") }

// joins returns the join operators of a plan in pre-order.
func joins(p *physical.Node) []*physical.Node {
	var out []*physical.Node
	if _, ok := p.Op.(*physical.Join); ok {
		out = append(out, p)
	}
	for _, in := range p.In {
		out = append(out, joins(in)...)
	}
	return out
}

const warehouse = `
table tiny rows=20
  id  bigint primary ndv=20 min=1 max=20
  k   bigint ndv=20 min=1 max=20
  m   bigint ndv=15 nulls=5 min=1 max=20
  i   int ndv=20 min=1 max=20
table dim rows=1000
  id  bigint primary ndv=1000 min=1 max=1000
  g   bigint ndv=10 min=0 max=9
table fact rows=1000000
  id  bigint primary ndv=1000000 min=1 max=1000000
  d   bigint not null ndv=1000 min=1 max=1000
  v   bigint ndv=5000 min=0 max=99999
  s   varchar(20) ndv=300
table big rows=100000000
  id  bigint primary ndv=100000000 min=1 max=100000000
  f   bigint not null ndv=50000000 min=1 max=100000000
table huge rows=100000000
  id  bigint primary ndv=100000000 min=1 max=100000000
  b   bigint not null ndv=90000000 min=1 max=100000000
table far rows=100000000
  k   bigint not null ndv=100000000 min=1 max=100000000000000
table some rows=3000000
  k   bigint not null ndv=3000000 min=1 max=100000000000000
table often rows=60000000
  k   bigint not null ndv=3000000 min=1 max=100000000000000
table words rows=1000000
  s   varchar(20) ndv=1000000
table names rows=10000000
  s   varchar(20) ndv=1000000
table wide rows=20000000
  a   bigint not null ndv=10000000 min=1 max=20000000
  b   bigint
  c   varchar(20)
  d   varchar(20)
table logs rows=20000000
  at  bigint not null ndv=20000000 min=1 max=20000000 sorted
table marks rows=20000000
  at  bigint not null ndv=20000000 min=1 max=20000000 sorted
table sparse rows=20000000
  at  bigint not null ndv=20000000 min=1 max=2000000000 sorted
table spans rows=100000
  lo  bigint not null ndv=90000 min=0 max=1000000
  hi  bigint not null ndv=90000 min=10 max=1000010
table items rows=1000000
  id  bigint primary found ndv=1000000 min=1 max=1000000
  v   bigint ndv=1000
  w   bigint unique found ndv=1000000 min=1 max=1000000
table pairs rows=1000000
  a   bigint found ndv=1000 min=1 max=1000
  b   uint found ndv=1000 min=1 max=1000
  v   bigint ndv=1000
  unique(a,b)
table points rows=200000
  x   bigint not null ndv=180000 min=0 max=1000000
`

// byPairs leaves only plans that produce the row pairs of joins.
var byPairs = map[string]bool{"GroupJoin": true, "EagerAggregation": true}

// TestJoinChoice checks which algorithm wins in which case.
func TestJoinChoice(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct {
		name, sql string
		want      physical.JoinAlgo
		buildLeft bool
	}{
		{"small build", "SELECT s, g FROM fact JOIN dim ON fact.d = dim.id", physical.Hash, false},
		{"small build on the left", "SELECT s, g FROM dim JOIN fact ON fact.d = dim.id", physical.Hash, true},
		{"both beyond the cache", "SELECT COUNT(*) FROM far a JOIN far b ON a.k = b.k", physical.Merge, false},
		{"beyond the cache, and far more rows beside", "SELECT COUNT(*) FROM often JOIN some ON often.k = some.k", physical.Radix, false},
		{"both beyond the cache and dense", "SELECT COUNT(*) FROM big JOIN huge ON big.id = huge.b", physical.Hash, false},
		{"text beyond the cache", "SELECT COUNT(*) FROM names a JOIN words b ON a.s = b.s", physical.Hash, false},
		{"many columns and one sorted", "SELECT wide.*, logs.at FROM wide JOIN logs ON wide.a = logs.at", physical.Hash, false},
		{"both sorted", "SELECT COUNT(*) FROM sparse a JOIN sparse b ON a.at = b.at", physical.Merge, false},
		{"both sorted and dense", "SELECT COUNT(*) FROM logs JOIN marks ON logs.at = marks.at", physical.Hash, false},
		{"one sorted", "SELECT COUNT(*) FROM logs JOIN fact ON logs.at = fact.v", physical.Hash, false},
		{"keys looked up", "SELECT v FROM tiny JOIN items ON tiny.k = items.id", physical.Index, true},
		{"keys looked up from the right", "SELECT items.v FROM items JOIN tiny ON tiny.k + 1 = items.id", physical.Index, false},
		{"keys looked up for a left join", "SELECT v FROM tiny LEFT JOIN items ON tiny.k = items.id AND items.v > tiny.id", physical.Index, true},
		{"keys looked up for a semi join", "SELECT k FROM tiny WHERE EXISTS (SELECT 1 FROM items WHERE items.id = tiny.k)", physical.Index, true},
		{"keys looked up for an anti join", "SELECT k FROM tiny WHERE NOT EXISTS (SELECT 1 FROM items WHERE items.id = tiny.k)", physical.Index, true},
		{"keys looked up below an aggregate", "SELECT k, n FROM tiny JOIN (SELECT id, COUNT(*) AS n FROM items GROUP BY id) x ON k = x.id", physical.Index, true},
		{"all of a table stays", "SELECT v FROM items LEFT JOIN tiny ON tiny.k = items.id", physical.Hash, false},
		{"NULL equals NULL", "SELECT v FROM tiny JOIN items ON tiny.m <=> items.w", physical.Hash, true},
		{"NULL equals NULL, of which there is none", "SELECT v FROM tiny JOIN items ON tiny.k <=> items.w", physical.Index, true},
		{"composite keys looked up", "SELECT v FROM tiny JOIN pairs ON tiny.k = pairs.a AND tiny.i = pairs.b", physical.Index, true},
		{"composite keys looked up for a semi join", "SELECT k FROM tiny WHERE EXISTS (SELECT 1 FROM pairs WHERE pairs.b = tiny.i AND pairs.a = tiny.k AND pairs.v > tiny.id)", physical.Index, true},
		{"half a composite key", "SELECT v FROM tiny JOIN pairs ON tiny.k = pairs.a AND tiny.i = pairs.v", physical.Merge, false},
		{"a composite key with another operator", "SELECT v FROM tiny JOIN pairs ON tiny.k = pairs.a AND tiny.i < pairs.b", physical.Hash, true},
		{"no key", "SELECT items.id FROM tiny JOIN items ON tiny.k = items.v", physical.Hash, true},
		{"too many keys", "SELECT items.v FROM fact JOIN items ON fact.v = items.id", physical.Hash, false},
		{"no index join by hint", "SELECT /*+ NO_INDEX_JOIN(items) */ v FROM tiny JOIN items ON tiny.k = items.id", physical.Hash, true},
		{"one range", "SELECT COUNT(*) FROM points a JOIN points b ON a.x < b.x", physical.Range, false},
		{"interval", "SELECT COUNT(*) FROM spans JOIN points ON x BETWEEN lo AND hi", physical.Range, false},
		{"no range", "SELECT COUNT(*) FROM points JOIN spans ON x <> lo", physical.NestedLoop, false},
		{"product", "SELECT COUNT(*) FROM dim, tiny", physical.NestedLoop, false},
		{"few pairs", "SELECT COUNT(*) FROM tiny a JOIN tiny b ON a.id < b.k", physical.NestedLoop, false},
		{"left join with small left", "SELECT tiny.id, v FROM tiny LEFT JOIN fact ON fact.d = tiny.k", physical.Hash, true},
		{"left join with small right", "SELECT fact.id, g FROM fact LEFT JOIN dim ON fact.d = dim.id", physical.Hash, false},
		{"semi join with small left", "SELECT id FROM dim WHERE EXISTS (SELECT 1 FROM fact WHERE fact.d = dim.id AND fact.v > dim.g)", physical.Hash, true},
	} {
		p, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2, DisabledRules: byPairs})
		js := joins(p)
		if len(js) != 1 {
			t.Errorf("%s: %d joins\n%s", tt.name, len(js), show(p))
			continue
		}
		j := js[0].Op.(*physical.Join)
		if j.Algo != tt.want || j.BuildLeft != tt.buildLeft && (j.Algo == physical.Hash || j.Algo == physical.Index) {
			t.Errorf("%s: %s, build left %v\n%s", tt.name, j.Algo, j.BuildLeft, show(p))
		}
		checkBids(t, tt.name, js[0])
	}
}

// checkBids checks that every algorithm has a bid, chosen or rejected, with a price or a reason.
func checkBids(t *testing.T, name string, n *physical.Node) {
	t.Helper()
	seen := map[string]bool{string(n.Op.(*physical.Join).Algo): true}
	last := n.Est.TotalMS
	for _, b := range n.Rejected {
		algo, _, _ := strings.Cut(b.Algorithm, " ")
		seen[algo] = true
		if b.Why == "" && b.TotalMS < last*(1-1e-9) {
			t.Errorf("%s: rejected %s at %g ms comes after %g ms", name, b.Algorithm, b.TotalMS, last)
		}
		if b.Why == "" {
			last = b.TotalMS
		}
	}
	for _, a := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range, physical.NestedLoop} {
		if !seen[string(a)] {
			t.Errorf("%s: no bid of %s", name, a)
		}
	}
}

func TestHints(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct {
		hint, from string
		want       physical.JoinAlgo
		warns      bool
	}{
		{"HASH_JOIN(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Hash, false},
		{"RADIX_JOIN(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Radix, false},
		{"MERGE_JOIN(fact)", "fact JOIN dim ON fact.d = dim.id", physical.Merge, false},
		{"NL_JOIN(dim)", "fact JOIN dim ON fact.d = dim.id", physical.NestedLoop, false},
		{"NL_JOIN()", "fact JOIN dim ON fact.d = dim.id", physical.NestedLoop, false},
		{"RANGE_JOIN(b)", "tiny a JOIN tiny b ON a.id < b.k", physical.Range, false},
		{"RANGE_JOIN(b)", "tiny a JOIN tiny b ON a.id < b.k AND a.k = b.id", physical.Range, false},
		{"NO_HASH_JOIN(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Radix, false},
		{"HASH_JOIN(b)", "points a JOIN points b ON a.x < b.x", physical.Range, true},
		{"RANGE_JOIN(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Hash, true},
		{"NL_JOIN(y)", "fact JOIN (SELECT id AS i FROM dim WHERE g < 3) y ON fact.d = y.i", physical.NestedLoop, false},
		{"GPU(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Hash, true},
		{"CPU(dim)", "fact JOIN dim ON fact.d = dim.id", physical.Hash, false},
	} {
		sql := fmt.Sprintf("SELECT /*+ %s */ COUNT(*) FROM %s", tt.hint, tt.from)
		p, s := optimize(t, cat, sql, planner.Options{Workers: 2})
		j := joins(p)[0]
		if got := j.Op.(*physical.Join).Algo; got != tt.want {
			t.Errorf("%s: %s\n%s", sql, got, show(p))
		}
		if warned := len(s.warnings) == 1 && strings.HasPrefix(s.warnings[0], "3126 Hint "+tt.hint+" is ignored"); warned != tt.warns || len(s.warnings) > 1 {
			t.Errorf("%s: warnings %q", sql, s.warnings)
		}
		checkBids(t, tt.hint, &physical.Node{Op: j.Op, Rejected: j.Rejected})
	}
}

// TestHintsOfBlocks checks hints that name tables of query blocks by QB_NAME, as MySQL's manual
// describes them: t@block for a table, @block before all of them.
func TestHintsOfBlocks(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct {
		sql  string
		want []physical.JoinAlgo
		warn string
	}{
		{"SELECT /*+ MERGE_JOIN(dim@sub) */ fact.d FROM fact WHERE EXISTS (SELECT /*+ QB_NAME(sub) */ 1 FROM dim WHERE dim.id = fact.d)", []physical.JoinAlgo{physical.Merge}, ""},
		{"SELECT /*+ MERGE_JOIN(@Sub dim) */ fact.d FROM fact WHERE EXISTS (SELECT /*+ QB_NAME(`sub`) */ 1 FROM dim WHERE dim.id = fact.d)", []physical.JoinAlgo{physical.Merge}, ""},
		{"SELECT /*+ NL_JOIN(@sub) QB_NAME(top) */ fact.d FROM fact WHERE EXISTS (SELECT /*+ QB_NAME(sub) */ 1 FROM dim WHERE dim.id = fact.d)", []physical.JoinAlgo{physical.NestedLoop}, ""},
		{"SELECT /*+ RADIX_JOIN(dim@x, y) */ y.n FROM (SELECT /*+ QB_NAME(x) */ COUNT(*) AS n, fact.d FROM fact JOIN dim ON fact.d = dim.id GROUP BY fact.d) y JOIN tiny ON tiny.id = y.d",
			[]physical.JoinAlgo{physical.Radix, physical.Radix}, ""},
		{"SELECT fact.d FROM fact WHERE EXISTS (SELECT /*+ QB_NAME(sub) MERGE_JOIN(fact@top) */ 1 FROM dim WHERE dim.id = fact.d)", []physical.JoinAlgo{physical.Hash},
			"3126 Hint MERGE_JOIN(fact@top) is ignored: no query block is named top"},
		{"SELECT /*+ QB_NAME(x) */ fact.d FROM fact JOIN (SELECT /*+ QB_NAME(x) */ id FROM dim) d ON d.id = fact.d", []physical.JoinAlgo{physical.Hash},
			"3126 Hint QB_NAME(x) is ignored: another query block has this name"},
		{"SELECT /*+ QB_NAME(x) QB_NAME(y) */ fact.d FROM fact JOIN dim ON dim.id = fact.d", []physical.JoinAlgo{physical.Hash},
			"3126 Hint QB_NAME(y) is ignored: the query block has a name"},
		{"SELECT /*+ MERGE_JOIN(other@x) */ fact.d FROM fact WHERE EXISTS (SELECT /*+ QB_NAME(x) */ 1 FROM dim WHERE dim.id = fact.d)", []physical.JoinAlgo{physical.Hash},
			"3126 Hint MERGE_JOIN(other@x) is ignored: it concerns no join of the query"},
	} {
		p, s := optimize(t, cat, tt.sql, planner.Options{Workers: 2})
		var got []physical.JoinAlgo
		for _, j := range joins(p) {
			got = append(got, j.Op.(*physical.Join).Algo)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s\n%s", tt.sql, got, show(p))
		}
		if strings.Join(s.warnings, "; ") != tt.warn {
			t.Errorf("%s: warnings %q, want %q", tt.sql, s.warnings, tt.warn)
		}
	}
}

// order returns the scans of a plan, left to right.
func order(p *physical.Node) string {
	if s, ok := p.Op.(*physical.Scan); ok {
		return s.Alias
	}
	var parts []string
	for _, in := range p.In {
		parts = append(parts, order(in))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func TestJoinOrderHints(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const from = "FROM fact JOIN dim ON fact.d = dim.id JOIN tiny ON tiny.id = dim.g JOIN points ON points.x = fact.v"
	for _, tt := range []struct{ sel, want string }{
		{"SELECT STRAIGHT_JOIN COUNT(*)", "(((fact dim) tiny) points)"},
		{"SELECT /*+ LEADING(points, fact, dim) */ COUNT(*)", "(((points fact) dim) tiny)"},
	} {
		p, s := optimize(t, cat, tt.sel+" "+from, planner.Options{DisabledRules: byPairs})
		if got := order(p); got != tt.want || len(s.warnings) > 0 {
			t.Errorf("%s: order %s, warnings %q", tt.sel, got, s.warnings)
		}
	}
	p, s := optimize(t, cat, "SELECT /*+ LEADING(points, nowhere) */ COUNT(*) "+from, planner.Options{DisabledRules: byPairs})
	if len(s.warnings) != 1 {
		t.Errorf("LEADING of an unknown table: warnings %q\n%s", s.warnings, show(p))
	}
}

// chainOf64 joins 64 tables like sqllogictest's select5.
func chainOf64(shape func(i int) int) (*plantest.Catalog, string) {
	cat := plantest.New()
	var from, where []string
	for i := 1; i <= 64; i++ {
		err := cat.Define(fmt.Sprintf("table t%d rows=10\n a%d bigint primary ndv=10 min=1 max=10\n b%d bigint ndv=10 min=1 max=10\n x%d varchar(40)", i, i, i, i))
		if err != nil {
			panic(err)
		}
		from = append(from, fmt.Sprintf("t%d", i))
		if i > 1 {
			where = append(where, fmt.Sprintf("a%d = b%d", i, shape(i)))
		}
	}
	where = append(where, "a1 = 5")
	return cat, "SELECT x1, x64, x30 FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND ")
}

var shapes = map[string]func(i int) int{
	"chain":  func(i int) int { return i - 1 },
	"star":   func(int) int { return 1 },
	"random": func(i int) int { return 1 + (i*7919)%(i-1) },
}

func TestSixtyFourWayJoin(t *testing.T) {
	for name, shape := range shapes {
		cat, sql := chainOf64(shape)
		n, _ := bind(t, cat, sql)
		best := time.Hour
		var p *physical.Node
		for i := 0; i < 3; i++ {
			start := cputime.Used()
			var err error
			if p, err = planner.Optimize(n, planner.Options{}); err != nil {
				t.Fatal(err)
			}
			best = min(best, cputime.Used()-start)
		}
		if best > time.Second { // a few milliseconds are usual
			t.Errorf("%s: planning took %v", name, best)
		}
		for _, j := range joins(p) {
			if len(j.Op.(*physical.Join).Keys) == 0 && j.Op.(*physical.Join).Algo != physical.NestedLoop {
				t.Errorf("%s: a product in a connected graph", name)
			}
		}
		if got := len(joins(p)); got != 63 {
			t.Errorf("%s: %d joins", name, got)
		}
		t.Logf("%s: %v", name, best)
	}
}

// TestDisconnected checks that filters make inputs small before products are formed,
// and that the smallest are multiplied first.
func TestDisconnected(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT 1 FROM fact a, dim b, tiny c WHERE a.v = 7 AND b.g IN (1, 2) AND c.id < 4", planner.Options{})
	js := joins(p)
	if len(js) != 2 {
		t.Fatal(show(p))
	}
	// tiny has 3 rows left, dim 200, fact 200: tiny is in the first product.
	if rows := js[1].Est.Rows; rows < 500 || rows > 700 {
		t.Errorf("the first product has %g rows\n%s", rows, show(p))
	}
}

func BenchmarkOptimize(b *testing.B) {
	cat := plantest.MustDefine(warehouse)
	run := func(name, sql string, cat *plantest.Catalog) {
		n, _ := bind(b, cat, sql)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				if _, err := planner.Optimize(n, planner.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("one table", "SELECT v, s FROM fact WHERE v > 10 AND s = 'x' ORDER BY v", cat)
	run("two tables", "SELECT g, COUNT(*) FROM fact JOIN dim ON fact.d = dim.id WHERE g < 3 GROUP BY g", cat)
	for name, shape := range shapes {
		c, sql := chainOf64(shape)
		run(name+" of 64", sql, c)
	}
}
