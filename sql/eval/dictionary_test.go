package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestDictionaries computes calls over successive batches that share dictionaries, larger and
// smaller than the batches, and compares with the same values as flat vectors. It covers nested
// calls, NULLs among entries and codes, entries that fail or warn but that no row refers to, and
// changing parameters.
func TestDictionaries(t *testing.T) {
	text, number := types.T(types.String), types.T(types.Int64)
	col := &expr.Col{ID: 1, T: text}
	call := func(fn expr.FuncID, args ...expr.Expr) expr.Expr {
		e, err := expr.NewCall(fn, args, -1)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	of := func(d catalog.Datum) expr.Expr { return &expr.Const{Value: d} }
	param := &expr.Param{Slot: 0, T: number}
	for _, e := range []expr.Expr{
		call("upper", col),
		call("like", col, of(catalog.Str("%7%")), of(catalog.Str("\\"))),
		call("=", call("upper", col), of(catalog.Str("KEY 17"))),
		call("concat", col, of(catalog.Str("!")), col),
		call("left", call("concat", col, of(catalog.Str("."))), param),
		call("exp", call("*", call("length", col), of(catalog.Int(100)))), // the longest entry overflows
		call("<", col, call("lower", col)),
	} {
		p, err := Compile(e, []expr.ColID{1})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(5, 6))
		shared := p.NewEvaluator(kernel.Ctx{Params: []catalog.Datum{catalog.Int(3)}})
		for _, size := range []int{1, 5, 300, 40} {
			dict := vec.NewFlat(text, size)
			dict.Dict = true
			for i := range dict.Str {
				dict.Str[i] = fmt.Sprintf("key %d", r.IntN(1000))
				if i%7 == 3 {
					dict.SetNull(i)
				}
			}
			if size > 1 {
				dict.Str[size-1] = "the entry that no row refers to"
			}
			for batch := range 30 {
				n := 1 + r.IntN(60)
				v := &vec.Vector{Type: text, Form: vec.View, N: n, Base: dict, Idx: make([]int32, n)}
				for i := range v.Idx {
					v.Idx[i] = int32(r.IntN(max(1, size-1)))
					if i%11 == 5 {
						v.Idx[i] = -1
					}
				}
				want, wantErr := p.NewEvaluator(kernel.Ctx{Params: []catalog.Datum{catalog.Int(int64(3 + batch%3))}}).Eval(&vec.Batch{N: n, Cols: []*vec.Vector{v.Flatten(nil)}})
				shared.rt.Params[0] = catalog.Int(int64(3 + batch%3))
				got, err := shared.Eval(&vec.Batch{N: n, Cols: []*vec.Vector{v}})
				if err != nil || wantErr != nil {
					t.Fatalf("%s: errors %v, %v", e, err, wantErr)
				}
				for i := range n {
					if g, w := catalog.DatumAt(got, i).Text(), catalog.DatumAt(want, i).Text(); g != w {
						t.Fatalf("%s, %d entries, batch %d, row %d: %s, want %s", e, size, batch, i, g, w)
					}
				}
			}
		}
	}
}
