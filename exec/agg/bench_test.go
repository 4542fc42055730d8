package agg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const benchRows = 10_000_000

// groupKeys returns n random integers below groups. If sparse is set, they are spread over a wide
// range.
func groupKeys(n, groups int, sparse bool) *vec.Vector {
	r := rand.New(rand.NewPCG(1, 1))
	v := vec.NewFlat(bigint, n)
	for i := range v.I64 {
		v.I64[i] = r.Int64N(int64(groups))
		if sparse {
			v.I64[i] *= 0x1234567
		}
	}
	return v
}

func numbers(n int) *vec.Vector {
	v := vec.NewFlat(bigint, n)
	for i := range v.I64 {
		v.I64[i] = int64(i % 1000)
	}
	return v
}

func dictionaryKeys(n, size int) *vec.Vector {
	base := vec.NewFlat(text, size)
	for i := range base.Str {
		base.Str[i] = fmt.Sprint("value ", i)
	}
	base.Dict = true
	v := &vec.Vector{Type: text, Form: vec.View, N: n, Base: base, Idx: make([]int32, n)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range v.Idx {
		v.Idx[i] = r.Int32N(int32(size))
	}
	return v
}

func bench(b *testing.B, workers int, keys []int, aggs func(*optest.Relation) []*expr.Agg, cols ...*vec.Vector) {
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	rel := optest.New(1, ts...)
	plan := &physical.HashAgg{Aggs: aggs(rel)}
	for _, k := range keys {
		plan.Keys = append(plan.Keys, rel.Col(k))
	}
	n := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}
	for b.Loop() {
		ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers}
		o, err := New(n, &optest.Columns{Cols: cols})
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Open(ctx); err != nil {
			b.Fatal(err)
		}
		if err := op.Each(ctx, o, func(int, *vec.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cols[0].N)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func sumOf(col int) func(*optest.Relation) []*expr.Agg {
	return func(r *optest.Relation) []*expr.Agg {
		return []*expr.Agg{{Fn: expr.Sum, Args: []expr.Expr{r.Col(col)}, T: types.Dec(38, 0)}}
	}
}

func countStar(*optest.Relation) []*expr.Agg { return []*expr.Agg{{Fn: expr.CountStar, T: bigint}} }

func BenchmarkAggregate(b *testing.B) {
	for _, workers := range []int{1, 2} {
		name := fmt.Sprint("/workers=", workers)
		b.Run("scalarSum"+name, func(b *testing.B) { bench(b, workers, nil, sumOf(0), numbers(benchRows)) })
		b.Run("sum1000ints"+name, func(b *testing.B) {
			bench(b, workers, []int{0}, sumOf(1), groupKeys(benchRows, 1000, false), numbers(benchRows))
		})
		b.Run("sum1000sparse"+name, func(b *testing.B) {
			bench(b, workers, []int{0}, sumOf(1), groupKeys(benchRows, 1000, true), numbers(benchRows))
		})
		b.Run("countDictionary"+name, func(b *testing.B) {
			bench(b, workers, []int{0}, countStar, dictionaryKeys(benchRows, 100))
		})
		b.Run("sum1Mgroups"+name, func(b *testing.B) {
			bench(b, workers, []int{0}, sumOf(1), groupKeys(benchRows, 1_000_000, true), numbers(benchRows))
		})
		b.Run("countStrings"+name, func(b *testing.B) {
			bench(b, workers, []int{0}, countStar, dictionaryKeys(benchRows/10, 5000).Flatten(nil))
		})
		b.Run("countTwoKeys"+name, func(b *testing.B) {
			bench(b, workers, []int{0, 1}, countStar, groupKeys(benchRows, 100, true), dictionaryKeys(benchRows, 4))
		})
	}
}
