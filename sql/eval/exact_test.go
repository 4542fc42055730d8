package eval

import (
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestExactAgainstKernels compares numbers of any size with those of the kernels, for expressions
// that do not fall short. The operands are small, so that most values have room.
func TestExactAgainstKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	ids := []expr.ColID{1, 2, 3}
	inputs := []types.Type{types.Dec(4, 0), types.Dec(5, 2), types.T(types.Int16)}
	compared := 0
	for range 3000 {
		e := randomQuotients(r, inputs, 2)
		if !expr.CarriesWithin(e) || expr.FallsShort(expr.Shown(e)) {
			continue
		}
		compared++
		e = expr.Shown(e)
		p, err := Compile(e, ids)
		if err != nil {
			t.Fatal(e, err)
		}
		b := &vec.Batch{N: 5}
		for _, in := range inputs {
			v := vec.NewFlat(in, b.N)
			for i := range b.N {
				d, _ := whole(int64(r.IntN(40) - 20)).as(in)
				d.Put(v, i)
			}
			b.Cols = append(b.Cols, v)
		}
		v, err := p.NewEvaluator(kernel.Ctx{}).Eval(b)
		if err != nil {
			continue // exact numbers exist for these cases
		}
		x, err := newExact(e, ids, kernel.Ctx{})
		if err != nil {
			t.Fatal(e, err)
		}
		for i := range b.N {
			got, err := x.at(b, i)
			if err != nil {
				t.Fatal(e, err)
			}
			if want := catalog.DatumAt(v, i).Text(); got.Text() != want {
				t.Fatalf("%s of row %d: %s, kernels: %s", e, i, got.Text(), want)
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d expressions were compared", compared)
	}
}

// TestFallsShort tells quotients whose types have all of MySQL's digits from others.
func TestFallsShort(t *testing.T) {
	price := types.Dec(15, 2)
	a, b, c := &expr.Col{ID: 1, T: price}, &expr.Col{ID: 2, T: price}, &expr.Col{ID: 3, T: price}
	div := func(x, y expr.Expr) expr.Expr { return newCall("/", x, y) }
	mul := func(x, y expr.Expr) expr.Expr { return newCall("*", x, y) }
	ratio := div(mul(div(a, b), c), b) // 18 digits, 20, then 36
	cases := []struct {
		e    expr.Expr
		want bool
	}{
		{a, false},
		{div(a, b), false},
		{mul(div(a, b), c), false},
		{div(div(a, b), c), false},
		{ratio, false}, // the digits that it has are right
		{expr.Shown(ratio), false},
		{newCall("round", ratio, &expr.Const{Value: catalog.Int(3)}), false},
		{mul(ratio, a), true},
		{expr.Shown(mul(ratio, a)), true},
		{newCall("+", ratio, a), true},
		{newCall("<", expr.Unrounded(ratio), a), true}, // as BETWEEN compares
		{newCall("<", ratio, a), false},
	}
	for _, x := range cases {
		if got := expr.FallsShort(x.e); got != x.want {
			t.Errorf("%s: %v, want %v", x.e, got, x.want)
		}
	}
}

// randomQuotients returns an expression in which most operators divide.
func randomQuotients(r *rand.Rand, inputs []types.Type, depth int) expr.Expr {
	if depth < 0 || depth < 2 && r.IntN(3) == 0 {
		i := r.IntN(len(inputs))
		return &expr.Col{ID: expr.ColID(i + 1), T: inputs[i]}
	}
	operand := func() expr.Expr { return randomQuotients(r, inputs, depth-1) }
	unary := []expr.FuncID{"abs", "neg", "floor", "ceil", "round", "truncate"}
	fn, args := expr.FuncDiv, []expr.Expr{operand()}
	switch k := r.IntN(12); k {
	case 0, 1, 2, 3, 4:
		fn = []expr.FuncID{"+", "-", "*", "%", "coalesce"}[k]
		args = append(args, operand())
	case 5:
		fn, args = "case", []expr.Expr{newCall("<", operand(), operand()), operand(), operand()}
	case 6:
		fn = unary[r.IntN(len(unary))]
		if fn == "round" || fn == "truncate" {
			args = append(args, &expr.Const{Value: catalog.Int(int64(r.IntN(8) - 2))})
		}
	default:
		args = append(args, operand())
	}
	return newCall(fn, args...)
}

func newCall(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}
