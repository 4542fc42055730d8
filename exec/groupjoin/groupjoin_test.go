package groupjoin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var (
	i64  = types.T(types.Int64)
	u64  = types.T(types.Uint64)
	f64  = types.T(types.Float64)
	str  = types.T(types.String)
	dec  = types.Dec(10, 2)
	wide = types.Dec(38, 4)
)

// fixture holds the inputs of a group join. Their columns are two keys, two operands, and values:
// of every type on the build side, of one on the probe side.
type fixture struct{ probe, build *optest.Relation }

var valueTypes = []types.Type{i64, u64, f64, dec, wide, str}

func newFixture(seed uint64, key, operand types.Type, probeRows, buildRows, domain, nullEvery int) *fixture {
	rng := rand.New(rand.NewPCG(seed, 7))
	cols := append([]types.Type{key, i64, operand, operand}, valueTypes...)
	return &fixture{
		optest.New(1, cols[:5]...).Fill(rng, probeRows, domain, nullEvery),
		optest.New(20, cols...).Fill(rng, buildRows, domain, nullEvery),
	}
}

// keys returns the equality of the first n key columns of both sides.
func (f *fixture) keys(n int, nullSafe bool) (out []physical.KeyPair) {
	for i := range n {
		out = append(out, physical.KeyPair{L: f.probe.Col(i), R: f.build.Col(i), NullSafe: nullSafe})
	}
	return out
}

// on returns the predicate "operand l of the probe side op operand r of the indexed side".
func (f *fixture) on(l int, op expr.FuncID, r int) physical.RangePred {
	return physical.RangePred{Op: op, L: f.probe.Col(2 + l), R: f.build.Col(2 + r)}
}

// plus returns e + n, for a side of a predicate on integers.
func plus(e expr.Expr, n int64) expr.Expr {
	out, err := expr.NewCall("+", []expr.Expr{e, &expr.Const{Value: catalog.Int(n)}}, -1)
	if err != nil {
		panic(err)
	}
	return out
}

// aggregates returns every aggregate over every type of value.
func (f *fixture) aggregates() []*expr.Agg {
	out := []*expr.Agg{{Fn: expr.CountStar, T: i64}}
	for i, t := range valueTypes {
		for _, fn := range []expr.AggFn{expr.Count, expr.Sum, expr.Min, expr.Max} {
			if fn == expr.Sum && t == str {
				continue
			}
			a, err := expr.NewAgg(fn, []expr.Expr{f.build.Col(4 + i)}, false)
			if err != nil {
				panic(err)
			}
			out = append(out, a)
		}
	}
	return out
}

// run compares the operator with the oracle and, if either side may be held, also the streamed
// one.
func (f *fixture) run(t *testing.T, plan *physical.GroupJoin, quick bool) {
	t.Helper()
	f.runAs(t, plan, quick)
	if tests, _ := testsOf(plan.Ranges); len(tests) == 0 || len(tests) == 1 && !tests[0].excludes() {
		streamed := *plan
		streamed.Streamed = true
		f.runAs(t, &streamed, quick)
	}
}

func (f *fixture) runAs(t *testing.T, plan *physical.GroupJoin, quick bool) {
	t.Helper()
	c := f.caseOf(plan)
	c.Want = oracle(f.probe, f.build, passed, plan)
	if quick {
		c.RunQuick(t)
	} else {
		c.Run(t)
	}
}

// passed lists the columns of the probe side that are in the output.
var passed = []int{4, 0}

// caseOf returns a case that runs the operator of a plan.
func (f *fixture) caseOf(plan *physical.GroupJoin) optest.Case {
	n := &physical.Node{Op: plan, In: []*physical.Node{f.probe.Node(), f.build.Node()}, Device: physical.CPU}
	for _, at := range passed {
		n.Cols = append(n.Cols, f.probe.Cols[at])
	}
	for i, a := range plan.Aggs {
		n.Cols = append(n.Cols, logical.Column{ID: expr.ColID(100 + i), Name: a.String(), T: a.T})
	}
	return optest.Case{
		Inputs: []*optest.Relation{f.probe, f.build},
		Build:  func(in []op.Operator) (op.Operator, error) { return New(n, in[0], in[1]) },
	}
}

var ops = []expr.FuncID{"<", "<=", ">", ">=", "<>"}

func TestOnePredicate(t *testing.T) {
	for i, operand := range []types.Type{i64, u64, f64, dec, wide, str} {
		for j, cmp := range ops {
			if cmp == "<>" && operand == f64 {
				continue
			}
			t.Run(fmt.Sprint(operand, cmp), func(t *testing.T) {
				f := newFixture(uint64(10*i+j), i64, operand, 50, 50, 40, 6)
				f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, cmp, 0)}, Aggs: f.aggregates(), Outer: j%2 == 0}, i+j > 4)
			})
		}
	}
}

