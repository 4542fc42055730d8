package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// generator generates random expressions over six columns, and batches for them.
type generator struct{ *rand.Rand }

var genTypes = []types.Type{
	types.T(types.Int32), kernel.Int64Type, kernel.Uint64Type, types.Dec(8, 2), kernel.DoubleType, kernel.TextType, types.T(types.Date), {ID: types.Datetime, Prec: 6},
}

func (g generator) datum(t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t, Null: g.IntN(6) == 0}
	if d.Null {
		return d
	}
	switch t.Kind() {
	case types.KindF64:
		d.F64 = float64(g.IntN(9)-4) / 2
	case types.KindDec:
		d.Dec = decimal128.FromI64(int64(g.IntN(900) - 450))
	case types.KindStr:
		d.Str = []string{"", "a", "ab", "1", "0", "-2.5", "2x", "%", "b"}[g.IntN(9)]
	default:
		d.I64 = int64(g.IntN(9) - 4)
		if t == kernel.Uint64Type {
			d.I64 = int64(g.IntN(5))
		}
		if t == kernel.Int64Type && g.IntN(20) == 0 {
			d.I64 = 1<<63 - 1
		}
		if t.ID == types.Datetime {
			d.I64 *= types.Day / 2
		}
	}
	return d
}

func (g generator) leaf() expr.Expr {
	i := g.IntN(len(genTypes))
	if g.IntN(3) == 0 {
		return &expr.Const{Value: g.datum(genTypes[i])}
	}
	return &expr.Col{ID: expr.ColID(i), Name: fmt.Sprint("c", i), T: genTypes[i]}
}

func (g generator) expr(depth int) expr.Expr {
	if depth == 0 {
		return g.leaf()
	}
	calls := []struct {
		fn expr.FuncID
		n  int
	}{
		{"+", 2}, {"-", 2}, {"*", 2}, {"/", 2}, {"%", 2}, {"div", 2}, {"=", 2}, {"<", 2}, {">=", 2}, {"<>", 2}, {"<=>", 2},
		{"and", 2}, {"or", 2}, {"and", 3}, {"or", 3}, {"xor", 2}, {"not", 1}, {"isnull", 1}, {"case", 2}, {"case", 3}, {"case", 5},
		{"coalesce", 2}, {"coalesce", 3}, {"if", 3}, {"nullif", 2}, {"in", 2}, {"in", 4}, {"like", 2}, {"neg", 1}, {"&", 2},
	}
	for {
		c := calls[g.IntN(len(calls))]
		args := make([]expr.Expr, c.n)
		for i := range args {
			args[i] = g.expr(g.IntN(depth))
		}
		e, err := expr.NewCall(c.fn, args, -1)
		if err == nil { // a constant that is not a date is rejected
			return e
		}
	}
}

