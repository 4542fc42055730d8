package exec

import (
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// innerValues returns a plan of literal rows filtered by column 0 < $0.
func innerValues(rel *optest.Relation) *physical.Node {
	plan := &physical.Values{}
	for _, row := range rel.Rows {
		var es []expr.Expr
		for _, d := range row {
			es = append(es, &expr.Const{Value: d})
		}
		plan.Rows = append(plan.Rows, es)
	}
	values := &physical.Node{Op: plan, Cols: rel.Cols, Device: physical.CPU}
	pred := less(rel.Col(0), &expr.Param{Slot: 0, T: bigint})
	return &physical.Node{Op: &physical.Filter{Preds: []expr.Expr{pred}}, In: []*physical.Node{values}, Cols: rel.Cols, Device: physical.CPU}
}

// truth returns inner.0 < outer.0 AND outer.1 < inner.1 as 1, 0 or -1 for NULL. The first
// conjunct is inside the plan, where it only selects rows.
func truth(o, i []catalog.Datum) (pass bool, on int) {
	if o[0].Null || i[0].Null || i[0].I64 >= o[0].I64 {
		return false, 0
	}
	switch {
	case o[1].Null || i[1].Null:
		return true, -1
	case o[1].I64 < i[1].I64:
		return true, 1
	}
	return true, 0
}

// applyOracle runs the nested loops that are equivalent to an apply.
func applyOracle(kind logical.JoinKind, outer, inner *optest.Relation) [][]catalog.Datum {
	var out [][]catalog.Datum
	for _, o := range outer.Rows {
		matched, null := 0, false
		for _, i := range inner.Rows {
			pass, on := truth(o, i)
			if !pass {
				continue
			}
			null = null || on < 0
			if on == 1 {
				matched++
				if kind == logical.Inner || kind == logical.Left {
					out = append(out, append(append([]catalog.Datum{}, o...), i...))
				}
			}
		}
		switch {
		case kind == logical.Semi && matched > 0, kind == logical.Anti && matched == 0:
			out = append(out, o)
		case kind == logical.Left && matched == 0:
			out = append(out, append(append([]catalog.Datum{}, o...), catalog.NullOf(bigint), catalog.NullOf(bigint)))
		case kind == logical.Mark:
			mark := catalog.Int(0)
			if matched > 0 {
				mark = catalog.Int(1)
			} else if null {
				mark = catalog.NullOf(bigint)
			}
			out = append(out, append(append([]catalog.Datum{}, o...), mark))
		}
	}
	return out
}

func applyCase(kind logical.JoinKind, outer, inner *optest.Relation) optest.Case {
	cols := outer.Cols
	mark := logical.Column{ID: 99, Name: "mark", T: bigint}
	switch kind {
	case logical.Mark:
		cols = append(cols[:len(cols):len(cols)], mark)
	case logical.Inner, logical.Left, logical.Single:
		cols = append(cols[:len(cols):len(cols)], inner.Cols...)
	}
	n := &physical.Node{Device: physical.CPU, Cols: cols, In: []*physical.Node{outer.Node(), innerValues(inner)},
		Op: &physical.Apply{Type: kind, Bind: []expr.Expr{outer.Col(0)}, On: []expr.Expr{less(outer.Col(1), inner.Col(1))}, MarkID: mark.ID}}
	return optest.Case{Inputs: []*optest.Relation{outer}, Want: applyOracle(kind, outer, inner),
		Build: func(in []op.Operator) (op.Operator, error) {
			a, err := newApply(&Inputs{reg: DefaultRegistry()}, n)
			if err == nil {
				a.(*apply).outer = in[0]
			}
			return a, err
		}}
}

func TestApply(t *testing.T) {
	outer := optest.New(1, bigint, bigint).Fill(rng(), 120, 15, 6)
	inner := optest.New(11, bigint, bigint).Fill(rng(), 20, 12, 5)
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Semi, logical.Anti, logical.Mark} {
		applyCase(kind, outer, inner).Run(t)
	}
}

func TestSingleApply(t *testing.T) {
	outer := optest.New(1, bigint, bigint).Fill(rng(), 60, 15, 6)
	one := optest.New(11, bigint, bigint)
	one.Rows = [][]catalog.Datum{{catalog.Int(0), catalog.Int(100)}}
	c := applyCase(logical.Single, outer, one)
	c.Want = applyOracle(logical.Left, outer, one)
	c.Run(t)
	one.Rows = append(one.Rows, one.Rows[0])
	c = applyCase(logical.Single, outer, one)
	c.Err = sqlerr.SubqueryNo1Row
	c.Run(t)
}

