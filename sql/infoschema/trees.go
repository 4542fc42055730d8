package infoschema

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"gsql/sql/parse"
)

// The functions below return parts of syntax trees.

func columnNamed(name string) ast.ExprNode {
	return &ast.ColumnNameExpr{Name: &ast.ColumnName{Name: ast.NewCIStr(name)}}
}

func number(n int64) ast.ExprNode { return &parse.Literal{Value: n} }

func zero() ast.ExprNode { return number(0) }

func call(function string, args ...ast.ExprNode) ast.ExprNode {
	return &ast.FuncCallExpr{FnName: ast.NewCIStr(function), Args: args}
}

func equals(column, value string) ast.ExprNode {
	return &ast.BinaryOperationExpr{Op: opcode.EQ, L: columnNamed(column), R: &parse.Literal{Value: value}}
}

// and returns the conjunction of both conditions; a may be nil.
func and(a, b ast.ExprNode) ast.ExprNode {
	if a == nil {
		return b
	}
	return &ast.BinaryOperationExpr{Op: opcode.LogicAnd, L: a, R: b}
}

func fromTable(db, name string) *ast.TableRefsClause {
	table := &ast.TableName{Schema: ast.NewCIStr(db), Name: ast.NewCIStr(name)}
	return &ast.TableRefsClause{TableRefs: &ast.Join{Left: &ast.TableSource{Source: table}}}
}

// Matching returns the query for the rows of q that satisfy the WHERE or LIKE clause of a SHOW
// statement, or that belong to the column it names. Names are compared ignoring case.
func (q Shown) Matching(n *ast.ShowStmt) *ast.SelectStmt {
	var where ast.ExprNode
	lower := func(e ast.ExprNode) ast.ExprNode { return call("LOWER", e) }
	switch {
	case n.Where != nil:
		where = n.Where
	case n.Pattern != nil:
		like := *n.Pattern
		like.Expr, like.Pattern = lower(columnNamed(q.Like)), lower(n.Pattern.Pattern)
		where = &like
	case n.Column != nil:
		where = &ast.BinaryOperationExpr{Op: opcode.EQ, L: lower(columnNamed("Field")), R: lower(&parse.Literal{Value: n.Column.Name.O})}
	}
	return &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect,
		Fields: &ast.FieldList{Fields: []*ast.SelectField{{WildCard: &ast.WildCardField{}}}},
		From:   &ast.TableRefsClause{TableRefs: &ast.Join{Left: &ast.TableSource{Source: q.Query, AsName: ast.NewCIStr("shown")}}},
		Where:  where,
	}
}
