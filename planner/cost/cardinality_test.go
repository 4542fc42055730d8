package cost

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"sort"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// table is a catalog.Table of generated BIGINT columns whose statistics are computed
// from the rows. NULL is the smallest integer.
type table struct {
	schema catalog.Schema
	stats  catalog.Stats
	rows   [][]int64 // by column
}

const null = math.MinInt64

func (t *table) Name() string            { return "t" }
func (t *table) Schema() *catalog.Schema { return &t.schema }
func (t *table) Stats() *catalog.Stats   { return &t.stats }
func (t *table) Version() uint64         { return 1 }
func (t *table) Scan(context.Context, catalog.ScanSpec) (catalog.Source, error) {
	return nil, fmt.Errorf("not scanned")
}

func newTable(cols ...[]int64) *table {
	t := &table{rows: cols}
	t.stats = catalog.Stats{Rows: int64(len(cols[0])), Exact: true}
	for i, c := range cols {
		t.schema.Columns = append(t.schema.Columns, catalog.Column{Name: fmt.Sprintf("c%d", i), Type: types.T(types.Int64)})
		t.stats.Columns = append(t.stats.Columns, statsOf(c))
	}
	return t
}

// statsOf collects the same statistics as a load: 32 buckets and the ten most common values.
func statsOf(c []int64) catalog.ColumnStats {
	var s catalog.ColumnStats
	count := map[int64]int64{}
	var vals []int64
	for _, v := range c {
		if v == null {
			s.Nulls++
			continue
		}
		count[v]++
		vals = append(vals, v)
	}
	s.NDV = int64(len(count))
	sort.Slice(vals, func(i, j int) bool { return vals[i] < vals[j] })
	lo, hi := catalog.Int(vals[0]), catalog.Int(vals[len(vals)-1])
	s.Min, s.Max = &lo, &hi
	s.Hist = &catalog.Histogram{Rows: int64(len(vals))}
	for i := 0; i <= 32; i++ {
		s.Hist.Bounds = append(s.Hist.Bounds, float64(vals[i*(len(vals)-1)/32]))
	}
	for v, n := range count {
		s.MCV = append(s.MCV, catalog.ValueCount{Value: catalog.Int(v), Rows: n})
	}
	sort.Slice(s.MCV, func(i, j int) bool {
		a, b := s.MCV[i], s.MCV[j]
		return a.Rows > b.Rows || a.Rows == b.Rows && a.Value.I64 < b.Value.I64
	})
	s.MCV = s.MCV[:min(10, len(s.MCV))]
	return s
}

// scan reads all columns of t; column i has the id base+i.
func (t *table) scan(base expr.ColID) *logical.Scan {
	s := &logical.Scan{Table: t}
	for i := range t.rows {
		s.Columns = append(s.Columns, logical.Column{ID: base + expr.ColID(i), Name: fmt.Sprintf("c%d", base+expr.ColID(i)), T: types.T(types.Int64)})
		s.Ordinals = append(s.Ordinals, i)
	}
	return s
}

func uniform(rng *rand.Rand, n int, lo, hi int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = lo + rng.Int63n(hi-lo+1)
	}
	return out
}

func zipf(rng *rand.Rand, n int, s float64, max uint64) []int64 {
	z := rand.NewZipf(rng, s, 1, max)
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(z.Uint64())
	}
	return out
}

func withNulls(rng *rand.Rand, c []int64, share float64) []int64 {
	for i := range c {
		if rng.Float64() < share {
			c[i] = null
		}
	}
	return c
}

func col(id expr.ColID) expr.Expr {
	return &expr.Col{ID: id, Name: fmt.Sprintf("c%d", id), T: types.T(types.Int64)}
}
func num(v int64) expr.Expr { return &expr.Const{Value: catalog.Int(v)} }
func call(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	return &expr.Call{Fn: fn, Args: args, T: types.T(types.Int64), Pos: -1}
}

// within fails if an estimate is wrong by more than the factor.
func within(t *testing.T, name string, got, want, factor float64) {
	t.Helper()
	g, w := math.Max(got, 1), math.Max(want, 1)
	if q := math.Max(g/w, w/g); q > factor || math.IsNaN(got) {
		t.Errorf("%s: estimated %.1f, true %.0f: off by %.2f, allowed %.2f", name, got, want, q, factor)
	}
}

