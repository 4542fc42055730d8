package eval

import (
	"math/rand/v2"
	"testing"

	"gsql/sql/expr"
	"gsql/sql/kernel"
)

// condition returns a random predicate of the forms that filters evaluate without a program:
// comparisons, IN and tests for NULL over columns of one kind, combined by AND and OR.
func (g generator) condition(depth int) expr.Expr {
	if depth > 0 && g.IntN(4) > 0 {
		args := make([]expr.Expr, 2+g.IntN(3))
		for i := range args {
			args[i] = g.condition(depth - 1)
		}
		return mustCall([]expr.FuncID{"and", "or"}[g.IntN(2)], args...)
	}
	kinds := [][]expr.ColID{{0, 1}, {2}, {4}, {6}, {7}}
	columns := kinds[g.IntN(len(kinds))]
	col := func() expr.Expr {
		id := columns[g.IntN(len(columns))]
		return &expr.Col{ID: id, Name: "c", T: genTypes[id]}
	}
	constant := func() expr.Expr {
		return &expr.Const{Value: g.datum(genTypes[columns[0]])}
	}
	switch g.IntN(6) {
	case 0:
		return mustCall("isnull", col())
	case 1:
		return mustCall("not", mustCall("isnull", col()))
	case 2:
		list := []expr.Expr{col()}
		for range 1 + g.IntN(2*kernel.ScanLimit) {
			list = append(list, constant())
		}
		return mustCall("in", list...)
	case 3:
		return mustCall([]expr.FuncID{"=", "<>", "<", "<=", ">", ">="}[g.IntN(6)], col(), col())
	}
	return mustCall([]expr.FuncID{"=", "<>", "<", "<=", ">", ">="}[g.IntN(6)], col(), constant())
}

func mustCall(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}

// TestConditionsAgainstRows compares nested conditions over flat, constant and viewed columns
// with the rows for which they are true, and checks that most of them need no program.
func TestConditionsAgainstRows(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(9, 10))}
	direct, all := 0, 0
	for range 2000 {
		preds := make([]expr.Expr, 1+g.IntN(3))
		for i := range preds {
			preds[i] = g.condition(g.IntN(4))
		}
		f, err := CompileFilter(preds, genInput)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.conjuncts {
			all++
			if c.direct != nil {
				direct++
			}
		}
		ev := f.NewEvaluator(kernel.Ctx{})
		for _, n := range []int{0, 1, 3, 40} {
			checkFilter(t, preds, ev, g.batch(n))
		}
	}
	if direct*10 < all*7 {
		t.Errorf("%d of %d conjuncts are direct, want most", direct, all)
	}
}
