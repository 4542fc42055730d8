package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
)

// aggregateBlock returns the block that an aggregate in b belongs to: the innermost block whose
// columns its arguments name outside of other aggregates. An aggregate of aggregates alone belongs to b, since those must
// be of blocks around it. One without columns belongs to the first block from b outwards that allows aggregates, or to b.
func (b *Block) aggregateBlock(n *ast.AggregateFuncExpr) *Block {
	if b.Outer == nil {
		return b
	}
	var names columnFinder
	for _, a := range n.Args {
		a.Accept(&names)
	}
	switch {
	case len(names.found) > 0:
		return b.innermost(names.found)
	case names.aggregates || b.inAgg:
		return b
	}
	for o := b; o != nil; o = o.Outer {
		if o.takesAggregate() {
			return o
		}
	}
	return b
}

// ownAggregate reports whether an aggregate in the select list, HAVING or ORDER BY is over b's own rows.
func (b *Block) ownAggregate(n *ast.AggregateFuncExpr) bool {
	var names columnFinder
	for _, a := range n.Args {
		a.Accept(&names)
	}
	return len(names.found) == 0 || b.innermost(names.found) == b
}

// innermost returns the innermost block that has one of the columns, or b if some column is in no
// block.
func (b *Block) innermost(names []*ast.ColumnName) *Block {
	var found *Block
	least := 0
	for _, name := range names {
		o, depth := b, 0
		for o != nil {
			if _, n := o.Scope.Find(name); n > 0 {
				break
			}
			o, depth = o.Outer, depth+1
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

// takesAggregate reports whether an aggregate is allowed in the current clause.
func (b *Block) takesAggregate() bool {
	return b.aggsAllowed && !b.inAgg && (b.group != nil || b.sel != nil)
}

// aggregateFor binds an aggregate over b's rows in the subquery within. If that makes b a grouped
// block, its SELECT is bound again from the start.
func (b *Block) aggregateFor(within *Block, n *ast.AggregateFuncExpr, pos int) (expr.Expr, error) {
	if b.takesAggregate() && b.group == nil {
		b.Shared.Regroup = b.sel
	}
	e, err := b.Aggregate(n, pos)
	if err == nil {
		for i := within; i != b; i = i.Outer {
			i.outerRefs++
		}
	}
	return e, err
}

// columnFinder collects the columns that an expression names outside of subqueries and aggregates.
type columnFinder struct {
	found      []*ast.ColumnName
	aggregates bool // there are aggregates in the expression
}

// Enter implements ast.Visitor.
func (f *columnFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.ColumnNameExpr:
		f.found = append(f.found, x.Name)
	case *ast.AggregateFuncExpr:
		f.aggregates = true
		return n, true
	case *ast.SubqueryExpr:
		return n, true
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *columnFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
