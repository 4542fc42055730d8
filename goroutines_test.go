package gsql_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unguarded lists the goroutines that need no guard, by file: those of the command line's tools and
// display, which run no statements.
var unguarded = map[string]bool{
	"cmd/gsql/signals.go": true, "cmd/gsql/progress.go": true, "internal/tpch/write.go": true,
}

// TestGoroutinesAreGuarded finds goroutines in which a panic would end the process: a function
// after go, or passed to a group's Go, must call Guard or guard.
func TestGoroutinesAreGuarded(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "bench" || d.Name() == "testdata" || d.Name() == "gen" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || unguarded[filepath.ToSlash(path)]:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			started := startedBy(n)
			if started == nil {
				return true
			}
			from, to := set.Position(started.Pos()), set.Position(started.End())
			if !strings.Contains(string(text[from.Offset:to.Offset]), "uard(") {
				t.Errorf("%s:%d: a goroutine without sqlerr.Guard: a panic in it ends the process", path, from.Line)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// startedBy returns what a statement or call runs in a goroutine of its own, or nil.
func startedBy(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
			return n.Args[0]
		}
	}
	return nil
}
