package agg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var (
	bigint  = types.T(types.Int64)
	ubigint = types.T(types.Uint64)
	double  = types.T(types.Float64)
	decimal = types.Dec(30, 2)
	text    = types.T(types.String)
	null    = types.T(types.Null)
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }

// build makes the operator over a relation; keys are column numbers.
func build(rel *optest.Relation, keys []int, aggs []*expr.Agg) func([]op.Operator) (op.Operator, error) {
	plan := &physical.HashAgg{Aggs: aggs}
	for _, k := range keys {
		plan.Keys = append(plan.Keys, rel.Col(k))
	}
	n := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}
	return func(in []op.Operator) (op.Operator, error) { return New(n, in[0]) }
}

func check(t *testing.T, rel *optest.Relation, keys []int, aggs []*expr.Agg) {
	t.Helper()
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build(rel, keys, aggs)}.Run(t)
}

// allAggs returns every aggregate that accepts column c of a relation, with and without DISTINCT
// where that makes a difference.
func allAggs(rel *optest.Relation, c int) []*expr.Agg {
	arg := rel.Col(c)
	t := arg.T
	out := []*expr.Agg{{Fn: expr.CountStar, T: bigint}}
	add := func(fn expr.AggFn, t types.Type) {
		for _, distinct := range []bool{false, true} {
			out = append(out, &expr.Agg{Fn: fn, Args: []expr.Expr{arg}, T: t, Distinct: distinct})
		}
	}
	add(expr.Count, bigint)
	add(expr.Min, t)
	add(expr.Max, t)
	switch t.Kind() {
	case types.KindI64, types.KindU64:
		add(expr.Sum, types.Dec(38, 0))
		add(expr.Avg, types.Dec(38, 4))
		add(expr.Median, types.Dec(38, 4))
		for _, fn := range []expr.AggFn{expr.BitAnd, expr.BitOr, expr.BitXor} {
			add(fn, ubigint)
		}
	case types.KindDec:
		add(expr.Sum, types.Dec(38, 2))
		add(expr.Avg, types.Dec(38, 6))
		add(expr.Median, types.Dec(38, 6))
	case types.KindF64:
		add(expr.Sum, double)
		add(expr.Avg, double)
		add(expr.Median, double)
	case types.KindStr:
		for _, distinct := range []bool{false, true} {
			out = append(out, &expr.Agg{Fn: expr.GroupConcat, Args: []expr.Expr{arg}, T: text, Distinct: distinct, Sep: ";",
				OrderBy: []expr.SortKey{{Expr: arg}}})
		}
		return out
	}
	for _, fn := range []expr.AggFn{expr.StddevPop, expr.StddevSamp, expr.VarPop, expr.VarSamp} {
		add(fn, double)
	}
	return out
}

// TestAggregates checks every function over every kind, grouped by every kind of key.
func TestAggregates(t *testing.T) {
	kinds := []types.Type{bigint, ubigint, double, decimal, text}
	for k, kt := range kinds {
		for _, at := range kinds {
			for _, nulls := range []int{0, 4} {
				rel := optest.New(1, kt, at).Fill(rng(), 120, 9, nulls)
				check(t, rel, []int{0}, allAggs(rel, 1))
				if k == 0 {
					check(t, rel, nil, allAggs(rel, 1))
				}
			}
		}
	}
}

func TestCompositeKeys(t *testing.T) {
	for _, ts := range [][]types.Type{{bigint, bigint}, {text, text}, {bigint, text, double}, {decimal, null, bigint}} {
		rel := optest.New(1, append(ts, bigint)...).Fill(rng(), 200, 5, 6)
		keys := make([]int, len(ts))
		for i := range keys {
			keys[i] = i
		}
		check(t, rel, keys, []*expr.Agg{{Fn: expr.CountStar, T: bigint}, {Fn: expr.Sum, Args: []expr.Expr{rel.Col(len(ts))}, T: types.Dec(38, 0)}})
		check(t, rel, keys, nil)
	}
}

// TestManyGroups exceeds the limits of the direct map, of table growth and of the partitioned
// merge.
func TestManyGroups(t *testing.T) {
	for _, domain := range []int{3000, 40000} {
		rel := optest.New(1, bigint, bigint).Fill(rng(), 30000, domain, 50)
		for i, row := range rel.Rows {
			if i > 15000 {
				row[0].I64 *= 1 << 40 // the second half has a range too wide for a direct map
			}
		}
		aggs := allAggs(rel, 1)
		o := oracle(rel, []int{0}, aggs)
		c := optest.Case{Inputs: []*optest.Relation{rel}, Want: o, Build: build(rel, []int{0}, aggs)}
		c.RunQuick(t)
	}
}

