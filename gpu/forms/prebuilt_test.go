package forms

import (
	"testing"

	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
)

// TestPrebuiltWork compares what is counted of sorting and summing 1000 rows with sums by hand.
func TestPrebuiltWork(t *testing.T) {
	b := pipeline.NewBuilder()
	made := func(size int64, width int) int {
		return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Relation: pipeline.None, Size: size})
	}
	first, second, count, to, of, sums := made(1000, 4), made(1000, 8), made(1, 4), made(1000, 4), made(1000, 4), made(1001, 8)
	p := b.Program
	p.Pipelines = []pipeline.Pipeline{
		{Sort: &pipeline.Sort{Words: []int{first, second}, Count: count, To: to}},
		{Sums: &pipeline.Sums{Of: of, Count: count, To: sums}},
		{Rows: 1000, Counted: count, Sink: pipeline.Sink{Op: pipeline.Write, Count: made(1, 4), Stores: []pipeline.Store{{Column: made(1000, 4), Expr: b.Below(second, b.Int(7), b.Int(1000), false)}}}},
	}
	table := plantest.MustDefine("table t rows=1000\n v int\n").Lookup("t")
	w := workOf(&lower.Query{Program: p, Relations: []lower.Relation{{Table: table}}}, sized{table: 1e3}, func(catalog.Table, int, *lower.Derived) bool { return true })
	if len(w.Passes) != 4 || w.Kernels != fillKernels+2*sortKernels+2+1 {
		t.Fatalf("%d passes, %d kernels", len(w.Passes), w.Kernels)
	}
	if w.Passes[1].Bytes != 2*1000*sortBytes || w.Passes[2].Bytes != 1000*(4+8) {
		t.Errorf("a sort of %v bytes, sums of %v", w.Passes[1].Bytes, w.Passes[2].Bytes)
	}
	if a := w.Passes[3].Accesses; len(a) != 1 || a[0].Count != 1000*searchReads || a[0].Bytes != 8000 {
		t.Errorf("searches: %v", a)
	}
}
