package gsql_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestFunctionsHaveIDs reports code that compares a call's function with a string instead of a
// constant of package expr, or makes a call so.
func TestFunctionsHaveIDs(t *testing.T) {
	fset, found := token.NewFileSet(), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var function ast.Expr
			var values []ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				function, values = n.X, []ast.Expr{n.Y}
			case *ast.KeyValueExpr:
				function, values = n.Key, []ast.Expr{n.Value}
			case *ast.SwitchStmt:
				function = n.Tag
				for _, c := range n.Body.List {
					values = append(values, c.(*ast.CaseClause).List...)
				}
			}
			if !isFn(function) {
				return true
			}
			found++
			for _, v := range values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					t.Errorf("%s: %s instead of a constant of package expr", fset.Position(v.Pos()), lit.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found == 0 {
		t.Fatal(found, err)
	}
}

// isFn reports whether e is the field Fn.
func isFn(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "Fn"
	case *ast.Ident:
		return e.Name == "Fn"
	}
	return false
}
