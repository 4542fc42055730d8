package exec

import (
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var (
	bigint  = types.T(types.Int64)
	decimal = types.Dec(30, 2)
	text    = types.T(types.String)
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

// over makes a node of o above relations.
func over(o physical.Op, cols []logical.Column, rels ...*optest.Relation) *physical.Node {
	n := &physical.Node{Op: o, Cols: cols, Device: physical.CPU}
	for _, r := range rels {
		n.In = append(n.In, r.Node())
	}
	return n
}

func less(l, r expr.Expr) expr.Expr {
	return &expr.Call{Fn: "<", Args: []expr.Expr{l, r}, T: bigint, Pos: -1}
}

func TestFilterAndProject(t *testing.T) {
	rel := optest.New(1, bigint, bigint, text).Fill(rng(), 500, 20, 5)
	var want, swapped [][]catalog.Datum
	for _, row := range rel.Rows {
		if !row[0].Null && !row[1].Null && row[0].I64 < row[1].I64 {
			want = append(want, row)
		}
		swapped = append(swapped, []catalog.Datum{row[2], row[0]})
	}
	filtered := over(&physical.Filter{Preds: []expr.Expr{less(rel.Col(0), rel.Col(1))}}, rel.Cols, rel)
	optest.Case{Inputs: []*optest.Relation{rel}, Want: want, SkipMemory: true,
		Build: func(in []op.Operator) (op.Operator, error) { return newFilter(filtered, in[0]) }}.Run(t)
	projected := over(&physical.Project{Exprs: []expr.Expr{rel.Col(2), rel.Col(0)}}, []logical.Column{rel.Cols[2], rel.Cols[0]}, rel)
	optest.Case{Inputs: []*optest.Relation{rel}, Want: swapped, SkipMemory: true,
		Build: func(in []op.Operator) (op.Operator, error) { return newProject(projected, in[0]) }}.Run(t)
}

func TestLimit(t *testing.T) {
	rel := optest.New(1, bigint, text).Fill(rng(), 100, 50, 5)
	for _, c := range []struct{ count, offset, from, to int64 }{
		{10, 0, 0, 10}, {10, 5, 5, 15}, {0, 5, 0, 0}, {-1, 90, 90, 100}, {50, 80, 80, 100}, {5, 200, 0, 0}, {3, 63, 63, 66}, {math.MaxInt64, 5, 5, 100},
	} {
		optest.Case{Inputs: []*optest.Relation{rel}, Want: rel.Rows[c.from:c.to], InOrder: true, SkipMemory: true,
			Build: func(in []op.Operator) (op.Operator, error) {
				return &limit{plan: &physical.Limit{Count: c.count, Offset: c.offset}, in: in[0]}, nil
			}}.Run(t)
	}
}

func TestMaxOneRow(t *testing.T) {
	build := func(rel *optest.Relation) func(in []op.Operator) (op.Operator, error) {
		n := over(&physical.MaxOneRow{}, rel.Cols, rel)
		return func(in []op.Operator) (op.Operator, error) { return newMaxOneRow(n, in[0]) }
	}
	for rows, want := range [][][]catalog.Datum{
		0: {{catalog.NullOf(bigint), catalog.NullOf(text)}},
		1: {{optest.Value(bigint, 0), optest.Value(text, 0)}},
	} {
		rel := optest.New(1, bigint, text).Fill(rng(), rows, 1, 0)
		optest.Case{Inputs: []*optest.Relation{rel}, Want: want, SkipMemory: true, Build: build(rel)}.Run(t)
	}
	two := optest.New(1, bigint, text).Fill(rng(), 2, 5, 0)
	optest.Case{Inputs: []*optest.Relation{two}, Err: sqlerr.SubqueryNo1Row, Build: build(two)}.Run(t)
}

func TestValues(t *testing.T) {
	rel := optest.New(1, bigint, text, decimal).Fill(rng(), 300, 50, 5)
	plan := &physical.Values{}
	for _, row := range rel.Rows {
		var es []expr.Expr
		for _, d := range row {
			es = append(es, &expr.Const{Value: d})
		}
		plan.Rows = append(plan.Rows, es)
	}
	n := over(plan, rel.Cols)
	optest.Case{Want: rel.Rows, SkipMemory: true,
		Build: func([]op.Operator) (op.Operator, error) { return newValues(nil, n) }}.Run(t)
}

func TestSetOperations(t *testing.T) {
	l := optest.New(1, bigint, text).Fill(rng(), 300, 6, 4)
	r := optest.New(11, bigint, text).Fill(rand.New(rand.NewPCG(3, 3)), 200, 6, 4)
	out := optest.New(21, bigint, text)
	for _, set := range []logical.SetKind{logical.Union, logical.Except, logical.Intersect} {
		for _, all := range []bool{false, true} {
			n := over(&physical.SetOp{Set: set, All: all}, out.Cols, l, r)
			optest.Case{Inputs: []*optest.Relation{l, r}, Want: multisetOracle(set, all, l.Rows, r.Rows), SkipMemory: set == logical.Union && all,
				Build: func(in []op.Operator) (op.Operator, error) { return newSetOp(n, in[0], in[1]) }}.Run(t)
		}
	}
}

// multisetOracle counts occurrences, following the definitions in the SQL standard.
func multisetOracle(set logical.SetKind, all bool, l, r [][]catalog.Datum) [][]catalog.Datum {
	counts := [2]map[string]int{{}, {}}
	rows := map[string][]catalog.Datum{}
	for side, in := range [][][]catalog.Datum{l, r} {
		for _, row := range in {
			k := row[0].SQL() + "," + row[1].SQL()
			counts[side][k]++
			rows[k] = row
		}
	}
	var out [][]catalog.Datum
	for k, row := range rows {
		a, b := counts[0][k], counts[1][k]
		if !all {
			a, b = min(a, 1), min(b, 1)
		}
		n := a + b
		switch {
		case set == logical.Union && !all:
			n = 1
		case set == logical.Except:
			n = max(a-b, 0)
		case set == logical.Intersect:
			n = min(a, b)
		}
		for range n {
			out = append(out, row)
		}
	}
	return out
}
