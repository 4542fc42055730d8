package exec

import (
	"fmt"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// stepBound is the value at which the step of recursiveCase ends.
const stepBound = 12

// recursiveOracle returns the rows of seed and, repeatedly, the row (a + 1, a) for each row with
// a < stepBound. With distinct, it returns only distinct rows.
func recursiveOracle(seed *optest.Relation, distinct bool) (out [][]catalog.Datum) {
	seen := map[string]bool{}
	add := func(row []catalog.Datum) bool {
		key := fmt.Sprint(row)
		if distinct && seen[key] {
			return false
		}
		seen[key] = true
		out = append(out, row)
		return true
	}
	for _, row := range seed.Rows {
		add(row)
	}
	for i := 0; i < len(out); i++ {
		if a := out[i][0]; !a.Null && a.I64 < stepBound {
			add([]catalog.Datum{catalog.Int(a.I64 + 1), a})
		}
	}
	return out
}

func recursiveCase(seed *optest.Relation, plan *physical.Recursive) optest.Case {
	plan.Work = 1
	cols := optest.New(11, bigint, bigint).Cols
	work := &physical.Node{Op: &physical.WorkTable{Work: 1}, Cols: cols, Device: physical.CPU}
	bound := less(cols[0].Ref(), &expr.Const{Value: catalog.Int(stepBound)})
	filter := &physical.Node{Op: &physical.Filter{Preds: []expr.Expr{bound}}, In: []*physical.Node{work}, Cols: cols, Device: physical.CPU}
	next := &expr.Call{Fn: "+", Args: []expr.Expr{cols[0].Ref(), &expr.Const{Value: catalog.Int(1)}}, T: bigint, Pos: -1}
	stepCols := []logical.Column{{ID: 21, T: bigint}, {ID: 22, T: bigint}}
	step := &physical.Node{Op: &physical.Project{Exprs: []expr.Expr{next, cols[0].Ref()}}, In: []*physical.Node{filter}, Cols: stepCols, Device: physical.CPU}
	n := &physical.Node{Op: plan, In: []*physical.Node{seed.Node(), step}, Cols: optest.New(31, bigint, bigint).Cols, Device: physical.CPU}
	return optest.Case{Inputs: []*optest.Relation{seed}, Want: recursiveOracle(seed, plan.Distinct),
		Build: func(in []op.Operator) (op.Operator, error) {
			r, err := newRecursive(&Inputs{reg: DefaultRegistry()}, n)
			if err == nil {
				r.(*recursive).seed = in[0]
			}
			return r, err
		}}
}

func TestRecursive(t *testing.T) {
	seed := optest.New(1, bigint, bigint).Fill(rng(), 150, 14, 6)
	recursiveCase(seed, &physical.Recursive{Count: -1}).Run(t)
	recursiveCase(seed, &physical.Recursive{Count: -1, Distinct: true}).Run(t)
	recursiveCase(optest.New(1, bigint, bigint), &physical.Recursive{Count: -1}).Run(t)
}

func TestRecursiveInLittleMemory(t *testing.T) {
	seed := optest.New(1, bigint, bigint).Fill(rng(), 12000, 9000, 6)
	for _, row := range seed.Rows { // all distinct values lead to the same few
		row[0].I64 %= stepBound + 1
	}
	for _, distinct := range []bool{false, true} {
		recursiveCase(seed, &physical.Recursive{Count: -1, Distinct: distinct}).RunSpilling(t, 0.5)
	}
}

// TestRecursiveLimit counts rows. Except for a seed of one row, it does not check them, because
// which rows are returned depends on batches.
func TestRecursiveLimit(t *testing.T) {
	seed := optest.New(1, bigint, bigint)
	seed.Rows = [][]catalog.Datum{{catalog.Int(0), catalog.Int(0)}}
	c := recursiveCase(seed, &physical.Recursive{Count: 3, Offset: 2})
	c.Want, c.SkipMemory = c.Want[2:5], true
	c.Run(t)
	c = recursiveCase(seed, &physical.Recursive{Count: 100, Offset: 5})
	c.Want, c.SkipMemory = c.Want[5:], true
	c.Run(t)
}

// TestRecursionDepth goes deeper than the default of cte_max_recursion_depth.
func TestRecursionDepth(t *testing.T) {
	seed := optest.New(1, bigint, bigint)
	for _, c := range []struct {
		from int64
		err  sqlerr.Code
	}{{stepBound - 999, 0}, {stepBound - 1000, sqlerr.CTEMaxRecursionDepth}} {
		seed.Rows = [][]catalog.Datum{{catalog.Int(c.from), catalog.Int(0)}}
		o := recursiveCase(seed, &physical.Recursive{Count: -1})
		o.Err, o.SkipMemory = c.err, true
		o.Run(t)
	}
}
