package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestIntSet looks up members, their neighbours and others in sets of all sizes.
func TestIntSet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	made := 0
	for range 2000 {
		values := make([]int64, 1+r.IntN(60))
		shift := r.IntN(64)
		for i := range values {
			if values[i] = int64(r.Uint64()) >> shift; r.IntN(30) == 0 {
				values[i] = []int64{math.MaxInt64, math.MinInt64, 0, -1}[r.IntN(4)]
			}
		}
		set := newIntSet(values)
		if set == nil {
			continue
		}
		made++
		var xs []int64
		for _, x := range values {
			xs = append(xs, x, x+1, x-1, -x, x<<1, int64(r.Uint64())>>shift)
		}
		got := make([]int64, len(xs))
		set.mark(got, xs)
		for i, x := range xs {
			if want := b2i(slices.Contains(values, x)); got[i] != want || set.has(x) != want {
				t.Fatalf("%d in %v is %d, want %d", x, values, got[i], want)
			}
		}
	}
	if made < 1900 {
		t.Errorf("%d sets made", made)
	}
}

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
			got, err := p.NewEvaluator(Ctx{}).Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
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
