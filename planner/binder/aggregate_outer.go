package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
)

// aggregateBlock gives the query that an aggregate in b belongs to: the innermost one whose
// columns its arguments name. Without columns that is b, or where b has no place for
// aggregates the next query around it that has.
func (b *block) aggregateBlock(n *ast.AggregateFuncExpr) *block {
	if b.outer == nil {
		return b
	}
	var names columnFinder
	for _, a := range n.Args {
		a.Accept(&names)
	}
	if len(names.found) > 0 {
		return b.innermost(names.found)
	}
	for o := b; o != nil; o = o.outer {
		if o.takesAggregate() {
			return o
		}
	}
	return b
}

// ownAggregate tells whether an aggregate in the select list, HAVING or ORDER BY is of b's
// own rows.
func (b *block) ownAggregate(n *ast.AggregateFuncExpr) bool {
	var names columnFinder
	for _, a := range n.Args {
		a.Accept(&names)
	}
	return len(names.found) == 0 || b.innermost(names.found) == b
}

// innermost gives the innermost block that one of the columns is of, b where some column is
// of none.
func (b *block) innermost(names []*ast.ColumnName) *block {
	var found *block
	least := 0
	for _, name := range names {
		o, depth := b, 0
		for o != nil {
			if _, n := o.scope.find(name); n > 0 {
				break
			}
			o, depth = o.outer, depth+1
		}
		if o == nil {
			return b
		}
		if found == nil || depth < least {
			found, least = o, depth
		}
	}
	return found
}

// takesAggregate tells whether an aggregate may stand in the clause at hand.
func (b *block) takesAggregate() bool {
	return b.aggsAllowed && !b.inAgg && (b.group != nil || b.sel != nil)
}

// aggregateFor binds an aggregate of b's rows that stands in the subquery within. Where it
// turns out only now that b groups, its SELECT is bound again from the start.
func (b *block) aggregateFor(within *block, n *ast.AggregateFuncExpr, pos int) (expr.Expr, error) {
	if b.takesAggregate() && b.group == nil {
		b.shared.regroup = b.sel
	}
	e, err := b.aggregateCall(n, pos)
	if err == nil {
		for i := within; i != b; i = i.outer {
			i.outerRefs++
		}
	}
	return e, err
}

// columnFinder collects the columns that an expression names outside of subqueries.
type columnFinder struct{ found []*ast.ColumnName }

// Enter implements ast.Visitor.
func (f *columnFinder) Enter(n ast.Node) (ast.Node, bool) {
	_, sub := n.(*ast.SubqueryExpr)
	if c, ok := n.(*ast.ColumnNameExpr); ok {
		f.found = append(f.found, c.Name)
	}
	return n, sub
}

// Leave implements ast.Visitor.
func (f *columnFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
