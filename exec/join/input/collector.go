package input

import (
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Collector reads the values of expressions over an input into columns, for operators that need
// them all at once.
type Collector struct{ Spec *Spec }

// NewCollector compiles the expressions, which depend only on columns of the input.
func NewCollector(input []logical.Column, exprs []expr.Expr) (*Collector, error) {
	spec, err := NewSpec(input, nil, exprs)
	return &Collector{spec}, err
}

// Collect reads in, which is open, to its end with all workers. The Side has a key for each
// expression, with rows in the input's order; free releases its memory.
func (c *Collector) Collect(ctx *op.Ctx, in op.Operator, acct *mem.Account) (side *match.Side, free func(), err error) {
	side, store, err := c.Spec.Collect(ctx, in, acct)
	return side, store.Free, err
}

// Stored returns the columns in which c's rows are stored, and for each of c's expressions the
// expression over these columns that replaces it. Plain columns keep their ids; other columns are
// numbered from from.
func (c *Collector) Stored(from expr.ColID) (cols []logical.Column, exprs []expr.Expr) {
	ts, at := c.Spec.Layout()
	for i, t := range ts {
		cols = append(cols, logical.Column{ID: from + expr.ColID(i), T: t})
	}
	for i, e := range c.Spec.Exprs {
		if col, ok := e.(*expr.Col); ok {
			cols[at[i]].ID = col.ID
		}
	}
	for _, k := range at {
		exprs = append(exprs, cols[k].Ref())
	}
	return cols, exprs
}

// Exprs returns the expressions that c reads.
func (c *Collector) Exprs() []expr.Expr { return c.Spec.Exprs }
