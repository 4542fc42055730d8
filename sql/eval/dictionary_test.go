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

// TestDictionaries computes calls over successive batches that share dictionaries or rows of a join's
// build side, larger and smaller than the batches, and compares with the same values as flat vectors. It covers nested
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
			dict.Dict, dict.Fixed = size != 40, size == 40 || size == 5
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

// TestFixedRowsAreComputedOnce checks that a call over rows of a join's build side is computed once for
// all batches, even if each batch is smaller than that side, and not at all for a large side.
func TestFixedRowsAreComputedOnce(t *testing.T) {
	text := types.T(types.String)
	e, err := expr.NewCall("=", []expr.Expr{&expr.Col{ID: 1, T: text}, &expr.Const{Value: catalog.Str("Sunday")}}, -1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(e, []expr.ColID{1})
	if err != nil {
		t.Fatal(err)
	}
	for size, shared := range map[int]bool{400: true, mostFixed + 1: false} {
		ev, base := p.NewEvaluator(kernel.Ctx{}), vec.NewFlat(text, size)
		base.Fixed = true
		for i := range base.Str {
			base.Str[i] = []string{"Sunday", "Monday"}[i%2]
		}
		var last *vec.Vector
		for batch := range 2*size/100 + 2 {
			v := &vec.Vector{Type: text, Form: vec.View, N: 100, Base: base, Idx: make([]int32, 100)}
			for i := range v.Idx {
				v.Idx[i] = int32((batch + 3*i) % size)
			}
			got, err := ev.Eval(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range v.Idx {
				if d := catalog.DatumAt(got, i); d.I64 != int64(1-x%2) {
					t.Fatalf("%d rows, batch %d, row %d: %d", size, batch, i, d.I64)
				}
			}
			if last = got.Base; batch == 2*size/100+1 && (last != nil) != shared {
				t.Errorf("%d rows: computed once: %v", size, last != nil)
			}
		}
	}
}
