package eval

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// narrowCalls returns a call of a function that has loops for Narrow decimals, over columns 0 and
// 1.
func narrowCalls(r *rand.Rand, args []expr.Expr) (expr.Expr, error) {
	number := &expr.Const{Value: catalog.Datum{Type: types.T(types.Int64), I64: int64(r.IntN(12) - 5)}}
	switch fn := []expr.FuncID{"abs", "neg", "floor", "ceil", "round", "truncate", "round", "greatest", "least", "/", "%", "cast"}[r.IntN(12)]; fn {
	case "abs", "neg", "floor", "ceil":
		return expr.NewCall(fn, args[:1], -1)
	case "round", "truncate":
		if fn == "round" && r.IntN(4) == 0 {
			return expr.NewCall(fn, args[:1], -1)
		}
		return expr.NewCall(fn, []expr.Expr{args[0], number}, -1)
	case "cast":
		to := []types.Type{types.T(types.Float64), types.T(types.Int64), types.T(types.Int32), types.T(types.Float32), types.Dec(1+r.IntN(18), 0), types.Dec(8+r.IntN(20), r.IntN(8)), types.T(types.String)}
		return &expr.Call{Fn: "cast", Args: args[:1], T: to[r.IntN(len(to))], Pos: -1}, nil
	case "greatest", "least":
		return expr.NewCall(fn, append(args, args[0]), -1)
	default:
		return expr.NewCall(fn, args, -1)
	}
}

// TestNarrowFunctions compares results for Narrow and other vectors at each level of vector
// instructions.
func TestNarrowFunctions(t *testing.T) { simd.EachLevel(t.Run, testNarrowFunctions) }

func testNarrowFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	seen := map[expr.FuncID]int{}
	for range 15_000 {
		n := 1 + r.IntN(5)
		if r.IntN(10) == 0 {
			n = 60 + r.IntN(80)
		}
		args, wide, tight := make([]expr.Expr, 2), &vec.Batch{N: n}, &vec.Batch{N: n}
		shift := r.IntN(64)
		for c := range args {
			ty := types.Dec(18, r.IntN(6))
			w := vec.NewFlat(ty, n)
			for i := range n {
				x := int64(r.Uint64()) >> shift
				if r.IntN(20) == 0 {
					x = narrowEdges[r.IntN(len(narrowEdges))] >> r.IntN(40)
				}
				if w.Dec[i] = decimal128.FromI64(x); r.IntN(9) == 0 {
					w.SetNull(i)
				}
			}
			args[c] = &expr.Col{ID: expr.ColID(c), T: ty}
			if r.IntN(4) == 0 {
				args[c] = &expr.Const{Value: catalog.Datum{Type: ty, Dec: w.Dec[0]}}
			}
			x := *w
			narrowed(&x)
			for i := range x.I64 {
				if x.Null != nil && x.Null[i] && r.IntN(2) == 0 {
					x.I64[i] = 0
				}
			}
			wide.Cols, tight.Cols = append(wide.Cols, w), append(tight.Cols, &x)
		}
		made, err := narrowCalls(r, args)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := made.(*expr.Call)
		if !ok {
			continue // the negation of a constant is a constant
		}
		p, err := Compile(e, []expr.ColID{0, 1})
		if err != nil {
			continue // a constant that does not fit
		}
		want, wantErr := p.NewEvaluator(kernel.Ctx{}).Eval(wide)
		ev := p.NewEvaluator(kernel.Ctx{})
		ev.AllowNarrow()
		got, err := ev.Eval(tight)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: error %v, want %v", e, err, wantErr)
		}
		if err != nil {
			continue
		}
		if got.IsNarrow() || e.T.Kind() != types.KindDec {
			seen[e.Fn]++
		}
		for i := range n {
			if g, w := catalog.DatumAt(got, i).SQL(), catalog.DatumAt(want, i).SQL(); g != w {
				t.Fatalf("%s as %v of %s and %s: %s, want %s", e, e.T, catalog.DatumAt(wide.Cols[0], i).SQL(), catalog.DatumAt(wide.Cols[1], i).SQL(), g, w)
			}
		}
	}
	for _, fn := range []expr.FuncID{"abs", "neg", "floor", "ceil", "round", "truncate", "greatest", "least", "/", "%", "cast"} {
		if seen[fn] < 50 {
			t.Errorf("only %d results of %s were Narrow", seen[fn], fn)
		}
	}
}
