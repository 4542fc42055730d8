package scalar

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// Block is the query block that contains an expression: it binds names, subqueries and
// aggregates.
type Block interface {
	// Column resolves a column name.
	Column(name *ast.ColumnName, pos int) (expr.Expr, error)
	// Subquery binds a query that sees the block's columns. keeps determines which digits its
	// columns keep.
	Subquery(n ast.Node, keeps statement.Digits) (logical.Node, error)
	// Aggregate binds a call of an aggregate function.
	Aggregate(n *ast.AggregateFuncExpr, pos int) (expr.Expr, error)
	// AnyValue binds ANY_VALUE(x).
	AnyValue(n *ast.FuncCallExpr, pos int) (expr.Expr, error)
	// Grouping binds GROUPING(x, ...).
	Grouping(n *ast.FuncCallExpr, pos int) (expr.Expr, error)
	// Window binds a call of a window function.
	Window(n *ast.WindowFuncExpr, pos int) (expr.Expr, error)
	// Assigned binds DEFAULT, DEFAULT(c) and VALUES(c).
	Assigned(n ast.ExprNode, pos int) (expr.Expr, error)
}

// Binder binds the expressions of one query block.
type Binder struct {
	*statement.Statement
	Block Block
}

// Expr binds an expression in the current clause.
func (b *Binder) Expr(n ast.ExprNode) (expr.Expr, error) {
	if err := b.Deeper(); err != nil {
		return nil, err
	}
	defer b.Shallower()
	pos := n.OriginTextPosition()
	switch n := n.(type) {
	case *parse.Literal:
		return literal(n, pos)
	case *parse.Param:
		return b.ParamExpr(n)
	case *ast.ParenthesesExpr:
		return b.Expr(n.Expr)
	case *ast.ColumnNameExpr:
		return b.Block.Column(n.Name, pos)
	case *ast.BinaryOperationExpr:
		return b.binary(n, pos)
	case *ast.UnaryOperationExpr:
		return b.unary(n, pos)
	case *ast.VariableExpr:
		return b.variable(n, pos)
	case *ast.SubqueryExpr:
		return b.scalarSubquery(n, pos)
	case *ast.ExistsSubqueryExpr:
		return b.exists(n, pos)
	case *ast.CompareSubqueryExpr:
		return b.quantified(n, pos)
	case *ast.AggregateFuncExpr:
		return b.Block.Aggregate(n, pos)
	case *ast.FuncCallExpr:
		return b.function(n, pos)
	case *ast.FuncCastExpr:
		return b.cast(n, pos)
	case *ast.DefaultExpr, *ast.ValuesExpr:
		return b.Block.Assigned(n, pos)
	case *ast.RowExpr:
		return nil, operandColumns(1, pos)
	case *ast.WindowFuncExpr:
		return b.Block.Window(n, pos)
	}
	return b.predicate(n, pos)
}

func operandColumns(n, pos int) error {
	return sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", n).At(pos)
}

// Exprs binds several expressions.
func (b *Binder) Exprs(nodes ...ast.ExprNode) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(nodes))
	return out, b.bindAll(out, nodes...)
}

// bindAll is like Exprs but stores the result in the caller's memory, which may be on its stack.
func (b *Binder) bindAll(dst []expr.Expr, nodes ...ast.ExprNode) (err error) {
	for i, n := range nodes {
		if dst[i], err = b.Expr(n); err != nil {
			return err
		}
	}
	return nil
}

// fewExprs is the number of arguments up to which calls need no heap memory.
const fewExprs = 12

// room returns few, or new memory if n exceeds its length.
func room(few []expr.Expr, n int) []expr.Expr {
	if n > len(few) {
		return make([]expr.Expr, n)
	}
	return few[:n]
}

// call binds the arguments of a function and returns the call.
func (b *Binder) call(fn expr.FuncID, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	var few [fewExprs]expr.Expr
	args := room(few[:], len(nodes))
	if err := b.bindAll(args, nodes...); err != nil {
		return nil, err
	}
	return expr.NewCall(fn, args, pos)
}
