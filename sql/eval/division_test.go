package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestDivisionByConstant compares DIV and % by constants with Go's operators.
func TestDivisionByConstant(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	bigint := types.T(types.Int64)
	for range 3000 {
		d := int64(r.Uint64()) >> r.IntN(63)
		if d == 0 || d == -1 {
			d = 2
		}
		v := vec.NewFlat(bigint, 1+r.IntN(100))
		shift := r.IntN(64)
		for i := range v.I64 {
			if v.I64[i] = int64(r.Uint64()) >> shift; r.IntN(20) == 0 {
				v.I64[i] = []int64{math.MaxInt64, math.MinInt64, 0, d, -d, 2*d - 1}[r.IntN(6)]
			}
		}
		for fn, f := range map[expr.FuncID]func(x int64) int64{"div": func(x int64) int64 { return x / d }, "%": func(x int64) int64 { return x % d }} {
			e, err := expr.NewCall(fn, []expr.Expr{&expr.Col{ID: 0, T: bigint}, &expr.Const{Value: catalog.Datum{Type: bigint, I64: d}}}, -1)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(e, []expr.ColID{0})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.NewEvaluator(kernel.Ctx{}).Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range v.I64 {
				if got.I64[i] != f(x) {
					t.Fatalf("%d %s %d is %d, want %d", x, fn, d, got.I64[i], f(x))
				}
			}
		}
	}
}