// TestSplit splits the workers' tables early, for keys and arguments of every kind.
func TestSplit(t *testing.T) {
	for i, kt := range []types.Type{ubigint, double, decimal, text} {
		for j, at := range []types.Type{bigint, double, decimal, text} {
			if testing.Short() && (i+j)%2 > 0 { // half is enough to look for races
				continue
			}
			rel := optest.New(1, kt, at, null).Fill(rng(), 2500, 500, 20)
			for _, row := range rel.Rows {
				row[0].I64 *= 1 << 40 // no direct map
			}
			for _, keys := range [][]int{{0}, {0, 2}} {
				aggs := append(allAggs(rel, 1), &expr.Agg{Fn: expr.Count, Args: []expr.Expr{rel.Col(2)}, T: bigint})
				c := optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs)}
				c.Build = func(in []op.Operator) (op.Operator, error) {
					o, err := build(rel, keys, aggs)(in)
					o.(*Operator).splitAt = 100
					return o, err
				}
				c.RunQuick(t)
			}
		}
	}
}

func TestEmptyInput(t *testing.T) {
	for _, at := range []types.Type{bigint, ubigint, double, decimal, text} {
		rel := optest.New(1, at)
		check(t, rel, nil, allAggs(rel, 0))
		check(t, rel, []int{0}, allAggs(rel, 0))
	}
}

func TestCountDistinctOfSeveral(t *testing.T) {
	rel := optest.New(1, bigint, text, bigint).Fill(rng(), 400, 4, 4)
	a := &expr.Agg{Fn: expr.Count, Distinct: true, Args: []expr.Expr{rel.Col(1), rel.Col(2)}, T: bigint}
	check(t, rel, []int{0}, []*expr.Agg{a})
	check(t, rel, nil, []*expr.Agg{a})
}

// TestFirst checks that ANY_VALUE returns a value of the group. The values of a group are all equal
// here.
func TestFirst(t *testing.T) {
	for _, at := range []types.Type{bigint, double, decimal, text} {
		rel := optest.New(1, bigint, at).Fill(rng(), 300, 9, 0)
		for _, row := range rel.Rows {
			row[1] = optest.Value(at, int(row[0].I64+10))
			if row[0].I64 == 3 || row[0].I64 == 4 {
				row[1] = catalog.NullOf(at)
			}
		}
		first := []*expr.Agg{{Fn: expr.First, Args: []expr.Expr{rel.Col(1)}, T: at}}
		want := oracle(rel, []int{0, 1}, nil) // the value depends on the key
		optest.Case{Inputs: []*optest.Relation{rel}, Want: want, Build: build(rel, []int{0}, first)}.Run(t)
	}
}

func TestSumOverflow(t *testing.T) {
	rel := optest.New(1, types.Dec(38, 0))
	big := catalog.Datum{Type: types.Dec(38, 0), Dec: decimal128.GetMaxValue(38)}
	rel.Rows = [][]catalog.Datum{{big}, {big}, {big}}
	for _, fn := range []expr.AggFn{expr.Sum} {
		a := &expr.Agg{Fn: fn, Args: []expr.Expr{rel.Col(0)}, T: types.Dec(38, 0)}
		optest.Case{Inputs: []*optest.Relation{rel}, Err: sqlerr.DataOutOfRange, Build: build(rel, nil, []*expr.Agg{a})}.Run(t)
	}
}

// TestExtremes sums the least and greatest integers, whose sums do not fit in 64 bits.
func TestExtremes(t *testing.T) {
	rel := optest.New(1, bigint, ubigint)
	for _, x := range []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MaxInt64, -1} {
		rel.Rows = append(rel.Rows, []catalog.Datum{{Type: bigint, I64: x}, {Type: ubigint, I64: x}})
	}
	check(t, rel, nil, append(allAggs(rel, 0), allAggs(rel, 1)...))
	check(t, rel, []int{0}, allAggs(rel, 1))
	check(t, rel, []int{1}, allAggs(rel, 0))
}

// TestFloatKeys groups -0 with 0 and NaN with NaN.
func TestFloatKeys(t *testing.T) {
	rel := optest.New(1, double)
	for _, x := range []float64{0, math.Copysign(0, -1), 1, math.NaN(), math.NaN()} {
		rel.Rows = append(rel.Rows, []catalog.Datum{{Type: double, F64: x}})
	}
	count := []*expr.Agg{{Fn: expr.CountStar, T: bigint}}
	f := func(x float64) catalog.Datum { return catalog.Datum{Type: double, F64: x} }
	optest.Case{Inputs: []*optest.Relation{rel}, Build: build(rel, []int{0}, count),
		Want: [][]catalog.Datum{{f(0), catalog.Int(2)}, {f(1), catalog.Int(1)}, {f(math.NaN()), catalog.Int(2)}}}.Run(t)
}
