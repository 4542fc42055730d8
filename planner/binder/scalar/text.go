package scalar

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// ExprText returns an expression's text in the form stored in definitions: names in back-quotes, binary operators in
// parentheses, and no redundant parentheses. It returns a text in this form unchanged.
func ExprText(n ast.ExprNode) (string, error) {
	text, err := restored(n)
	if err != nil {
		return "", err
	}
	own, err := ParseExpr(text) // n must not be changed
	if err != nil {
		return text, nil // binding it reports the error
	}
	for {
		p, ok := own.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		own = p.Expr
	}
	bare, ok := own.Accept(unwrapper{})
	if !ok {
		return "", sqlerr.Internal("an expression without its parentheses")
	}
	return restored(bare)
}

// restored returns the text of an expression with all its parentheses, and those of binary operators.
func restored(n ast.Node) (string, error) {
	const flags = format.RestoreStringSingleQuotes | format.RestoreStringEscapeBackslash | format.RestoreKeyWordLowercase |
		format.RestoreNameBackQuotes | format.RestoreSpacesAroundBinaryOperation | format.RestoreBracketAroundBinaryOperation |
		format.RestoreStringWithoutCharset | format.RestoreWithoutSchemaName | format.RestoreWithoutTableName
	var text strings.Builder
	if err := n.Restore(format.NewRestoreCtx(flags, &text)); err != nil {
		return "", sqlerr.Internal("cannot write an expression: %v", err)
	}
	return text.String(), nil
}

// unwrapper removes parentheses around binary operators, which have their own, and around others.
type unwrapper struct{}

// Enter implements ast.Visitor.
func (unwrapper) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (unwrapper) Leave(n ast.Node) (ast.Node, bool) {
	if p, ok := n.(*ast.ParenthesesExpr); ok {
		switch p.Expr.(type) {
		case *ast.BinaryOperationExpr, *ast.ParenthesesExpr:
			return p.Expr, true
		}
	}
	return n, true
}

// ParseExpr parses the text of an expression written by ExprText.
func ParseExpr(text string) (ast.ExprNode, error) {
	stmts, err := parse.Parse("SELECT "+text, sqlmode.Default)
	if err != nil {
		return nil, err
	}
	if sel, ok := stmts[0].Node.(*ast.SelectStmt); ok && len(stmts) == 1 && len(sel.Fields.Fields) == 1 && stmts[0].Params == 0 {
		return sel.Fields.Fields[0].Expr, nil
	}
	return nil, sqlerr.Unsupported(-1, "this expression in a definition")
}
