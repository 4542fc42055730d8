package cost

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// shownTable returns every tenth of its rows as a sample.
type shownTable struct {
	*table
	asked    int
	findings catalog.Findings
}

func (t *shownTable) Sample(columns []int) (*vec.Batch, *catalog.Findings) {
	t.asked++
	b := &vec.Batch{N: (len(t.rows[0]) + 9) / 10}
	for _, c := range columns {
		v := vec.NewFlat(types.T(types.Int64), b.N)
		for i := range b.N {
			if x := t.rows[c][10*i]; x == null {
				v.SetNull(i)
			} else {
				v.I64[i] = x
			}
		}
		b.Cols = append(b.Cols, v)
	}
	return b, &t.findings
}

func (t *shownTable) scan(base expr.ColID) *logical.Scan {
	s := t.table.scan(base)
	s.Table = t
	return s
}

// shownRows returns a table of 20000 rows: c1 uniform in 0..99, c2 the same as c1, c3 independent
// of both, c4 c1 plus 0..20, c5 NULL in half of the rows and else c1, c6 1000 times c3.
func shownRows() *shownTable {
	rng := rand.New(rand.NewSource(3))
	const n = 20000
	cols := make([][]int64, 6)
	cols[0], cols[2] = uniform(rng, n, 0, 99), uniform(rng, n, 0, 99)
	for i, x := range cols[0] {
		cols[1], cols[3], cols[5] = append(cols[1], x), append(cols[3], x+rng.Int63n(21)), append(cols[5], 1000*cols[2][i])
	}
	cols[4] = withNulls(rng, append([]int64{}, cols[0]...), 0.5)
	return &shownTable{table: newTable(cols...)}
}

// TestSampledCardinality checks predicates that column statistics describe poorly.
func TestSampledCardinality(t *testing.T) {
	tab := shownRows()
	n := len(tab.rows[0])
	mod := func(e expr.Expr, k int64) expr.Expr { return call("%", e, num(k)) }
	for _, tt := range []struct {
		name   string
		pred   []expr.Expr
		keep   func(r []int64) bool
		factor float64
	}{
		{"same", []expr.Expr{call("<", col(1), num(10)), call("<", col(2), num(10))}, func(r []int64) bool { return r[0] < 10 }, 1.1},
		{"apart", []expr.Expr{call("<", col(1), num(10)), call("<", col(3), num(10))}, func(r []int64) bool { return r[0] < 10 && r[2] < 10 }, 1.6},
		{"exclusive", []expr.Expr{call("<", col(1), num(50)), call(">=", col(2), num(50))}, func([]int64) bool { return false }, 20},
		{"band and other", []expr.Expr{call(">=", col(1), num(20)), call("<", col(3), num(50)), call("<", col(1), num(40))},
			func(r []int64) bool { return r[0] >= 20 && r[0] < 40 && r[2] < 50 }, 1.15},
		{"equal columns", []expr.Expr{call("=", col(1), col(2))}, func([]int64) bool { return true }, 1.03},
		{"column above column", []expr.Expr{call(">", col(4), col(1))}, func(r []int64) bool { return r[3] > r[0] }, 1.05},
		{"function", []expr.Expr{call("=", mod(col(1), 10), num(3))}, func(r []int64) bool { return r[0]%10 == 3 }, 1.25},
		{"function of NULLs", []expr.Expr{call("<", mod(col(5), 10), num(5))}, func(r []int64) bool { return r[4] != null && r[4]%10 < 5 }, 1.1},
		{"not of a function", []expr.Expr{call("not", call("=", mod(col(1), 10), num(3)))}, func(r []int64) bool { return r[0]%10 != 3 }, 1.05},
		{"or", []expr.Expr{call("or", call("<", col(1), num(10)), call("<", col(2), num(12)))}, func(r []int64) bool { return r[0] < 12 }, 1.1},
		{"placeholder", []expr.Expr{call("<", mod(col(1), 10), &expr.Placeholder{Value: catalog.Int(2)})}, func(r []int64) bool { return r[0]%10 < 2 }, 1.15},
	} {
		want := 0.0
		for i := range n {
			if tt.keep([]int64{tab.rows[0][i], tab.rows[1][i], tab.rows[2][i], tab.rows[3][i], tab.rows[4][i]}) {
				want++
			}
		}
		est := NewEstimator()
		within(t, tt.name, est.Derive(&logical.Filter{In: tab.scan(1), Preds: tt.pred}).Rows, want, tt.factor)
	}
}

