package statement

import "github.com/pingcap/tidb/pkg/parser/ast"

// Digits determines whether the columns of a query keep the digits that quotients carry beyond the digits shown.
type Digits uint8

const (
	// ShownOnly is for results and for columns that are compared, grouped or combined with others.
	ShownOnly Digits = iota
	// Mergeable is for derived tables, views and common table expressions. If MySQL merges one with the query
	// around it, its columns keep their digits.
	Mergeable
	// OneValue is for scalar subqueries and for values that are converted to columns of a table.
	OneValue
	// Operand is for the operands of set operations, whose columns are converted to those of the result.
	Operand
)

// ShowOnly records that only the shown digits of n matter if n is a subquery.
func (s *Statement) ShowOnly(n ast.ExprNode) {
	for {
		switch x := n.(type) {
		case *ast.ParenthesesExpr:
			n = x.Expr
			continue
		case *ast.SubqueryExpr:
			if s.Shared.Shown == nil {
				s.Shared.Shown = map[ast.ExprNode]bool{}
			}
			s.Shared.Shown[x] = true
		}
		return
	}
}
