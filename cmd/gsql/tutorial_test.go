package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gsql"
)

var update = flag.Bool("update", false, "write the outputs that the tutorial's statements have now")

// block matches SQL of the tutorial and the output below it.
var block = regexp.MustCompile("(?s)```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?")

// TestTutorial runs the statements of docs/tutorial.md in order and compares their output with the
// page. Output must match exactly, except for the numbers of plans, which depend on the machine.
func TestTutorial(t *testing.T) {
	const page = "../../docs/tutorial.md"
	text := content(t, page)
	sh, read := testShell(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	db, err := gsql.Open(gsql.Config{Path: filepath.Join(dir, "travel.gsql"), Dir: dir, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sh.db, sh.s, sh.mode = db, db.NewSession(), "box"
	blocks, seenOut, seenErr := 0, 0, 0
	updated := block.ReplaceAllStringFunc(text, func(found string) string {
		parts := block.FindStringSubmatch(found)
		sh.text(parts[1])
		out, errText := read()
		got := out[seenOut:] + errText[seenErr:]
		seenOut, seenErr = len(out), len(errText)
		blocks++
		if want := parts[2]; shape(got) != shape(want) && !*update {
			t.Errorf("%s\nwrites\n%s\nthe page shows\n%s", parts[1], got, want)
		}
		if got == "" {
			return found
		}
		return "```sql\n" + parts[1] + "```\n\n```text\n" + got + "```\n"
	})
	if blocks < 10 {
		t.Errorf("the page has %d blocks of SQL", blocks)
	}
	if *update {
		if err := os.WriteFile(page, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// program matches the tutorial's Go program and its output.
var program = regexp.MustCompile("(?s)```go\n(.*?)```\n\n```text\n(.*?)```\n")

// TestTutorialProgram builds the tutorial's Go program in a module of its own, as the README says,
// and compares what it prints.
func TestTutorialProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a program is linked")
	}
	parts := program.FindStringSubmatch(content(t, "../../docs/tutorial.md"))
	if parts == nil {
		t.Fatal("the page has no Go program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	name, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	module := strings.TrimSpace(string(name)) // gsql, or what a fork calls it
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": strings.Replace(parts[1], `_ "gsql"`, `_ "`+module+`"`, 1), "go.sum": content(t, filepath.Join(root, "go.sum")),
		"go.mod": "module app\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-mod=mod", "-o", "app", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "app"))
	run.Dir = root
	out, err := run.CombinedOutput()
	if err != nil || string(out) != parts[2] {
		t.Errorf("the program prints\n%s(%v)\nthe page shows\n%s", out, err, parts[2])
	}
}

var (
	number = regexp.MustCompile(`\d[\d.]*`)
	spaces = regexp.MustCompile(`[ ─┬┼┴]+`)
)

// shape returns a plan without its numbers and without padding that depends on them, and any other
// output unchanged.
func shape(out string) string {
	if !strings.Contains(out, "est_rows") {
		return out
	}
	return spaces.ReplaceAllString(number.ReplaceAllString(out, "N"), " ")
}