func TestFilterCardinality(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	const n = 20000
	tab := newTable(uniform(rng, n, 0, 999), zipf(rng, n, 1.3, 5000), withNulls(rng, uniform(rng, n, -500, 500), 0.3), uniform(rng, n, 0, 3))
	for _, tt := range []struct {
		name   string
		pred   []expr.Expr
		keep   func(r []int64) bool
		factor float64
	}{
		{"=", []expr.Expr{call("=", col(1), num(77))}, func(r []int64) bool { return r[0] == 77 }, 1.7},
		{"= mirrored", []expr.Expr{call("=", num(77), col(1))}, func(r []int64) bool { return r[0] == 77 }, 1.7},
		{"= outside", []expr.Expr{call("=", col(1), num(7777))}, func(r []int64) bool { return r[0] == 7777 }, 1},
		{"= common", []expr.Expr{call("=", col(2), num(0))}, func(r []int64) bool { return r[1] == 0 }, 1.01},
		{"= rare", []expr.Expr{call("=", col(2), num(400))}, func(r []int64) bool { return r[1] == 400 }, 4},
		{"<>", []expr.Expr{call("<>", col(2), num(0))}, func(r []int64) bool { return r[1] != 0 }, 1.01},
		{"<> with NULLs", []expr.Expr{call("<>", col(3), num(0))}, func(r []int64) bool { return r[2] != null && r[2] != 0 }, 1.02},
		{"<", []expr.Expr{call("<", col(1), num(100))}, func(r []int64) bool { return r[0] < 100 }, 1.1},
		{"<=", []expr.Expr{call("<=", col(4), num(1))}, func(r []int64) bool { return r[3] <= 1 }, 1.1},
		{"< small domain", []expr.Expr{call("<", col(4), num(1))}, func(r []int64) bool { return r[3] < 1 }, 1.25},
		{"> with NULLs", []expr.Expr{call(">", col(3), num(250))}, func(r []int64) bool { return r[2] != null && r[2] > 250 }, 1.1},
		{"< skewed", []expr.Expr{call(">", col(2), num(20))}, func(r []int64) bool { return r[1] > 20 }, 1.3},
		{"between", []expr.Expr{call(">=", col(1), num(200)), call("<=", col(1), num(209))}, func(r []int64) bool { return r[0] >= 200 && r[0] <= 209 }, 1.2},
		{"between with NULLs", []expr.Expr{call(">=", col(3), num(-100)), call("<", col(3), num(100))}, func(r []int64) bool { return r[2] >= -100 && r[2] < 100 }, 1.1},
		{"empty between", []expr.Expr{call(">", col(1), num(300)), call("<", col(1), num(200))}, func([]int64) bool { return false }, 1},
		{"in", []expr.Expr{call("in", col(1), num(1), num(2), num(3))}, func(r []int64) bool { return r[0] >= 1 && r[0] <= 3 }, 1.3},
		{"is null", []expr.Expr{call("isnull", col(3))}, func(r []int64) bool { return r[2] == null }, 1.01},
		{"is not null", []expr.Expr{call("not", call("isnull", col(3)))}, func(r []int64) bool { return r[2] != null }, 1.01},
		{"not <", []expr.Expr{call("not", call("<", col(3), num(0)))}, func(r []int64) bool { return r[2] != null && r[2] >= 0 }, 1.1},
		{"or", []expr.Expr{call("or", call("=", col(4), num(1)), call("<", col(1), num(500)))}, func(r []int64) bool { return r[3] == 1 || r[0] < 500 }, 1.1},
		// Exponential back-off keeps more rows than independence would.
		{"and", []expr.Expr{call("=", col(4), num(1)), call("<", col(1), num(500))}, func(r []int64) bool { return r[3] == 1 && r[0] < 500 }, 1.6},
		{"column = column", []expr.Expr{call("=", col(1), col(2))}, func(r []int64) bool { return r[0] == r[1] }, 3},
	} {
		f := &logical.Filter{In: tab.scan(1), Preds: tt.pred}
		var want float64
		for i := 0; i < n; i++ {
			if tt.keep([]int64{tab.rows[0][i], tab.rows[1][i], tab.rows[2][i], tab.rows[3][i]}) {
				want++
			}
		}
		within(t, tt.name, NewEstimator().Derive(f).Rows, want, tt.factor)
	}
}

