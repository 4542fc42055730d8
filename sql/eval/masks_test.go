package eval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestConjunctionsOfComparisons compares filters over flat numbers with row-by-row tests, at
// every level of vector instructions.
func TestConjunctionsOfComparisons(t *testing.T) {
	simd.EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 1500 {
			testConjunction(t, r)
		}
	})
}

func testConjunction(t *testing.T, r *rand.Rand) {
	n := []int{r.IntN(70), 64, 128, 1 + r.IntN(400)}[r.IntN(4)]
	c := comparisons{r: r, v: []*vec.Vector{vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Float64), n), vec.NewFlat(types.T(types.Float64), n)}}
	for i := range n {
		c.v[0].I64[i], c.v[1].I64[i], c.v[2].F64[i], c.v[3].F64[i] = r.Int64N(20)-10, r.Int64N(20)-10, float64(r.IntN(20))/2, float64(r.IntN(20))/2
		if n%3 == 0 && r.IntN(5) == 0 {
			c.v[r.IntN(4)].SetNull(i)
		}
	}
	var preds []expr.Expr
	want := make([]bool, n)
	for i := range want {
		want[i] = true
	}
	for range 1 + r.IntN(4) {
		e, holds := c.tree(r.IntN(3))
		preds = append(preds, e)
		for i := range want {
			want[i] = want[i] && holds(i)
		}
	}
	f, err := CompileFilter(preds, []expr.ColID{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	ev := f.NewEvaluator(kernel.Ctx{})
	for range 2 { // the second time with memory from the first
		idx, all, err := ev.Select(&vec.Batch{Cols: c.v, N: n})
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

// comparisons returns random conditions over two integer columns and two float columns.
type comparisons struct {
	r *rand.Rand
	v []*vec.Vector
}

// tree returns a condition of nested ANDs and ORs of the given depth, and a function that reports
// whether a row satisfies it.
func (c *comparisons) tree(depth int) (expr.Expr, func(row int) bool) {
	if depth == 0 {
		return c.comparison()
	}
	var args []expr.Expr
	var parts []func(int) bool
	for range 2 + c.r.IntN(2) {
		e, holds := c.tree(depth - 1)
		args, parts = append(args, e), append(parts, holds)
	}
	or := c.r.IntN(2) == 0
	return mustCall(map[bool]expr.FuncID{true: "or", false: "and"}[or], args...), func(row int) bool {
		for _, holds := range parts {
			if holds(row) == or {
				return or
			}
		}
		return !or
	}
}

func (c *comparisons) comparison() (expr.Expr, func(row int) bool) {
	op, k := []expr.FuncID{"=", "<>", "<", "<=", ">", ">="}[c.r.IntN(6)], c.r.Int64N(16)-6
	left := c.r.IntN(4)
	at := func(i, row int) float64 {
		if c.v[i].Type.ID == types.Int64 {
			return float64(c.v[i].I64[row])
		}
		return c.v[i].F64[row]
	}
	column := func(i int) expr.Expr { return &expr.Col{ID: expr.ColID(i), Name: "c", T: c.v[i].Type} }
	other, value, null := expr.Expr(&expr.Const{Value: catalog.Int(k)}), func(int) float64 { return float64(k) }, func(int) bool { return false }
	switch {
	case c.r.IntN(3) == 0:
		right := left ^ 1
		other, value, null = column(right), func(row int) float64 { return at(right, row) }, c.v[right].IsNull
	case left >= 2:
		other = &expr.Const{Value: catalog.Datum{Type: types.T(types.Float64), F64: float64(k)}}
	}
	return mustCall(op, column(left), other), func(row int) bool {
		x, y := at(left, row), value(row)
		holds := map[expr.FuncID]bool{"=": x == y, "<>": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
		return holds && !c.v[left].IsNull(row) && !null(row)
	}
}
