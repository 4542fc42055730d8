package sort

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
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

type by struct {
	col  int
	desc bool
}

// oracle sorts rows by comparing datums, with NULL first, and keeps the order of equal rows.
func oracle(rows [][]catalog.Datum, keys []by) [][]catalog.Datum {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b []catalog.Datum) int {
		for _, k := range keys {
			x, y, d := a[k.col], b[k.col], 0
			switch {
			case x.Null && y.Null:
			case x.Null:
				d = -1
			case y.Null:
				d = 1
			default:
				d = x.Compare(y)
			}
			if k.desc {
				d = -d
			}
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return out
}

func build(rel *optest.Relation, keys []by, limit, offset int64) func([]op.Operator) (op.Operator, error) {
	plan := &physical.Sort{Limit: limit, Offset: offset}
	for _, k := range keys {
		plan.Keys = append(plan.Keys, expr.SortKey{Expr: rel.Col(k.col), Desc: k.desc})
	}
	n := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}, Cols: rel.Cols}
	return func(in []op.Operator) (op.Operator, error) { return New(n, in[0]) }
}

func check(t *testing.T, rel *optest.Relation, keys ...by) {
	t.Helper()
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel.Rows, keys), InOrder: true, Build: build(rel, keys, -1, 0)}.Run(t)
}

// numbered adds a last column that distinguishes rows with equal keys.
func numbered(rel *optest.Relation) *optest.Relation {
	for i, row := range rel.Rows {
		row[len(row)-1] = catalog.Int(int64(i))
	}
	return rel
}

func TestOneKey(t *testing.T) {
	for _, kt := range []types.Type{bigint, ubigint, double, decimal, text, null} {
		for _, nulls := range []int{0, 5} {
			for _, domain := range []int{5, 1000} {
				rel := numbered(optest.New(1, kt, bigint).Fill(rng(), 150, domain, nulls))
				check(t, rel, by{0, false})
				check(t, rel, by{0, true})
			}
		}
	}
}

func TestSeveralKeys(t *testing.T) {
	kinds := []types.Type{bigint, ubigint, double, decimal, text}
	r := rng()
	for range 30 {
		ts := []types.Type{kinds[r.IntN(5)], kinds[r.IntN(5)], kinds[r.IntN(5)], bigint}
		rel := numbered(optest.New(1, ts...).Fill(r, 100, 1+r.IntN(12), r.IntN(6)))
		check(t, rel, by{0, r.IntN(2) == 0}, by{1, r.IntN(2) == 0}, by{2, r.IntN(2) == 0})
	}
}

// TestRanges sorts integers at both ends of their range, so that codes that include NULL need 65
// bits.
func TestRanges(t *testing.T) {
	for _, kt := range []types.Type{bigint, ubigint, double} {
		for _, withNull := range []bool{false, true} {
			rel := optest.New(1, kt, bigint)
			for _, x := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, 5, 5, 0} {
				rel.Rows = append(rel.Rows, []catalog.Datum{{Type: kt, I64: x, F64: float64(x)}, {}})
			}
			rel.Rows = append(rel.Rows, []catalog.Datum{{Type: kt, F64: math.Inf(1)}, {}}, []catalog.Datum{{Type: kt, F64: math.Inf(-1), I64: 9}, {}})
			if withNull {
				rel.Rows = append(rel.Rows, []catalog.Datum{catalog.NullOf(kt), {}}, []catalog.Datum{catalog.NullOf(kt), {}})
			}
			numbered(rel)
			check(t, rel, by{0, false})
			check(t, rel, by{0, true}, by{1, true})
			check(t, rel, by{1, true}, by{0, false})
		}
	}
}

// TestStrings sorts prefixes, zero bytes and strings that differ only near the end.
func TestStrings(t *testing.T) {
	rel := optest.New(1, text, bigint)
	long := "a long common prefix of all these strings "
	for _, s := range []string{"", "\x00", "\x00\x00", "a", "a\x00", "ab", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff", "12345678", "123456789", "1234567"} {
		rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Str(s), {}})
	}
	numbered(rel)
	check(t, rel, by{0, false})
	check(t, rel, by{0, true})
	rows := rel.Rows
	rel.Rows = append(slices.Clone(rows), []catalog.Datum{catalog.NullOf(text), {}})
	numbered(rel)
	check(t, rel, by{0, false})
	check(t, rel, by{0, true})
	rel.Rows = nil
	for i := range 200 {
		rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Str(long + fmt.Sprint(i*7919%200)), {}})
	}
	numbered(rel)
	check(t, rel, by{0, false})
	check(t, rel, by{0, true})
}

func TestTopN(t *testing.T) {
	r := rng()
	for _, kt := range []types.Type{bigint, double, decimal, text} {
		for _, domain := range []int{4, 10000} {
			rel := numbered(optest.New(1, kt, bigint, bigint).Fill(r, 9000, domain, 7*r.IntN(2)))
			for _, c := range []struct{ limit, offset int64 }{{0, 0}, {1, 0}, {10, 3}, {8990, 20}, {5, 10000}} {
				keys := []by{{0, r.IntN(2) == 0}, {1, r.IntN(2) == 0}}
				want := oracle(rel.Rows, keys)
				want = want[min(int(c.offset), len(want)):]
				want = want[:min(int(c.limit), len(want))]
				optest.Case{Inputs: []*optest.Relation{rel}, Want: want, InOrder: true, Build: build(rel, keys, c.limit, c.offset)}.RunQuick(t)
			}
		}
	}
	rel := numbered(optest.New(1, bigint, bigint).Fill(r, 600, 40, 9))
	keys := []by{{0, true}}
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel.Rows, keys)[2:12], InOrder: true, Build: build(rel, keys, 10, 2)}.Run(t)
}

// TestLarge covers the parallel pass and several digits.
func TestLarge(t *testing.T) {
	r := rng()
	for _, kt := range []types.Type{bigint, double, text} {
		rel := optest.New(1, kt, bigint)
		for i := range 80_000 {
			x := r.Int64() >> r.IntN(60)
			rel.Rows = append(rel.Rows, []catalog.Datum{{Type: kt, I64: x, F64: float64(x), Str: fmt.Sprint(x)}, catalog.Int(int64(i))})
		}
		keys := []by{{0, kt == double}}
		optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel.Rows, keys), InOrder: true, Build: build(rel, keys, -1, 0)}.RunQuick(t)
	}
}

// TestSpilling sorts more rows than fit in memory.
func TestSpilling(t *testing.T) {
	r := rng()
	for _, kt := range []types.Type{bigint, double, decimal, text} {
		rel := numbered(optest.New(1, kt, bigint, bigint).Fill(r, 20_000, 5000, 5))
		keys := []by{{0, r.IntN(2) == 0}, {1, r.IntN(2) == 0}}
		want := oracle(rel.Rows, keys)
		optest.Case{Inputs: []*optest.Relation{rel}, Want: want, InOrder: true, Build: build(rel, keys, -1, 0)}.RunSpilling(t, 0.5, 0.2)
	}
}