// TestLargeApply runs inner plans with several workers. Plans that need only one row stop at their
// first row.
func TestLargeApply(t *testing.T) {
	outer := optest.New(5, bigint)
	for _, x := range []int64{20_000, 0, 5, 20_000, 1 << 40} {
		outer.Rows = append(outer.Rows, []catalog.Datum{catalog.Int(x)})
	}
	const rows = 30_000
	scan := &physical.Node{ID: 1, Op: &physical.Scan{Table: &sequence{rows: rows}, Ordinals: []int{0}}, Cols: seqCols, Device: physical.CPU}
	below := less(seqCols[0].Ref(), &expr.Param{Slot: 0, T: bigint})
	inner := &physical.Node{Op: &physical.Filter{Preds: []expr.Expr{below}}, In: []*physical.Node{scan}, Cols: seqCols, Device: physical.CPU}
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Semi, logical.Anti} {
		var want [][]catalog.Datum
		cols := outer.Cols
		for _, row := range outer.Rows {
			n := min(row[0].I64, rows)
			switch {
			case kind == logical.Inner:
				for i := range n {
					want = append(want, []catalog.Datum{row[0], catalog.Int(i)})
				}
			case (kind == logical.Semi) == (n > 0):
				want = append(want, row)
			}
		}
		if kind == logical.Inner {
			cols = append(cols[:1:1], seqCols...)
		}
		n := &physical.Node{Device: physical.CPU, Cols: cols, In: []*physical.Node{outer.Node(), inner},
			Op: &physical.Apply{Type: kind, Bind: []expr.Expr{outer.Col(0)}}}
		optest.Case{Inputs: []*optest.Relation{outer}, Want: want, Build: func(in []op.Operator) (op.Operator, error) {
			a, err := newApply(&Inputs{reg: DefaultRegistry()}, n)
			if err == nil {
				a.(*apply).outer = in[0]
			}
			return a, err
		}}.RunQuick(t)
	}
}

// TestApplySpills pairs outer rows with results that do not fit in memory together, and some of
// which do not fit alone.
func TestApplySpills(t *testing.T) {
	outer := optest.New(5, bigint)
	const rows = 30_000
	for _, x := range []int64{20_000, 0, 5, 20_000, 29_000, 300, 28_000, 5, 20_000} {
		outer.Rows = append(outer.Rows, []catalog.Datum{catalog.Int(x)})
	}
	scan := &physical.Node{ID: 1, Op: &physical.Scan{Table: &sequence{rows: rows}, Ordinals: []int{0}}, Cols: seqCols, Device: physical.CPU}
	below := less(seqCols[0].Ref(), &expr.Param{Slot: 0, T: bigint})
	inner := &physical.Node{Op: &physical.Filter{Preds: []expr.Expr{below}}, In: []*physical.Node{scan}, Cols: seqCols, Device: physical.CPU}
	// 25,000 < inner holds for rows of the largest results only.
	on := less(&expr.Const{Value: catalog.Int(25_000)}, seqCols[0].Ref())
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Anti} {
		var want [][]catalog.Datum
		cols := outer.Cols
		if kind != logical.Anti {
			cols = append(cols[:1:1], seqCols...)
		}
		for _, row := range outer.Rows {
			n := max(min(row[0].I64, rows)-25_001, 0)
			switch {
			case kind == logical.Anti:
				if n == 0 {
					want = append(want, row)
				}
			case kind == logical.Left && n == 0:
				want = append(want, []catalog.Datum{row[0], catalog.NullOf(bigint)})
			default:
				for i := range n {
					want = append(want, []catalog.Datum{row[0], catalog.Int(25_001 + i)})
				}
			}
		}
		n := &physical.Node{Device: physical.CPU, Cols: cols, In: []*physical.Node{outer.Node(), inner},
			Op: &physical.Apply{Type: kind, Bind: []expr.Expr{outer.Col(0)}, On: []expr.Expr{on}}}
		optest.Case{Inputs: []*optest.Relation{outer}, Want: want, Build: func(in []op.Operator) (op.Operator, error) {
			a, err := newApply(&Inputs{reg: DefaultRegistry()}, n)
			if err == nil {
				a.(*apply).outer = in[0]
			}
			return a, err
		}}.RunSpilling(t, 0.1, 0.4)
	}
}
