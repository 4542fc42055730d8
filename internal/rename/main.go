// Rename changes the import path of the module, for a fork that others can fetch:
//
//	go run ./internal/rename [-dir DIR] example.org/you/gsql
//
// It rewrites the module lines, requirements and replacements of all go.mod files below DIR, and
// the import paths of all Go files. The name of the driver and of the program stay "gsql".
package main

import (
	"flag"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	dir := flag.String("dir", ".", "folder of the module")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run ./internal/rename [-dir DIR] NEW/MODULE/PATH")
	}
	if err := rename(*dir, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// rename changes the path of the module in dir, and of the modules in folders below it.
func rename(dir, to string) error {
	if err := module.CheckImportPath(to); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	from := modfile.ModulePath(text)
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != dir:
			return filepath.SkipDir
		case entry.Name() == "go.mod":
			return rewrite(path, from, to, renameModule)
		case filepath.Ext(path) == ".go":
			return rewrite(path, from, to, renameImports)
		}
		return nil
	})
}

// rewrite replaces a file's content by what change makes of it.
func rewrite(path, from, to string, change func(path string, text []byte, from, to string) ([]byte, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := change(path, text, from, to)
	if err != nil || string(changed) == string(text) {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, changed, info.Mode())
}

// moved returns the path of a package or module after the renaming.
func moved(path, from, to string) string {
	if path == from || strings.HasPrefix(path, from+"/") {
		return to + path[len(from):]
	}
	return path
}

func renameModule(path string, text []byte, from, to string) ([]byte, error) {
	f, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddModuleStmt(moved(f.Module.Mod.Path, from, to)); err != nil {
		return nil, err
	}
	for _, r := range f.Require {
		if next := moved(r.Mod.Path, from, to); next != r.Mod.Path {
			version, indirect := r.Mod.Version, r.Indirect
			if err := f.DropRequire(r.Mod.Path); err != nil {
				return nil, err
			}
			f.AddNewRequire(next, version, indirect)
		}
	}
	for _, r := range f.Replace {
		if next := moved(r.Old.Path, from, to); next != r.Old.Path {
			target := r.New
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
			if err := f.AddReplace(next, "", target.Path, target.Version); err != nil {
				return nil, err
			}
		}
	}
	f.Cleanup()
	return f.Format()
}

// renameImports rewrites the import declarations of a Go file and formats it, as they may sort
// differently. A root package that is imported without a name keeps the name by which the file uses it.
func renameImports(path string, text []byte, from, to string) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, text, parser.ImportsOnly)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	same := true
	for i := len(f.Imports) - 1; i >= 0; i-- {
		spec := f.Imports[i]
		old, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		next := moved(old, from, to)
		if next == old {
			continue
		}
		same = false
		quoted := strconv.Quote(next)
		if old == from && spec.Name == nil && filepath.Base(to) != "gsql" {
			quoted = "gsql " + quoted
		}
		start := files.Position(spec.Path.Pos()).Offset
		text = append(text[:start:start], append([]byte(quoted), text[start+len(spec.Path.Value):]...)...)
	}
	if same {
		return text, nil
	}
	return format.Source(text)
}