// TestBands runs bands, which have one operand on one side and two on the other.
func TestBands(t *testing.T) {
	for _, outer := range []bool{false, true} {
		f := newFixture(3, i64, i64, 80, 90, 60, 7)
		indexed := []physical.RangePred{
			{Op: "<=", L: plus(f.probe.Col(2), -5), R: f.build.Col(2)},
			{Op: ">", L: plus(f.probe.Col(2), 5), R: f.build.Col(2)},
		}
		f.run(t, &physical.GroupJoin{Ranges: indexed, Aggs: f.aggregates(), Outer: outer}, false)
		probed := []physical.RangePred{
			{Op: ">=", L: f.probe.Col(2), R: plus(f.build.Col(2), -5)},
			{Op: "<", L: f.probe.Col(2), R: plus(f.build.Col(2), 5)},
		}
		f.run(t, &physical.GroupJoin{Ranges: probed, Aggs: f.aggregates(), Outer: outer}, false)
		f.run(t, &physical.GroupJoin{Keys: f.keys(1, false), Ranges: probed, Aggs: f.aggregates(), Outer: outer}, true)
	}
}

// TestTwoOperands runs conditions with two operands on either side. No order turns these into one
// window, so they are swept.
func TestTwoOperands(t *testing.T) {
	for i, operand := range []types.Type{i64, f64, str, dec} {
		for j, a := range ops[:4] {
			for k, b := range ops[:4] {
				t.Run(fmt.Sprint(operand, a, b), func(t *testing.T) {
					f := newFixture(uint64(100*i+10*j+k), i64, operand, 50, 60, 30, 7)
					plan := &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, a, 0), f.on(1, b, 1)}, Aggs: f.aggregates(), Outer: k%2 == 0}
					f.run(t, plan, i > 0 || j != k)
					plan.Keys = f.keys(1+k%2, false)
					f.run(t, plan, i > 0 || j+k != 3)
				})
			}
		}
	}
}

// TestOneProbedOperand compares one operand of the probe side, of any type, with several of the
// build side: the periods that contain a point, also with a third bound. Such joins are computed by
// cells.
func TestOneProbedOperand(t *testing.T) {
	for i, operand := range []types.Type{i64, u64, f64, dec, wide, str} {
		for j, a := range ops[:4] {
			for k, b := range ops[:4] {
				f := newFixture(uint64(200*i+10*j+k), i64, operand, 50, 40, 30, 7)
				on := func(op expr.FuncID, r int) physical.RangePred {
					return physical.RangePred{Op: op, L: f.probe.Col(2), R: f.build.Col(r)}
				}
				plan := &physical.GroupJoin{Ranges: []physical.RangePred{on(a, 2), on(b, 3)}, Aggs: f.aggregates(), Outer: (j+k)%2 == 0}
				f.run(t, plan, i > 0 || j != k)
				plan.Keys = f.keys(1+k%2, k == 1)
				f.run(t, plan, i > 0 || j+k != 3)
			}
		}
	}
	f := newFixture(77, i64, i64, 60, 70, 40, 7)
	three := []physical.RangePred{{Op: ">=", L: f.probe.Col(2), R: f.build.Col(2)}, {Op: "<", L: f.probe.Col(2), R: f.build.Col(3)}, {Op: ">", L: f.probe.Col(2), R: f.build.Col(4)}}
	f.run(t, &physical.GroupJoin{Ranges: three, Aggs: f.aggregates()}, false)
}

// TestBandAndBound combines a band on one operand with a bound on the other, in either order.
func TestBandAndBound(t *testing.T) {
	f := newFixture(5, i64, i64, 60, 70, 40, 7)
	band := []physical.RangePred{
		{Op: "<=", L: plus(f.probe.Col(2), -9), R: f.build.Col(2)},
		{Op: ">", L: plus(f.probe.Col(2), 9), R: f.build.Col(2)},
	}
	f.run(t, &physical.GroupJoin{Ranges: append(band, f.on(1, "<", 1)), Aggs: f.aggregates()}, false)
	f.run(t, &physical.GroupJoin{Ranges: append([]physical.RangePred{f.on(1, ">", 1)}, band...), Aggs: f.aggregates()}, false)
}

