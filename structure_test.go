package gsql

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The limits that keep packages and types small enough to read.
const (
	mostFiles   = 30 // of a package, without tests and generated files
	mostMethods = 40 // of a type
)

// TestStructure checks the limits of packages and types, and that every exported name has a doc
// comment that begins with it.
func TestStructure(t *testing.T) {
	files := map[string]int{}
	methods := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name()[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(text, []byte("// Code generated")) {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		files[dir]++
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[dir+"."+receiver(fn)]++
			}
			for _, name := range undocumented(decl) {
				t.Errorf("%s: %s has no doc comment that begins with its name", fset.Position(name.Pos()), name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range files {
		if n > mostFiles {
			t.Errorf("package %s has %d files, more than %d", dir, n, mostFiles)
		}
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("type %s has %d methods, more than %d", name, n, mostMethods)
		}
	}
}

// TestPackagesAreListed checks that docs/packages.md names every package, and no other.
func TestPackagesAreListed(t *testing.T) {
	text, err := os.ReadFile("docs/packages.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for i, name := range strings.Split(cells[1], "`") {
			if i%2 == 0 { // not between backquotes
				continue
			}
			folder, list, several := strings.Cut(name, "{")
			for part := range strings.SplitSeq(strings.TrimSuffix(list, "}"), ",") {
				if !several {
					part = ""
				}
				listed[folder+part] = true
			}
		}
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == "." {
			return err
		}
		if d.Name()[0] == '.' || d.Name() == "testdata" {
			return fs.SkipDir
		}
		sources, err := filepath.Glob(filepath.Join(path, "*.go"))
		name := filepath.ToSlash(path)
		switch has := len(sources) > 0; {
		case has && !listed[name] && !strings.HasPrefix(name, "internal/tests/"):
			t.Errorf("docs/packages.md does not list %s", name)
		case !has && listed[name] && name != "internal/tests":
			t.Errorf("docs/packages.md lists %s, which is no package", name)
		}
		delete(listed, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range listed {
		if name != "." && name != "internal/tests/..." {
			t.Errorf("docs/packages.md lists %s, which does not exist", name)
		}
	}
}

// receiver returns the name of a method's type.
func receiver(fn *ast.FuncDecl) string {
	x := fn.Recv.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// undocumented returns the exported functions, methods of exported types, and types of a declaration
// whose doc comment is missing or begins with another word.
func undocumented(decl ast.Decl) (names []*ast.Ident) {
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		if name.IsExported() && !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(doc.Text(), "A "), "An "), "The ")+" ", name.Name+" ") {
			names = append(names, name)
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d)) {
			check(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if x, ok := s.(*ast.TypeSpec); ok && x.Doc != nil {
				check(x.Name, x.Doc)
			} else if ok {
				check(x.Name, d.Doc)
			}
		}
	}
	return names
}
