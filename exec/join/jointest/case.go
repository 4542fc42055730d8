package jointest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Case is a join to test. The columns of both sides are id, the operands and v.
type Case struct {
	Algo      physical.JoinAlgo
	Kind      logical.JoinKind
	Operands  []types.Type
	NullSafe  []bool        // of the first operands, which are the keys
	Ranges    []expr.FuncID // of the other operands
	Residual  string        // "", "sum" ((l.v+r.v) % 3 = 0), "less" (l.v < r.v)
	NullAware bool
	BuildLeft bool
	Streamed  bool
	// SameOperand, "l" or "r", makes the second operand of that side a repetition of the first.
	SameOperand string
	Left        *optest.Relation
	Right       *optest.Relation
}

const (
	// Ids of the first column of either side and of the mark.
	LeftID  = 1
	RightID = 101
	markID  = 200
)

// ColumnsOf returns the columns of a side, with ids from base on.
func ColumnsOf(base int, operands []types.Type) []logical.Column {
	side := map[int]string{LeftID: "l", RightID: "r"}[base]
	cols := []logical.Column{{ID: expr.ColID(base), Name: side + ".id", T: types.T(types.Int64)}}
	for i, t := range operands {
		cols = append(cols, logical.Column{ID: expr.ColID(base + 1 + i), Name: fmt.Sprintf("%s.k%d", side, i), T: t})
	}
	return append(cols, logical.Column{ID: expr.ColID(base + 1 + len(operands)), Name: side + ".v", T: types.T(types.Int64)})
}

// operand returns the position of the column that holds a side's operand i.
func (c *Case) operand(side string, i int) int {
	if c.SameOperand == side {
		return 1
	}
	return 1 + i
}

// Node returns the plan of the join.
func (c *Case) Node(t testing.TB) *physical.Node {
	l, r := c.Left.Cols, c.Right.Cols
	j := &physical.Join{Algo: c.Algo, Type: c.Kind, NullAware: c.NullAware, BuildLeft: c.BuildLeft, Streamed: c.Streamed, MarkID: markID}
	for i := range c.Operands {
		a, b := l[c.operand("l", i)].Ref(), r[c.operand("r", i)].Ref()
		if i < len(c.NullSafe) {
			j.Keys = append(j.Keys, physical.KeyPair{L: a, R: b, NullSafe: c.NullSafe[i]})
		} else {
			j.Ranges = append(j.Ranges, physical.RangePred{Op: c.Ranges[i-len(c.NullSafe)], L: a, R: b})
		}
	}
	lv, rv := l[len(l)-1].Ref(), r[len(r)-1].Ref()
	switch c.Residual {
	case "sum":
		sum := Call(t, expr.FuncAdd, lv, rv)
		j.Residual = append(j.Residual, Call(t, expr.FuncEQ, Call(t, expr.FuncMod, sum, &expr.Const{Value: catalog.Int(3)}), &expr.Const{Value: catalog.Int(0)}))
	case "less":
		j.Residual = append(j.Residual, Call(t, expr.FuncLT, lv, rv))
	}
	n := &physical.Node{Op: j, In: []*physical.Node{{Cols: l}, {Cols: r}}, Cols: slices.Clone(l)}
	switch {
	case c.returnsPairs():
		n.Cols = append(n.Cols, r...)
	case c.Kind == logical.Mark:
		n.Cols = append(n.Cols, logical.Column{ID: markID, Name: "mark", T: types.T(types.Int64)})
	}
	return n
}

// Call returns a function call as an expression.
func Call(t testing.TB, fn expr.FuncID, args ...expr.Expr) expr.Expr {
	t.Helper()
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Run runs the join over inputs with batches of size rows and returns its rows as sorted texts;
// see optest.Case.Once.
func (c *Case) Run(t testing.TB, size, workers int, forms bool) ([]string, error) {
	return c.RunIn(t, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers, BatchSize: size}, forms)
}

// RunIn is Run with the memory, workers, batch size and spill space of ctx.
func (c *Case) RunIn(t testing.TB, ctx *op.Ctx, forms bool) ([]string, error) {
	return c.Harness(t, nil, nil).Once(ctx, forms)
}

// AllAlgos lists the join algorithms.
var AllAlgos = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range, physical.NestedLoop}

// SimpleCase joins on one BIGINT, with a range predicate if the algorithm needs one.
func SimpleCase(g *Generator, algo physical.JoinAlgo, kind logical.JoinKind, left, right int) *Case {
	c := &Case{Algo: algo, Kind: kind, Operands: []types.Type{Bigint}, NullSafe: []bool{false}}
	if algo == physical.Range {
		c.Operands, c.Ranges = []types.Type{Bigint, Date}, []expr.FuncID{expr.FuncLT}
	}
	c.Left, c.Right = g.Relation(LeftID, left, c.Operands), g.Relation(RightID, right, c.Operands)
	return c
}
