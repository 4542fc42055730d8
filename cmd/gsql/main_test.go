package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gsqlRun runs the tool in this process with files for its standard streams.
func gsqlRun(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	dir := t.TempDir()
	in, out, errw := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "err")
	if err := os.WriteFile(in, []byte(stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	files := make([]*os.File, 3)
	for i, path := range []string{in, out, errw} {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	status = run(args, files[0], files[1], files[2])
	return content(t, out), content(t, errw), status
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCommandLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sql")
	if err := os.WriteFile(file, []byte("-- comment\nSELECT 1 AS a;\n.mode json\nSELECT 2 AS b"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		out         string
		err         string // part of standard error; "" wants none
		status      int
	}{
		{"one statement", "", []string{"--mode", "csv", "-c", "SELECT 1 AS a, 'x,y' AS b"}, "a,b\n1,\"x,y\"\n", "", 0},
		{"several -c share a session", "", []string{"--mode", "csv", "-c", "SET @a = 6", "-c", "CREATE TABLE t (x INT)", "-c", "INSERT INTO t VALUES (7)", "-c", "SELECT x * @a AS p FROM t"}, "p\n42\n", "", 0},
		{"a file for a database", "", []string{"a.csv"}, "", "SELECT * FROM `a.csv`", 2},
		{"a script for a database", "", []string{"a.sql"}, "", "gsql -f a.sql", 2},
		{"-c and -f in order", "", []string{"--mode", "csv", "-c", "SELECT 0 AS z", "-f", file}, "z\n0\na\n1\n[{\"b\":2}]\n", "", 0},
		{"standard input", "SELECT 1 AS a;\nSELECT\n 2 AS b;", []string{"--mode", "tsv"}, "a\n1\nb\n2\n", "", 0},
		{"several statements", "", []string{"--mode", "csv", "-c", "SELECT 1 AS a; SELECT ';' AS b;"}, "a\n1\nb\n;\n", "", 0},
		{"null in csv", "", []string{"--mode", "csv", "-c", "SELECT NULL AS a, 1 AS b"}, "a,b\n,1\n", "", 0},
		{"null given", "", []string{"--mode", "csv", "--null", "NIL", "-c", "SELECT NULL AS a"}, "a\nNIL\n", "", 0},
		{"null in line", "", []string{"--mode", "line", "-c", "SELECT NULL AS a"}, "a = NULL\n", "", 0},
		{"header without rows", "", []string{"--mode", "csv", "-c", "SELECT 1 AS a WHERE FALSE"}, "a\n", "", 0},
		{"an error", "", []string{"--mode", "csv", "-c", "SELECT nope"}, "", "ERROR 1054 (42S22): Unknown column 'nope' in 'field list'\n  SELECT nope\n         ^", 1},
		{"going on after an error", "", []string{"--mode", "csv", "-c", "SELECT nope; SELECT 1 AS a", "-c", "SELECT 2 AS b"}, "a\n1\nb\n2\n", "ERROR 1054", 1},
		{"--bail", "", []string{"--mode", "csv", "--bail", "-c", "SELECT 1 AS a; SELECT nope; SELECT 1 AS a", "-c", "SELECT 2 AS b"}, "a\n1\n", "ERROR 1054", 1},
		{"--timer", "", []string{"--timer", "--mode", "csv", "-c", "SELECT 1 AS a"}, "a\n1\n", "Time: ", 0},
		{"unknown mode", "", []string{"--mode", "html", "-c", "SELECT 1"}, "", "unknown mode \"html\": one of table, box", 2},
		{"unknown flag", "", []string{"--nope"}, "", "usage: gsql", 2},
		{"two databases", "", []string{"a", "b"}, "", "usage: gsql", 2},
		{"help", "", []string{"--help"}, "", "usage: gsql", 0},
		{"no such file", "", []string{"-f", file + ".nope"}, "", "no such file", 1},
		{"a database", "", []string{"shop", "--mode", "csv"}, "", "usage: gsql", 2},
		{"a database by name", "", []string{"--mode", "csv", "-c", "SHOW TABLES", "shop"}, "Tables_in_shop\n", "", 0},
		{"vertical for one statement", "SELECT 1 AS a\\G\nSELECT 2 AS b;", []string{"--mode", "csv"}, "*************************** 1. row ***************************\na: 1\nb\n2\n", "", 0},
		{"a file that is a table", "", []string{"--mode", "csv", "-c", "SELECT COUNT(*) AS n FROM `../../testdata/airports.csv`"}, "n\n3376\n", "", 0},
		{"empty input", "\n-- nothing\n", nil, "", "", 0},
		{"unfinished string", "SELECT 'a", []string{"--mode", "csv"}, "", "ERROR 1064", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errText, status := gsqlRun(t, c.stdin, c.args...)
			if out != c.out || status != c.status {
				t.Errorf("status %d, want %d; output\n%s\nwant\n%s\nerrors: %s", status, c.status, out, c.out, errText)
			}
			if !strings.Contains(errText, c.err) || c.err == "" && errText != "" {
				t.Errorf("standard error %q, want %q in it", errText, c.err)
			}
		})
	}
}

func TestSLTSubcommand(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "a.test"), filepath.Join(dir, "b.slt")
	if err := os.WriteFile(good, []byte("query I\nSELECT 1\n----\n1\n\nonlyif sqlite\nstatement ok\nPRAGMA x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("query I\nSELECT 1\n----\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, status := gsqlRun(t, "", "slt", good)
	if !strings.HasPrefix(out, "1 passed, 0 failed, 1 skipped in ") || status != 0 {
		t.Errorf("status %d: %s", status, out)
	}
	out, errText, status := gsqlRun(t, "", "slt", "--engine", "mysql", "-v", dir)
	if !strings.Contains(out, "\n1 passed, 1 failed, 1 skipped in ") || status != 1 || !strings.Contains(errText, "b.slt:1: ") {
		t.Errorf("status %d: %s%s", status, out, errText)
	}
	settings := filepath.Join(dir, "settings.txt")
	if err := os.WriteFile(settings, []byte("query T\nSELECT CONCAT(@@gsql_batch_size, @@sql_mode)\n----\n3ANSI_QUOTES\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errText, status := gsqlRun(t, "", "slt", "--set", "gsql_batch_size=3", "--set", "sql_mode=ANSI_QUOTES", settings); status != 0 {
		t.Errorf("--set: status %d: %s", status, errText)
	}
	for _, args := range [][]string{{"slt"}, {"slt", "--set", "nope=1", good}, {"slt", "--set", "gsql_batch_size", good}} {
		if _, errText, status := gsqlRun(t, "", args...); status != 2 || errText == "" {
			t.Errorf("%v: status %d: %s", args, status, errText)
		}
	}
	if _, _, status := gsqlRun(t, "", "slt", filepath.Join(dir, "nope")); status != 1 {
		t.Errorf("a path that is not there: status %d", status)
	}
}
