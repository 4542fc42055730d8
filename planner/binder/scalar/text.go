package scalar

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// ExprText returns an expression's text in the form stored in definitions: names in back-quotes,
// operators in parentheses.
func ExprText(n ast.ExprNode) (string, error) {
	const flags = format.RestoreStringSingleQuotes | format.RestoreStringEscapeBackslash | format.RestoreKeyWordLowercase |
		format.RestoreNameBackQuotes | format.RestoreSpacesAroundBinaryOperation | format.RestoreBracketAroundBinaryOperation |
		format.RestoreStringWithoutCharset | format.RestoreWithoutSchemaName | format.RestoreWithoutTableName
	var text strings.Builder
	if err := n.Restore(format.NewRestoreCtx(flags, &text)); err != nil {
		return "", sqlerr.Internal("cannot write an expression: %v", err)
	}
	return text.String(), nil
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
