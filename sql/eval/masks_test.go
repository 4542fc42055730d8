package eval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestConjunctionsOfComparisons compares filters over flat numbers with row-by-row tests, by the
// vector instructions of every level.
func TestConjunctionsOfComparisons(t *testing.T) {
	for l := simd.None; l <= simd.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Use(simd.Use(l))
			r := rand.New(rand.NewPCG(1, 1))
			for range 1500 {
				testConjunction(t, r)
			}
		})
	}
}

func testConjunction(t *testing.T, r *rand.Rand) {
	n := []int{r.IntN(70), 64, 128, 1 + r.IntN(400)}[r.IntN(4)]
	ints, floats := vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Float64), n)
	for i := range n {
		ints.I64[i], floats.F64[i] = r.Int64N(20)-10, float64(r.IntN(20))/2
		if v := []*vec.Vector{ints, floats}[r.IntN(2)]; n%3 == 0 && r.IntN(5) == 0 {
			v.SetNull(i)
		}
	}
	var preds []expr.Expr
	want := make([]bool, n)
	for i := range want {
		want[i] = true
	}
	for range 1 + r.IntN(4) {
		op, c := []string{"=", "<>", "<", "<=", ">", ">="}[r.IntN(6)], r.Int64N(16)-6
		col, v, at := &expr.Col{ID: 0, Name: "i", T: ints.Type}, ints, func(i int) float64 { return float64(ints.I64[i]) }
		constant := catalog.Int(c)
		if r.IntN(2) == 0 {
			col, v, at = &expr.Col{ID: 1, Name: "f", T: floats.Type}, floats, func(i int) float64 { return floats.F64[i] }
			constant = catalog.Datum{Type: types.T(types.Float64), F64: float64(c)}
		}
		e, err := expr.NewCall(op, []expr.Expr{col, &expr.Const{Value: constant}}, -1)
		if err != nil {
			t.Fatal(err)
		}
		preds = append(preds, e)
		for i := range want {
			x, y := at(i), float64(c)
			holds := map[string]bool{"=": x == y, "<>": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
			want[i] = want[i] && holds && !v.IsNull(i)
		}
	}
	f, err := CompileFilter(preds, []expr.ColID{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	ev := f.NewEvaluator(Ctx{})
	for range 2 { // the second time with memory of the first
		idx, all, err := ev.Select(&vec.Batch{Cols: []*vec.Vector{ints, floats}, N: n})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got := all || slices.Contains(idx, int32(i)); got != want[i] {
				t.Fatalf("%v: row %d of %d: %v", preds, i, n, got)
			}
		}
		if !slices.IsSorted(idx) {
			t.Fatal("rows are in no order")
		}
	}
}