// TestSampleIsLookedAtOnce checks that an expression is evaluated on the sample once, however often
// a statement uses it, and that other statements reuse the result for the same expression only.
func TestSampleIsLookedAtOnce(t *testing.T) {
	tab := shownRows()
	mod := func(id expr.ColID, k, is int64) expr.Expr { return call("=", call("%", col(id), num(k)), num(is)) }
	pred := mod(1, 7, 2)
	p := NewEstimator().Base(tab.scan(1))
	first := Selectivity(pred, p)
	for _, found := range p.looks.truths {
		found.count /= 100
	}
	if again := Selectivity(pred, p); again >= first/10 {
		t.Errorf("%g, then %g: what was found is not used", first, again)
	}
	for _, tt := range []struct {
		name string
		base expr.ColID
		e    expr.Expr
		same bool
	}{
		{"the same in another statement", 21, mod(21, 7, 2), true},
		{"another constant", 21, mod(21, 7, 3), false},
		{"a constant of another type", 21, call("=", call("%", col(21), num(7)), &expr.Const{Value: catalog.Datum{Type: types.T(types.Int32), I64: 2}}), false},
		{"another column", 21, mod(22, 7, 2), false},
		{"another function", 21, call("<=", call("%", col(21), num(7)), num(2)), false},
	} {
		again := Selectivity(tt.e, NewEstimator().Base(tab.scan(tt.base)))
		if (again < first/10) != tt.same {
			t.Errorf("%s: %g, %g of the first", tt.name, again, first)
		}
	}
}

// TestFewRowsTellEnough checks that a quarter of the sample is evaluated for predicates that
// match many rows and all of it for others, and that parts of a conjunction are compared on the
// same rows.
func TestFewRowsTellEnough(t *testing.T) {
	tab := shownRows()
	p := NewEstimator().Base(tab.scan(1))
	often, seldom := call("<", call("%", col(1), num(10)), num(5)), call("=", call("%", col(3), num(50)), num(7))
	Selectivity(often, p)
	Selectivity(seldom, p)
	shown, _ := tab.Sample([]int{0})
	for at, found := range p.looks.truths {
		want := shown.N
		if at.e == often {
			want /= 4
		}
		if found.n != want {
			t.Errorf("%v: %d rows are looked at, want %d", at.e, found.n, want)
		}
	}
	want := 0.0
	for i, x := range tab.rows[0] {
		if x%10 < 5 && tab.rows[2][i]%50 == 7 {
			want++
		}
	}
	within(t, "both", NewEstimator().Derive(&logical.Filter{In: tab.scan(1), Preds: []expr.Expr{often, seldom}}).Rows, want, 1.5)
}

// TestNoSample lists expressions that must not be evaluated on sample rows.
func TestNoSample(t *testing.T) {
	tab, small := shownRows(), &shownTable{table: newTable([]int64{1, 2, 3})}
	est := NewEstimator()
	base := est.Base(tab.scan(1))
	grouped := aggregated(base, &logical.Aggregate{Keys: tab.scan(1).Columns[:1]})
	padded := &Props{Rows: base.Rows, in: [2]*Props{est.Base(tab.scan(11)), base}, padded: [2]float64{1: 0.5}}
	both := &Props{Rows: 1e6, in: [2]*Props{base, est.Base(tab.scan(11))}}
	odd := func(e expr.Expr) expr.Expr { return call("=", call("%", e, num(2)), num(1)) }
	long := call("or")
	for range mostCalls {
		long.(*expr.Call).Args = append(long.(*expr.Call).Args, odd(col(1)))
	}
	for _, tt := range []struct {
		name string
		p    *Props
		e    expr.Expr
	}{
		{"groups", grouped, odd(col(1))},
		{"padding", padded, odd(col(1))},
		{"two tables", both, call("<>", col(1), col(11))},
		{"few rows", est.Base(small.scan(1)), odd(col(1))},
		{"random", base, call("<", col(1), call("rand"))},
		{"time", base, call("<", col(1), call("now"))},
		{"parameter of an outer row", base, odd(col(99))},
		{"what takes long", base, call("like", call("repeat", col(1), num(1000)), col(2))},
		{"long lists", base, long},
		{"no columns", base, odd(num(3))},
		{"table without rows to show", est.Base(tab.table.scan(1)), odd(col(1))},
	} {
		if _, ok := tt.p.sampleOf(tt.e); ok {
			t.Errorf("%s: rows are looked at", tt.name)
		}
	}
	if tab.asked+small.asked > 0 {
		t.Error("tables were asked for rows")
	}
	if _, ok := both.sampleOf(odd(col(11))); !ok {
		t.Error("rows of one side of a join are not looked at")
	}
}

