package forms

import (
	"math"
	"testing"

	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
)

// orderWork returns the work of a program that returns the rows of a table of 10^6 up to a bound, which it
// finds in a tenth of them, in the order of two words.
func orderWork(t *testing.T, keeps float64) (bytes []float64, kernels, words int, sorted float64) {
	t.Helper()
	b := pipeline.NewBuilder()
	made := func(size int64, width int) int {
		return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Relation: pipeline.None, Size: size})
	}
	v := b.Load(b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: 2, Max: 100, Relation: 0}), pipeline.None, false)
	sample, some, to, first, second, count := made(pipeline.BoundWords, 8), made(1, 4), made(1, 8), made(1000, 4), made(1000, 8), made(1, 4)
	p := b.Program
	p.Pipelines = []pipeline.Pipeline{
		{Rows: 1e6, Sample: 10, Counted: pipeline.None, Sink: pipeline.Sink{Op: pipeline.Write, Count: some, Partial: true, Stores: []pipeline.Store{{Column: sample, Expr: v}}}},
		{Rows: 1, Counted: pipeline.None, Bound: &pipeline.Bound{Words: sample, Count: some, To: to, Need: 10}},
		{Rows: 1e6, Counted: pipeline.None, Stages: []pipeline.Stage{{Pred: b.Compare(pipeline.OpLE, v, b.Lookup(to, b.Int(0))), Selectivity: keeps}},
			Sink: pipeline.Sink{Op: pipeline.Write, Count: count, Stores: []pipeline.Store{{Column: first, Expr: v}, {Column: second, Expr: v}}}},
	}
	p.Result = pipeline.Result{Count: count, Columns: []int{first, second}, Order: &pipeline.Order{Words: []int{0, 1}, Limit: 10}}
	table := plantest.MustDefine("table t rows=1000000\n v int\n").Lookup("t")
	w := workOf(&lower.Query{Program: p, Relations: []lower.Relation{{Table: table}}}, sized{table: 1e6}, func(catalog.Table, int, *lower.Derived) bool { return true })
	for _, pass := range w.Passes {
		bytes = append(bytes, pass.Bytes)
	}
	return bytes, w.Kernels, w.Words, w.Sorted
}

// TestOrderWork compares what is counted of an order with sums by hand: few rows are the host's, many the
// device's.
func TestOrderWork(t *testing.T) {
	bytes, kernels, words, sorted := orderWork(t, 1e-3)
	if kernels != fillKernels+3 || words != 2 || math.Abs(sorted-1000) > 1e-6 || len(bytes) != 4 {
		t.Errorf("few: %d kernels, %d words, %v rows, %d passes", kernels, words, sorted, len(bytes))
	}
	if want := 2e5 + 8e5; bytes[1] != want { // a tenth of the values, and their words
		t.Errorf("the sample has %v bytes, want %v", bytes[1], want)
	}
	bytes, kernels, words, _ = orderWork(t, 0.5)
	if kernels != fillKernels+3+2*sortKernels+2 || words != 0 || len(bytes) != 5 {
		t.Errorf("many: %d kernels, %d words, %d passes", kernels, words, len(bytes))
	}
	if want := 2 * 5e5 * sortBytes; bytes[4] != want {
		t.Errorf("the sort has %v bytes, want %v", bytes[4], want)
	}
}