// batch returns n rows; columns are flat, constant or views of a dictionary.
func (g generator) batch(n int) *vec.Batch {
	b := &vec.Batch{N: n}
	for _, t := range genTypes {
		m := n
		form := vec.Form(g.IntN(3))
		switch form {
		case vec.Const:
			b.Cols = append(b.Cols, g.datum(t).Vector(n))
			continue
		case vec.View:
			m = 1 + g.IntN(6)
		}
		v := vec.NewFlat(t, m)
		for i := range m {
			g.set(v, i)
		}
		if v.Dec != nil && n != 3 {
			narrowed(v)
		}
		if form == vec.View {
			view := &vec.Vector{Type: t, Form: vec.View, N: n, Base: v, Idx: make([]int32, n)}
			for i := range view.Idx {
				view.Idx[i] = int32(g.IntN(m+1)) - 1
			}
			if g.IntN(2) == 0 {
				g.inRuns(view)
			}
			v = view
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// inRuns changes a view so that its rows come in runs, and sets the ends of the runs.
func (g generator) inRuns(view *vec.Vector) {
	for i := range view.Idx {
		if i > 0 && g.IntN(6) > 0 {
			view.Idx[i] = view.Idx[i-1]
		} else {
			view.Ends = append(view.Ends, 0)
		}
		view.Ends[len(view.Ends)-1] = int32(i) + 1
	}
}

func (g generator) set(v *vec.Vector, i int) {
	d := g.datum(v.Type)
	switch v.Type.Kind() {
	case types.KindF64:
		v.F64[i] = d.F64
	case types.KindDec:
		v.Dec[i] = d.Dec
	case types.KindStr:
		v.Str[i] = d.Str
	default:
		v.I64[i] = d.I64
	}
	if d.Null {
		v.SetNull(i)
		if v.I64 != nil {
			v.I64[i] = -1 << 63 // the value in the slot of a NULL must not matter
		}
	}
}

// oneRow returns a batch with only row i.
func oneRow(b *vec.Batch, i int) *vec.Batch {
	one := &vec.Batch{N: 1}
	for _, c := range b.Cols {
		one.Cols = append(one.Cols, catalog.DatumAt(c, i).Vector(1).Flatten(nil))
	}
	return one
}

// atRow replaces columns in e by their values in row i.
func atRow(e expr.Expr, b *vec.Batch, i int) expr.Expr {
	return expr.Map(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Col); ok {
			return &expr.Const{Value: catalog.DatumAt(b.Cols[c.ID], i)}
		}
		return e
	})
}

var genInput = []expr.ColID{0, 1, 2, 3, 4, 5, 6, 7}

// TestBatchesAgainstRows evaluates random expressions over whole batches and compares every row
// with the expression folded over the values of that row.
func TestBatchesAgainstRows(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	failed := 0
	for range 1500 {
		e := g.expr(1 + g.IntN(4))
		p, err := Compile(e, genInput)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		ev := p.NewEvaluator(kernel.Ctx{})
		for _, n := range []int{0, 1, 3, 40} {
			b, env := g.batch(n), &session{}
			if !sameAsRows(t, e, p.NewEvaluator(kernel.Ctx{Env: env}), b, env) || !sameAsRows(t, e, ev, b, nil) {
				failed++
			}
			if failed > 10 {
				t.Fatal("too many failures")
			}
		}
	}
}

// sameAsRows checks one batch. env is nil if the evaluator has run before, because constant parts
// warn only once. Errors and warnings are compared with those of one-row batches, not of
// constants: with a row's values, the list of IN may become constant and is then evaluated
// completely.
func sameAsRows(t *testing.T, e expr.Expr, ev *Evaluator, b *vec.Batch, env *session) bool {
	t.Helper()
	v, err := ev.Eval(b)
	if err == nil && (v.N != b.N || v.Type != e.Type()) {
		t.Errorf("%s: %d rows of %s, want %d of %s", e, v.N, v.Type, b.N, e.Type())
		return false
	}
	var rowErr error
	rowEnv := &session{}
	single := ev.p.NewEvaluator(kernel.Ctx{Env: rowEnv})
	for i := range b.N {
		_, singleErr := single.Eval(oneRow(b, i))
		if singleErr != nil {
			rowErr = singleErr
		}
		d, constErr := Const(atRow(e, b, i), kernel.Ctx{})
		if singleErr != nil && constErr == nil {
			t.Errorf("%s: row error %v, none of constants", atRow(e, b, i), singleErr)
			return false
		}
		if err != nil || constErr != nil {
			continue
		}
		if got, want := describe(catalog.DatumAt(v, i), nil), describe(d, nil); got != want {
			t.Errorf("%s, row %s: got %s, want %s", e, atRow(e, b, i), got, want)
			return false
		}
	}
	if (err == nil) != (rowErr == nil) {
		t.Errorf("%s: batch error %v, row error %v", e, err, rowErr)
		return false
	}
	if err == nil && env != nil && (len(env.codes) > 0) != (len(rowEnv.codes) > 0) {
		t.Errorf("%s: %d warnings in the batch, %d by rows", e, len(env.codes), len(rowEnv.codes))
		return false
	}
	return true
}

// TestFiltersAgainstRows compares Select with the rows for which every predicate is true, for
// random conjunctions. The predicates are evaluated in order, and only while all are true.
func TestFiltersAgainstRows(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(7, 8))}
	for range 500 {
		preds := make([]expr.Expr, 1+g.IntN(4))
		for i := range preds {
			preds[i] = g.expr(1 + g.IntN(2))
		}
		f, err := CompileFilter(preds, genInput)
		if err != nil {
			t.Fatal(err)
		}
		ev := f.NewEvaluator(kernel.Ctx{})
		for _, n := range []int{0, 1, 3, 40} {
			checkFilter(t, preds, ev, g.batch(n))
		}
	}
}

func checkFilter(t *testing.T, preds []expr.Expr, ev *FilterEvaluator, b *vec.Batch) {
	t.Helper()
	idx, all, err := ev.Select(b)
	var want []int32
	for i := range b.N {
		pass := true
		for _, p := range preds {
			d, rowErr := Const(expr.Truth(atRow(p, b, i)), kernel.Ctx{})
			if rowErr != nil {
				return // the planner chooses which rows reach a failing predicate
			}
			pass = pass && isTrue(d)
		}
		if pass {
			want = append(want, int32(i))
		}
	}
	if err != nil {
		t.Errorf("%v: %v", preds, err)
		return
	}
	if all {
		idx = nil
		for i := range b.N {
			idx = append(idx, int32(i))
		}
	}
	if len(idx) != len(want) {
		t.Errorf("%v: got %v, want %v", preds, idx, want)
		return
	}
	for i := range idx {
		if idx[i] != want[i] {
			t.Errorf("%v: got %v, want %v", preds, idx, want)
			return
		}
	}
}
