package sort

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
	"gsql/sql/vec"
)

const benchRows = 10_000_000

func bench(b *testing.B, workers int, limit int64, v *vec.Vector) {
	rel := optest.New(1, v.Type)
	n := &physical.Node{Op: &physical.Sort{Keys: []expr.SortKey{{Expr: rel.Col(0)}}, Limit: limit}, In: []*physical.Node{rel.Node()}, Cols: rel.Cols}
	for b.Loop() {
		ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers}
		o, err := New(n, &optest.Columns{Cols: []*vec.Vector{v}})
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
	b.ReportMetric(float64(v.N)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func random(n int, below int64) *vec.Vector {
	r := rand.New(rand.NewPCG(1, 1))
	v := vec.NewFlat(bigint, n)
	for i := range v.I64 {
		v.I64[i] = r.Int64N(below)
	}
	return v
}

func BenchmarkSort(b *testing.B) {
	for _, workers := range []int{1, 2} {
		name := fmt.Sprint("/workers=", workers)
		b.Run("int64"+name, func(b *testing.B) { bench(b, workers, -1, random(benchRows, 1<<62)) })
		b.Run("int1000"+name, func(b *testing.B) { bench(b, workers, -1, random(benchRows, 1000)) })
		b.Run("top10"+name, func(b *testing.B) { bench(b, workers, 10, random(benchRows, 1<<62)) })
		b.Run("string"+name, func(b *testing.B) {
			v := random(benchRows/10, 1<<62)
			s := vec.NewFlat(text, v.N)
			for i, x := range v.I64 {
				s.Str[i] = fmt.Sprint("name ", x)
			}
			bench(b, workers, -1, s)
		})
	}
}
