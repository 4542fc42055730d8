package kernel

import (
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// NotConstant returns the error for an expression that must be constant.
func NotConstant(e expr.Expr) error {
	if c, ok := e.(*expr.Col); ok {
		return sqlerr.New(sqlerr.BadField, "Unknown column '%s' in 'field list'", c.Name)
	}
	return sqlerr.Internal("%s is not constant", e)
}

// WithArgs returns c with other arguments, or c itself if they are the same slice.
func WithArgs(c *expr.Call, args []expr.Expr) *expr.Call {
	if len(args) == 0 || len(args) == len(c.Args) && &args[0] == &c.Args[0] {
		return c
	}
	d := *c
	d.Args = args
	return &d
}

// ArgKind returns the kind that argument i of c is computed in.
func ArgKind(c *expr.Call, i int) types.Kind { return c.Args[i].Type().Kind() }
