package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// deeper counts one more level of nesting and one more expression, and refuses too many
// (1436): BETWEEN and others bind an operand twice, so that nesting them doubles it.
func (s *statement) deeper() error {
	if s.shared.exprs++; s.shared.exprs > s.shared.room {
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: the statement stands for more than %d expressions", s.shared.room).
			WithHint("BETWEEN, CASE x WHEN, NULLIF and comparisons of rows repeat their operands; compute nested ones in a derived table.")
	}
	if s.shared.depth++; s.shared.depth > maxDepth {
		s.shared.depth--
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: expressions are nested more than %d deep", maxDepth)
	}
	return nil
}

func (s *statement) shallower() { s.shared.depth-- }

// expr binds an expression in the clause at hand.
func (b *block) expr(n ast.ExprNode) (expr.Expr, error) {
	if err := b.deeper(); err != nil {
		return nil, err
	}
	defer b.shallower()
	pos := n.OriginTextPosition()
	switch n := n.(type) {
	case *parse.Literal:
		return literal(n, pos)
	case *parse.Param:
		return b.paramExpr(n)
	case *ast.ParenthesesExpr:
		return b.expr(n.Expr)
	case *ast.ColumnNameExpr:
		return b.resolve(n.Name, pos)
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
		return b.aggregateCall(n, pos)
	case *ast.FuncCallExpr:
		return b.function(n, pos)
	case *ast.FuncCastExpr:
		return b.cast(n, pos)
	case *ast.DefaultExpr, *ast.ValuesExpr:
		return b.insertValue(n, pos)
	case *ast.RowExpr:
		return nil, operandColumns(1, pos)
	case *ast.WindowFuncExpr:
		return b.windowCall(n, pos)
	}
	return b.predicate(n, pos)
}

func operandColumns(n, pos int) error {
	return sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", n).At(pos)
}

// exprs binds several expressions.
func (b *block) exprs(nodes ...ast.ExprNode) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(nodes))
	return out, b.bindAll(out, nodes...)
}

// bindAll is exprs into memory of the caller's, which may be on its stack.
func (b *block) bindAll(dst []expr.Expr, nodes ...ast.ExprNode) (err error) {
	for i, n := range nodes {
		if dst[i], err = b.expr(n); err != nil {
			return err
		}
	}
	return nil
}

// fewExprs is for how many expressions short calls have room on the stack.
const fewExprs = 12

// room gives few, or more memory where n is larger.
func room(few []expr.Expr, n int) []expr.Expr {
	if n > len(few) {
		return make([]expr.Expr, n)
	}
	return few[:n]
}

// call binds the arguments of a function and makes the call.
func (b *block) call(fn string, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	var few [fewExprs]expr.Expr
	args := room(few[:], len(nodes))
	if err := b.bindAll(args, nodes...); err != nil {
		return nil, err
	}
	return expr.NewCall(fn, args, pos)
}