func TestJoinCardinality(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	const n, m = 1000, 1500
	seq := make([]int64, n)
	for i := range seq {
		seq[i] = int64(i)
	}
	starts := uniform(rng, m, 0, 100000)
	ends := make([]int64, m)
	for i := range ends {
		ends[i] = starts[i] + rng.Int63n(500)
	}
	// l: 1 key, 2 uniform, 3 skewed, 4 NULLs, 5 point, 6 group
	l := newTable(seq, uniform(rng, n, 0, 99), zipf(rng, n, 1.2, 1000), withNulls(rng, uniform(rng, n, 0, 199), 0.4), uniform(rng, n, 0, 100000), uniform(rng, n, 0, 9))
	// r: 11 foreign key, 12 uniform, 13 skewed, 14 shifted range, 15 start, 16 end, 17 group
	r := newTable(uniform(rng, m, 0, n-1), uniform(rng, m, 0, 199), zipf(rng, m, 1.4, 1000), uniform(rng, m, 50, 249), starts, ends, uniform(rng, m, 0, 9))
	plus := func(e expr.Expr, k int64) expr.Expr { return call("+", e, num(k)) }
	for _, tt := range []struct {
		name   string
		on     []expr.Expr
		match  func(l, r []int64) bool
		factor float64
	}{
		{"key = foreign key", []expr.Expr{call("=", col(1), col(11))}, func(l, r []int64) bool { return l[0] == r[0] }, 1.01},
		{"many to many", []expr.Expr{call("=", col(2), col(12))}, func(l, r []int64) bool { return l[1] == r[1] }, 1.3},
		{"skewed both", []expr.Expr{call("=", col(3), col(13))}, func(l, r []int64) bool { return l[2] == r[2] }, 1.3},
		{"NULL keys", []expr.Expr{call("=", col(4), col(12))}, func(l, r []int64) bool { return l[3] == r[1] }, 1.2},
		{"partly overlapping", []expr.Expr{call("=", col(4), col(14))}, func(l, r []int64) bool { return l[3] == r[3] }, 1.3},
		{"two keys", []expr.Expr{call("=", col(2), col(12)), call("=", col(6), col(17))}, func(l, r []int64) bool { return l[1] == r[1] && l[5] == r[6] }, 2},
		{"<", []expr.Expr{call("<", col(2), col(12))}, func(l, r []int64) bool { return l[1] < r[1] }, 1.1},
		{"> mirrored", []expr.Expr{call(">", col(14), col(4))}, func(l, r []int64) bool { return l[3] != null && r[3] > l[3] }, 1.1},
		{"< skewed", []expr.Expr{call("<", col(3), col(13))}, func(l, r []int64) bool { return l[2] < r[2] }, 1.4},
		{"wide band", []expr.Expr{call(">=", col(5), col(15)), call("<=", col(5), plus(col(15), 10000))}, func(l, r []int64) bool { return l[4] >= r[4] && l[4] <= r[4]+10000 }, 1.1},
		{"narrow band", []expr.Expr{call(">=", plus(col(5), 50), col(15)), call("<=", plus(col(5), -50), col(15))}, func(l, r []int64) bool { return l[4]+50 >= r[4] && l[4]-50 <= r[4] }, 1.5},
		{"point in interval", []expr.Expr{call(">=", col(5), col(15)), call("<=", col(5), col(16))}, func(l, r []int64) bool { return l[4] >= r[4] && l[4] <= r[5] }, 2},
		{"range and key", []expr.Expr{call("=", col(6), col(17)), call("<", col(2), col(12))}, func(l, r []int64) bool { return l[5] == r[6] && l[1] < r[1] }, 1.2},
		{"<>", []expr.Expr{call("<>", col(6), col(17))}, func(l, r []int64) bool { return l[5] != r[6] }, 1.05},
	} {
		pairs, matched := 0.0, 0.0
		for i := 0; i < n; i++ {
			a := []int64{l.rows[0][i], l.rows[1][i], l.rows[2][i], l.rows[3][i], l.rows[4][i], l.rows[5][i]}
			before := pairs
			for j := 0; j < m; j++ {
				b := []int64{r.rows[0][j], r.rows[1][j], r.rows[2][j], r.rows[3][j], r.rows[4][j], r.rows[5][j], r.rows[6][j]}
				if tt.match(a, b) {
					pairs++
				}
			}
			if pairs > before {
				matched++
			}
		}
		rows := func(k logical.JoinKind) float64 {
			return NewEstimator().Derive(&logical.Join{Kind: k, L: l.scan(1), R: r.scan(11), On: tt.on}).Rows
		}
		within(t, tt.name, rows(logical.Inner), pairs, tt.factor)
		within(t, tt.name+" left", rows(logical.Left), pairs+n-matched, math.Max(tt.factor, 1.3))
		within(t, tt.name+" semi", rows(logical.Semi), matched, 2)
		if n-matched > n/10 {
			within(t, tt.name+" anti", rows(logical.Anti), n-matched, 2)
		}
		if mark := rows(logical.Mark); mark != n {
			t.Errorf("%s: a mark join gives %g rows", tt.name, mark)
		}
	}
}

