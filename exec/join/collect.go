package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Collector reads the values of expressions over an input as columns, for operators that
// need them whole.
type Collector struct{ spec *sideSpec }

// NewCollector compiles the expressions, which depend on columns of the input only.
func NewCollector(input []logical.Column, exprs []expr.Expr) (*Collector, error) {
	spec, err := newSideSpec(input, nil, exprs)
	return &Collector{spec}, err
}

// Collect reads in, which is open, with all workers to its end. The Side has a key for each
// expression, in the input's order of rows; free gives back its memory.
func (c *Collector) Collect(ctx *op.Ctx, in op.Operator, acct *mem.Account) (side *Side, free func(), err error) {
	side, store, err := c.spec.collect(ctx, in, acct)
	return side, store.Free, err
}