// TestExtremeWords uses the least and the greatest words as values and as ends of windows.
func TestExtremeWords(t *testing.T) {
	for i, operand := range []types.Type{i64, u64} {
		ends := []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64}
		if operand == u64 {
			ends = []int64{0, 1, -2, -1}
		}
		for j, a := range ops[:4] {
			for k, b := range ops[:4] {
				f := newFixture(uint64(10*i+j), i64, operand, 40, 40, 12, 7)
				for n := range 40 {
					f.probe.Rows[n][2].I64 = ends[n%4]
					f.build.Rows[n][2].I64, f.build.Rows[n][3].I64 = ends[n/3%4], ends[n/2%4]
				}
				on := func(op expr.FuncID, r int) physical.RangePred {
					return physical.RangePred{Op: op, L: f.probe.Col(2), R: f.build.Col(r)}
				}
				plan := &physical.GroupJoin{Ranges: []physical.RangePred{on(a, 2)}, Aggs: f.aggregates()[:5], Outer: k%2 == 0}
				if j != k {
					plan.Ranges = append(plan.Ranges, on(b, 3))
				}
				f.run(t, plan, true)
				plan.Keys = f.keys(1, false)
				f.run(t, plan, true)
			}
		}
	}
}

// TestDecimalsBeyondWords compares decimals wider than their type. No two of them may share a word.
func TestDecimalsBeyondWords(t *testing.T) {
	one := decimal128.FromI64(1)
	least, greatest := decimal128.FromI64(math.MinInt64), decimal128.FromI64(math.MaxInt64)
	values := []decimal128.Num{least.Sub(one), least, least.Add(one), {}, greatest.Sub(one), greatest, greatest.Add(one), decimal128.New(1, 0)}
	within := values[1:6] // those that fit in 64 bits
	for i, a := range ops {
		f := newFixture(uint64(i), i64, dec, 40, 40, 12, 7)
		for n := range 40 {
			f.probe.Rows[n][2].Dec, f.build.Rows[n][2].Dec = values[n%8], within[n%5]
		}
		on := physical.RangePred{Op: a, L: f.probe.Col(2), R: f.build.Col(2)}
		f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{on}, Aggs: f.aggregates()[:5]}, true)
	}
}

func TestKeys(t *testing.T) {
	for i, key := range []types.Type{i64, u64, f64, dec, str} {
		for _, nullSafe := range []bool{false, true} {
			t.Run(fmt.Sprint(key, nullSafe), func(t *testing.T) {
				f := newFixture(uint64(i), key, i64, 60, 70, 12, 5)
				f.run(t, &physical.GroupJoin{Keys: f.keys(1, nullSafe), Aggs: f.aggregates(), Outer: true}, i > 0)
				f.run(t, &physical.GroupJoin{Keys: f.keys(2, nullSafe), Ranges: []physical.RangePred{f.on(0, ">=", 0)}, Aggs: f.aggregates()}, i < 4)
				f.run(t, &physical.GroupJoin{Keys: f.keys(1, nullSafe), Ranges: []physical.RangePred{f.on(0, "<>", 1)}, Aggs: f.aggregates()}, true)
			})
		}
	}
}

// TestCollidingHashes keeps only a few bits of the hashes, so that they collide on both sides.
func TestCollidingHashes(t *testing.T) {
	defer func(hashes uint64, bits int) { hashBits, groupBits = hashes, bits }(hashBits, groupBits)
	hashBits, groupBits = 3, -1 // keys are not concatenated
	f := newFixture(9, str, i64, 60, 70, 15, 5)
	f.run(t, &physical.GroupJoin{Keys: f.keys(1, false), Ranges: []physical.RangePred{f.on(0, "<", 0)}, Aggs: f.aggregates()}, false)
	f.run(t, &physical.GroupJoin{Keys: f.keys(2, true), Aggs: f.aggregates(), Outer: true}, true)
}

func TestNoPredicateAndEmptySides(t *testing.T) {
	for _, size := range [][2]int{{0, 5}, {5, 0}, {0, 0}, {7, 9}} {
		f := newFixture(1, i64, i64, size[0], size[1], 10, 5)
		for _, outer := range []bool{false, true} {
			f.run(t, &physical.GroupJoin{Aggs: f.aggregates(), Outer: outer}, true)
			f.run(t, &physical.GroupJoin{Keys: f.keys(1, false), Aggs: f.aggregates(), Outer: outer}, true)
			f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, "<", 0), f.on(1, "<", 1)}, Aggs: f.aggregates(), Outer: outer}, true)
		}
	}
}

// TestManyRows joins enough rows for several batches, workers and levels of trees.
func TestManyRows(t *testing.T) {
	f := newFixture(11, i64, i64, 9000, 90, 100, 20)
	aggs := f.aggregates()[:6]
	f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, "<", 0)}, Aggs: aggs}, true)
	f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, "<", 0), f.on(1, ">=", 1)}, Aggs: aggs}, true)
	f.run(t, &physical.GroupJoin{Keys: f.keys(1, false), Ranges: []physical.RangePred{f.on(0, "<", 0)}, Aggs: aggs}, true)
}