func TestGroupCardinality(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	const n = 10000
	tab := newTable(uniform(rng, n, 0, 9), uniform(rng, n, 0, 99), uniform(rng, n, 0, 4999), withNulls(rng, uniform(rng, n, 0, 4), 0.2))
	for _, keys := range [][]int{{0}, {1}, {2}, {3}, {0, 1}, {1, 2}, {0, 1, 2}, {0, 3}} {
		groups := map[string]bool{}
		for i := 0; i < n; i++ {
			var k []int64
			for _, c := range keys {
				k = append(k, tab.rows[c][i])
			}
			groups[fmt.Sprint(k)] = true
		}
		s := tab.scan(1)
		a := &logical.Aggregate{In: s}
		for _, c := range keys {
			a.Keys = append(a.Keys, s.Columns[c])
		}
		within(t, fmt.Sprint("by ", keys), NewEstimator().Derive(a).Rows, float64(len(groups)), 1.15)
	}
	seq := make([]int64, n)
	for i := range seq {
		seq[i] = int64(i)
	}
	dim := newTable(seq, uniform(rng, n, 0, 4999), uniform(rng, n, 0, 9))
	many := newTable(uniform(rng, 10*n, 0, n/2-1)) // of half of the keys
	d := dim.scan(1)
	joined := &logical.Join{L: many.scan(11), R: d, On: []expr.Expr{call("=", col(11), col(1))}}
	within(t, "a key and what it determines", NewEstimator().Derive(&logical.Aggregate{In: joined, Keys: d.Columns}).Rows, n/2, 1.05)
	few := &logical.Join{L: many.scan(11), R: &logical.Filter{In: d, Preds: []expr.Expr{call("=", col(3), num(4))}}, On: joined.On}
	within(t, "a key and what it determines, filtered", NewEstimator().Derive(&logical.Aggregate{In: few, Keys: d.Columns[:2]}).Rows, n/20, 1.2)
	f := &logical.Filter{In: tab.scan(1), Preds: []expr.Expr{call("<", col(1), num(1))}}
	a := &logical.Aggregate{In: f, Keys: []logical.Column{tab.scan(1).Columns[2]}}
	seen := map[int64]bool{}
	for i := 0; i < n; i++ {
		if tab.rows[0][i] < 1 {
			seen[tab.rows[2][i]] = true
		}
	}
	within(t, "groups of a tenth of the rows", NewEstimator().Derive(a).Rows, float64(len(seen)), 1.2)
}

// TestUnknownStatistics checks that estimates are plausible without any statistics.
func TestUnknownStatistics(t *testing.T) {
	tab := newTable([]int64{1, 2, 3}, []int64{4, 5, 6})
	tab.stats = catalog.Stats{}
	e := NewEstimator()
	s := tab.scan(1)
	if rows := e.Derive(s).Rows; rows != defaultRows {
		t.Errorf("a table without statistics has %g rows", rows)
	}
	eq := e.Derive(&logical.Filter{In: s, Preds: []expr.Expr{call("=", col(1), num(5))}}).Rows
	rng := e.Derive(&logical.Filter{In: s, Preds: []expr.Expr{call("<", col(1), num(5))}}).Rows
	if !(1 <= eq && eq < rng && rng < defaultRows) {
		t.Errorf("equality keeps %g rows, range %g", eq, rng)
	}
	empty := newTable([]int64{1})
	empty.stats = catalog.Stats{Exact: true}
	if rows := e.Derive(&logical.Join{L: empty.scan(11), R: s}).Rows; rows != 0 {
		t.Errorf("a product with an empty table has %g rows", rows)
	}
}

func TestUniformDifference(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for i := 0; i < 200; i++ {
		a, c := rng.Float64()*10, rng.Float64()*10
		b, e := a+rng.Float64()*10, c+rng.Float64()*10
		d := rng.Float64()*20 - 10
		const n = 400 // midpoint rule over a grid
		hits := 0
		for u := 0; u < n; u++ {
			for v := 0; v < n; v++ {
				if a+(b-a)*(float64(u)+0.5)/n-(c+(e-c)*(float64(v)+0.5)/n) <= d {
					hits++
				}
			}
		}
		if got, want := uniformDifference(a, b, c, e, d), float64(hits)/(n*n); math.Abs(got-want) > 0.006 {
			t.Fatalf("P([%g,%g] - [%g,%g] <= %g) = %g, want %g", a, b, c, e, d, got, want)
		}
	}
}

// TestDrawnFromManyValues checks that draws from many more values than rows are all different.
func TestDrawnFromManyValues(t *testing.T) {
	for _, values := range []float64{1e9, 1e20, 1e40, 1e300} {
		if got := drawn(values, 1000); math.Abs(got-1000) > 1e-3 {
			t.Errorf("1000 draws of %g values give %g", values, got)
		}
	}
}
