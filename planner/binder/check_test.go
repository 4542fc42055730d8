package binder_test

import (
	"fmt"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// check finds plans that no rule or executor could handle: an operator that uses a column that
// neither its inputs nor an enclosing query produce, or two operators that produce the same new
// column.
func check(n logical.Node) error {
	return (&checker{made: map[expr.ColID]string{}}).node(n, nil)
}

type checker struct{ made map[expr.ColID]string }

func (c *checker) node(n logical.Node, outer map[expr.ColID]bool) error {
	seen := map[expr.ColID]bool{}
	for id := range outer {
		seen[id] = true
	}
	in := map[expr.ColID]bool{}
	for i, child := range n.Inputs() {
		around := outer
		if j, ok := n.(*logical.Join); ok && j.Correlated && i == 1 {
			around = seen
		}
		if err := c.node(child, around); err != nil {
			return err
		}
		for _, col := range child.Schema() {
			in[col.ID], seen[col.ID] = true, true
		}
	}
	for _, e := range sources(n) {
		if err := c.expr(e, seen, fmt.Sprintf("%T", n)); err != nil {
			return err
		}
	}
	out := map[expr.ColID]bool{}
	for _, col := range n.Schema() {
		if out[col.ID] {
			return fmt.Errorf("%T gives column %s twice", n, col.Name)
		}
		out[col.ID] = true
		if in[col.ID] {
			continue
		}
		if by, ok := c.made[col.ID]; ok {
			return fmt.Errorf("column %s is made by %s and %T", col.Name, by, n)
		}
		c.made[col.ID] = fmt.Sprintf("%T", n)
	}
	return nil
}

func sources(n logical.Node) []expr.Expr {
	var es []expr.Expr
	logical.EachExpr(n, func(e expr.Expr) { es = append(es, e) })
	if s, ok := n.(*logical.Scan); ok {
		return append(es, s.Preds...)
	}
	if a, ok := n.(*logical.Aggregate); ok {
		for _, k := range a.Keys {
			es = append(es, k.Ref())
		}
	}
	return es
}

func (c *checker) expr(e expr.Expr, seen map[expr.ColID]bool, where string) (err error) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			if !seen[x.ID] {
				err = fmt.Errorf("%s uses column %s, which nothing gives it", where, x.Name)
			}
		case *expr.Subquery:
			if x.T.ID == 0 && x.Kind != expr.Scalar {
				err = fmt.Errorf("%s holds an untyped subquery", where)
			}
			if err == nil {
				err = c.node(x.Plan.(logical.Node), seen)
			}
		}
		return err == nil
	})
	return err
}