// TestUnseenValues compares distinct counts estimated from a sample with the true ones.
func TestUnseenValues(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for _, tt := range []struct{ values, rows, factor float64 }{{1, 500, 1}, {7, 500, 1}, {200, 2000, 1.05}, {2000, 2000, 1.2}, {10000, 2000, 1.4}} {
		v := vec.NewFlat(types.T(types.Int64), int(tt.rows))
		for i := range v.I64 {
			v.I64[i] = rng.Int63n(int64(tt.values))
		}
		distinct, _ := distinctOf(v)
		within(t, fmt.Sprint(tt.values, " values"), distinct, tt.values, tt.factor)
	}
	if got := NewEstimator().Base(shownRows().scan(1)).NDV(call("%", col(1), num(10))); got != 10 {
		t.Errorf("%g remainders of 10", got)
	}
}

// TestMomentsOfGroups compares HAVING estimates for randomly formed groups with the truth.
func TestMomentsOfGroups(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	const rows, groups = 50000, 5000
	keys, values := uniform(rng, rows, 0, groups-1), uniform(rng, rows, 0, 100)
	tab := newTable(keys, values)
	sum, count := make([]float64, groups), make([]float64, groups)
	for i, k := range keys {
		sum[k], count[k] = sum[k]+float64(values[i]), count[k]+1
	}
	agg := func(fn expr.AggFn, args ...expr.Expr) *Props {
		a, err := expr.NewAgg(fn, args, false)
		if err != nil {
			t.Fatal(err)
		}
		in := tab.scan(1)
		return NewEstimator().Derive(&logical.Aggregate{In: in, Keys: in.Columns[:1], Aggs: []logical.AggItem{{Col: logical.Column{ID: 9, T: types.T(types.Int64)}, Agg: a}}})
	}
	for _, tt := range []struct {
		name   string
		p      *Props
		value  func(k int) float64
		op     expr.FuncID
		than   float64
		factor float64
	}{
		{"SUM > most", agg(expr.Sum, col(2)), func(k int) float64 { return sum[k] }, ">", 300, 1.1},
		{"SUM > some", agg(expr.Sum, col(2)), func(k int) float64 { return sum[k] }, ">", 700, 1.3},
		{"SUM > few", agg(expr.Sum, col(2)), func(k int) float64 { return sum[k] }, ">", 1000, 5},
		{"SUM < few", agg(expr.Sum, col(2)), func(k int) float64 { return sum[k] }, "<", 150, 3},
		{"COUNT > some", agg(expr.CountStar), func(k int) float64 { return count[k] }, ">", 13, 1.3},
		{"COUNT = some", agg(expr.CountStar), func(k int) float64 { return count[k] }, "=", 12, 1.2},
		{"AVG > some", agg(expr.Avg, col(2)), func(k int) float64 { return sum[k] / count[k] }, ">", 60, 1.3},
		{"AVG < some", agg(expr.Avg, col(2)), func(k int) float64 { return sum[k] / count[k] }, "<", 40, 1.3},
	} {
		want := 0.0
		for k := range groups {
			if x := tt.value(k); tt.op == ">" && x > tt.than || tt.op == "<" && x < tt.than || tt.op == "=" && x == tt.than {
				want++
			}
		}
		got := tt.p.Rows * Selectivity(call(tt.op, &expr.Col{ID: 9, T: types.T(types.Int64)}, num(int64(tt.than))), tt.p)
		within(t, tt.name, got, want, tt.factor)
	}
}

// TestMomentsWithin checks that the shares of normal values below, at and above a whole number add
// up to 1.
func TestMomentsWithin(t *testing.T) {
	m, inf := moments{10, 3}, math.Inf(1)
	for _, x := range []float64{2, 7, 10, 15} {
		below, at, above := m.between(-inf, x, false, true, true), m.between(x, x, false, false, true), m.between(x, inf, true, false, true)
		if s := below + at + above; math.Abs(s-1) > 1e-9 {
			t.Errorf("below, at and above %g: %g", x, s)
		}
	}
	// 68.27 % of a normal distribution lies within one standard deviation.
	if got := m.between(7, 13, false, false, false); math.Abs(got-0.6827) > 1e-3 {
		t.Errorf("within a deviation: %g", got)
	}
	if got := (moments{10, 0}).between(10, 10, false, false, true); got != 1 {
		t.Errorf("always 10 is 10 with %g", got)
	}
}
