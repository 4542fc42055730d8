package scalar

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// collate binds the COLLATE operator.
func (b *Binder) collate(n *ast.SetCollationExpr, pos int) (expr.Expr, error) {
	c, err := Collation(n.Collate, pos)
	if err != nil {
		return nil, err
	}
	e, err := b.Expr(n.Expr)
	if err != nil {
		return nil, err
	}
	return expr.Collate(e, c, pos)
}

// Collation returns a collation by name. Error 1235: gsql does not support it.
func Collation(name string, pos int) (types.Collation, error) {
	c, ok := types.CollationCalled(name)
	if ok {
		return c, nil
	}
	names := make([]string, 0, len(types.Collations()))
	for _, c := range types.Collations() {
		names = append(names, c.String())
	}
	return c, sqlerr.Unsupported(pos, "COLLATE %s", name).WithHint("Supported collations: %s.", strings.Join(names, ", "))
}

// TypeOf returns the type of a column that holds e's values.
func TypeOf(e expr.Expr) types.Type {
	t := e.Type()
	if t.ID != types.String {
		return t
	}
	if c, _, err := expr.CollationOf(e); err == nil {
		t.Coll = c
	}
	return t
}

// IsCoercible reports whether column i of a plan is computed from literals alone.
func IsCoercible(n logical.Node, i int) bool { return coercible(n, n.Schema()[i].ID) }

func coercible(n logical.Node, id expr.ColID) bool {
	literal := func(e expr.Expr) bool {
		_, held, err := expr.CollationOf(e)
		return err == nil && held >= expr.Coercible
	}
	switch x := n.(type) {
	case *logical.Project:
		for _, it := range x.Items {
			if it.Col.ID != id {
				continue
			}
			if c, ok := it.Expr.(*expr.Col); ok {
				return coercible(x.In, c.ID)
			}
			return literal(it.Expr)
		}
	case *logical.Aggregate:
		for _, it := range x.Aggs {
			if it.Col.ID == id {
				return len(it.Agg.Args) > 0 && literal(it.Agg.Args[0])
			}
		}
		return coercible(x.In, id)
	case *logical.Sort:
		return coercible(x.In, id)
	case *logical.Limit:
		return coercible(x.In, id)
	case *logical.Filter:
		return coercible(x.In, id)
	}
	return false
}
