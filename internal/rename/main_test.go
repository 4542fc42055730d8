package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRename renames a copy of the module's Go files, lists all packages of it, which fails for an
// import that is not found, and compiles one that imports others.
func TestRename(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyTree(t, root, dir)
	const to = "example.org/you/engine"
	if err := rename(dir, to); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("go %s: %v\n%.2000s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	packages := run("list", "-tags", "cuda,sim", "-f", "{{.ImportPath}} {{.Imports}} {{.TestImports}} {{.XTestImports}}", "./...")
	if !strings.Contains(packages, to+"/cmd/gsql ") || !strings.Contains(packages, to+"/sql/types") {
		t.Error("packages are missing")
	}
	for _, word := range strings.FieldsFunc(packages, func(r rune) bool { return strings.ContainsRune(" []\n", r) }) {
		if word == "gsql" || strings.HasPrefix(word, "gsql/") {
			t.Errorf("%s is still imported", word)
		}
	}
	for _, nested := range []string{"bench/cpu", "bench/differential"} {
		text, err := os.ReadFile(filepath.Join(dir, nested, "go.mod"))
		if err != nil || !strings.Contains(string(text), "replace "+to+" => ../..") || strings.Contains(string(text), "\tgsql v") {
			t.Errorf("%s: %v\n%s", nested, err, text)
		}
	}
	run("build", "./sql/types", "./internal/rename")
	root2, err := os.ReadFile(filepath.Join(dir, "example_test.go"))
	if err != nil || !strings.Contains(string(root2), `gsql "`+to+`"`) || !strings.Contains(string(root2), `sql.Open("gsql"`) {
		t.Errorf("the examples became (%v)\n%s", err, root2)
	}
	for _, bad := range []string{"", "you/..", "Exa mple.org/x"} {
		if err := rename(dir, bad); err == nil {
			t.Errorf("%q was taken for a module path", bad)
		}
	}
}

// copyTree copies what the go command reads of a module.
func copyTree(t *testing.T, from, to string) {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != from && (strings.HasPrefix(name, ".") || name == "bin" || rel == filepath.Join("testdata", "slt")) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