// TestEveryPair runs conditions that no order supports, which are tested pair by pair.
func TestEveryPair(t *testing.T) {
	call := func(fn expr.FuncID, args ...expr.Expr) expr.Expr {
		e, err := expr.NewCall(fn, args, -1)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for i, operand := range []types.Type{i64, dec} {
		for j, size := range [][2]int{{30, 90}, {70, 40}, {0, 5}, {5, 0}, {10, 2100}} {
			f := newFixture(uint64(10*i+j), i64, operand, size[0], size[1], 60, 6)
			for _, rel := range []*optest.Relation{f.probe, f.build} {
				for _, row := range rel.Rows {
					for k := 2; k < 4; k++ { // products of larger values are out of range
						row[k].Dec = decimal128.FromI64(int64(row[k].Dec.LowBits()) % 1000)
					}
				}
			}
			l, m, r, s := f.probe.Col(2), f.probe.Col(3), f.build.Col(2), f.build.Col(3)
			product := call(">", call("*", l, r), call("+", m, s))
			conditions := [][]expr.Expr{
				{product},
				{call("<>", call("*", l, s), call("-", m, r)), call("<", call("+", l, r), &expr.Const{Value: catalog.Int(20)})},
				{call("or", product, call("=", l, s))},
			}
			for k, where := range conditions {
				plan := &physical.GroupJoin{Where: where, Aggs: f.aggregates(), Outer: (j+k)%2 == 0}
				f.run(t, plan, i+j+k > 0)
			}
		}
	}
}

// TestEveryPairOfLargeValues computes sums over tiles that do not fit in 64 bits.
func TestEveryPairOfLargeValues(t *testing.T) {
	f := newFixture(1, i64, i64, 5, 300, 1000, 5)
	for i, row := range f.build.Rows {
		for k := range row {
			if row[k].Type == i64 && k >= 4 {
				row[k].I64 = math.MaxInt64 - int64(i)
			}
		}
	}
	product, err := expr.NewCall("*", []expr.Expr{f.probe.Col(2), f.build.Col(2)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	where, err := expr.NewCall("<>", []expr.Expr{product, &expr.Const{Value: catalog.Int(0)}}, -1)
	if err != nil {
		t.Fatal(err)
	}
	f.run(t, &physical.GroupJoin{Where: []expr.Expr{where}, Aggs: f.aggregates()}, false)
}

// TestFenwick compares sums of a Fenwick tree, both built and extended, with sums of the values.
func TestFenwick(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 7, 8, 100} {
		values, f := make([]int64, n), make(fenwick[int64], n+1)
		for i := range values {
			values[i] = r.Int64N(100) - 50
			f[i+1] = values[i]
		}
		f.build()
		for range 50 {
			at, x := r.IntN(n), r.Int64N(9)
			values[at] += x
			f.add(int32(at), x)
			hi := r.IntN(n + 1)
			lo := r.IntN(hi + 1)
			want := int64(0)
			for _, v := range values[lo:hi] {
				want += v
			}
			if got := f.between(int32(lo), int32(hi)); got != want {
				t.Fatalf("%d positions: [%d, %d) has %d, want %d", n, lo, hi, got, want)
			}
		}
	}
}

// TestSweptSumsOf128Bits sweeps rows whose sums need more than 64 bits.
func TestSweptSumsOf128Bits(t *testing.T) {
	f := newFixture(12, i64, i64, 60, 70, 40, 7)
	for i, row := range f.build.Rows {
		if !row[4].Null {
			row[4].I64 = math.MaxInt64 - int64(i)
			if i%5 == 0 {
				row[4].I64 = math.MinInt64 + int64(i)
			}
		}
	}
	f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, "<", 0), f.on(1, ">", 1)}, Aggs: f.aggregates()}, true)
	f.run(t, &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, "<", 0)}, Aggs: f.aggregates()}, true)
}

// TestSweptSumsWithCounts sums values that are never NULL. Sums are swept together with the counts
// if both fit in 64 bits.
func TestSweptSumsWithCounts(t *testing.T) {
	for _, scale := range []int64{1, -1, 1 << 44, -1 << 49, 1 << 52, -1 << 56} {
		f := newFixture(21, i64, i64, 60, 70, 40, 0)
		for i, row := range f.build.Rows {
			row[4].I64 = scale * int64(i-9)
		}
		sum, err := expr.NewAgg(expr.Sum, []expr.Expr{f.build.Col(4)}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, ops := range [][2]expr.FuncID{{"<", ">"}, {">=", "<="}, {">", ">"}} {
			plan := &physical.GroupJoin{Ranges: []physical.RangePred{f.on(0, ops[0], 0), f.on(1, ops[1], 1)}, Aggs: []*expr.Agg{f.aggregates()[0], sum}, Outer: scale < 0}
			f.run(t, plan, true)
			plan.Keys = f.keys(1, false)
			f.run(t, plan, true)
		}
	}
}
