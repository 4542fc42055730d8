package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesOption(t *testing.T) {
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{inside, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d+"/a.csv", []byte("x\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(outside, "a.sql")
	if err := os.WriteFile(script, []byte("SELECT 5 AS x;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	query := func(d string) string { return "SELECT * FROM `" + d + "/a.csv`" }
	for _, c := range []struct {
		files  string
		args   []string
		stdin  string
		out    string // part of the output, or of the errors where the statement fails
		status int
	}{
		{inside, []string{"-c", query(inside)}, "", "1", 0},
		{inside, []string{"-c", query(outside)}, "", "1290", 1},
		{"none", []string{"-c", query(inside)}, "", "1290", 1},
		{"all", []string{"-c", query(outside)}, "", "1", 0},
		{inside, []string{"-f", script}, "", "5", 0}, // named by the one who calls gsql
		{inside, nil, ".read " + script + "\n", "--files", 1},
		{inside, nil, ".output " + outside + "/new\nSELECT 1;\n", "--files", 1},
		{inside, nil, ".once " + outside + "/new\nSELECT 1;\n", "--files", 1},
		{inside, nil, ".import " + outside + "/a.csv t\n", "1290", 1},
		{"/does/not/exist", []string{"-c", "SELECT 1"}, "", "/does/not/exist", 2},
		{"", []string{"-c", "SELECT 1"}, "", "files", 2},
	} {
		out, errs, status := gsqlRun(t, c.stdin, append([]string{"--files", c.files}, c.args...)...)
		if text := out + errs; !strings.Contains(text, c.out) || status != c.status {
			t.Errorf("--files %s %v %q: %s, status %d", c.files, c.args, c.stdin, text, status)
		}
	}
	if _, err := os.Stat(outside + "/new"); err == nil {
		t.Error("a dot-command wrote outside")
	}
}
