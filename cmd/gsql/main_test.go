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
		{"a JSON file for a database", "", []string{"a.ndjson"}, "", "SELECT * FROM `a.ndjson`", 2},
		{"a SQLite file for a database", "", []string{"../../storage/files/testdata/one.sqlite"}, "", "one.sqlite/TABLE` LIMIT 10' reads a table of SQLite", 2},
		{"a script for a database", "", []string{"a.sql"}, "", "gsql -f a.sql", 2},
		{"a database in a folder that cannot be", "CREATE TABLE t(a INT);", []string{"/dev/null/shop.gsql"}, "", "Can't open the database", 2},
		{"a damaged folder", "SELECT 1", []string{filepath.Dir(file) + "/"}, "", "it has the file a.sql", 2},
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
		{"unknown mode", "", []string{"--mode", "xml", "-c", "SELECT 1"}, "", "unknown mode \"xml\": one of table, box", 2},
		{"unknown option", "", []string{"--nope"}, "", "gsql: there is no option --nope\nRun gsql --help", 2},
		{"misspelt option", "", []string{"--tmier"}, "", "did you mean --timer?", 2},
		{"option without value", "", []string{"shop", "-c"}, "", "gsql: option -c needs a value", 2},
		{"two databases", "", []string{"a", "b"}, "", `unexpected argument "b" after the database "a"`, 2},
		{"SQL behind a database", "", []string{"a", "SELECT 1"}, "", "gsql -c 'SELECT 1' a", 2},
		{"SQL for a database", "", []string{"SELECT 1"}, "", `gsql -c "SELECT 1"`, 2},
		{"no such file", "", []string{"-f", file + ".nope"}, "", "no such file", 1},
		{"options behind a database", "", []string{"shop", "--mode", "csv", "-c", "SELECT DATABASE() AS d"}, "d\nshop\n", "", 0},
		{"options around a database", "", []string{"--mode", "csv", "shop", "-c", "SELECT DATABASE() AS d"}, "d\nshop\n", "", 0},
		{"a database behind --", "SELECT DATABASE() AS d", []string{"--mode", "csv", "--", "version"}, "d\nversion\n", "", 0},
		{"a database named like a subcommand", "SELECT DATABASE() AS d", []string{"--mode", "csv", "--", "device"}, "d\ndevice\n", "", 0},
		{"a database by name", "", []string{"--mode", "csv", "-c", "SHOW TABLES", "shop"}, "Tables_in_shop\n", "", 0},
		{"vertical for one statement", "SELECT 1 AS a\\G\nSELECT 2 AS b;", []string{"--mode", "csv"}, "*************************** 1. row ***************************\na: 1\nb\n2\n", "", 0},
		{"a file that is a table", "", []string{"--mode", "csv", "-c", "SELECT COUNT(*) AS n FROM `../../testdata/airports.csv`"}, "n\n3376\n", "", 0},
		{"a summary", "", []string{"--mode", "csv", "-c", "SUMMARIZE SELECT 1 AS a, 'x' AS b; SELECT 2 AS c"}, "column,type,nulls,distinct,min,q25,median,q75,max,mean,stddev,histogram\na,bigint,0,1,1,1,1,1,1,1,,\nb,text,0,1,x,,,,x,,,\nc\n2\n", "", 0},
		{"a summary of nothing", "", []string{"-c", "SUMMARIZE nope"}, "", "ERROR 1146", 1},
		{"a table for insert", ".mode insert my t\n.mode insert a`b\nSELECT 1 AS x;", nil, "INSERT INTO `a``b` (`x`) VALUES (1);\n", "takes a mode", 1},
		{"--color always", "", []string{"--color", "always", "--mode", "line", "-c", "SELECT NULL AS a"}, "a = \x1b[2mNULL\x1b[0m\n", "", 0},
		{"--color auto", "", []string{"--mode", "line", "-c", "SELECT NULL AS a"}, "a = NULL\n", "", 0},
		{"--color of nothing", "", []string{"--color", "red"}, "", "auto, always, never", 2},
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

// TestDataSourceNames opens databases whose names carry options.
func TestDataSourceNames(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"shop?workers=3&gsql_memory_limit=1234567", "--mode", "csv", "-c", "SELECT DATABASE(), @@gsql_memory_limit"}, 0, "shop,1234567"},
		{[]string{"?memory_limit=20MB", "-c", "SET @a = REPEAT('x', 30000000)"}, 1, "ERROR 1037"},
		{[]string{"shop?files=none", "-c", "SELECT * FROM `x.csv`"}, 1, "ERROR 1290"},
		{[]string{"shop?no_such=1", "-c", "SELECT 1"}, 2, "no_such"},
	} {
		out, errs, status := gsqlRun(t, "", c.args...)
		if status != c.status || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: status %d, %s%s", c.args, status, out, errs)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, c := range []struct {
		args []string
		out  string // how standard output begins
	}{
		{[]string{"help"}, "usage: gsql [options]"},
		{[]string{"--help"}, "usage: gsql [options]"},
		{[]string{"-h"}, "usage: gsql [options]"},
		{[]string{"shop", "--help"}, "usage: gsql [options]"},
		{[]string{"version"}, version() + "\n"},
		{[]string{"--version"}, version() + "\n"},
		{[]string{"help", "help"}, "usage: gsql [options]"},
		{[]string{"help", "slt"}, "usage: gsql slt"},
		{[]string{"help", "tpch"}, "usage: gsql tpch"},
		{[]string{"help", "devices"}, "usage: gsql devices"},
		{[]string{"version", "--help"}, "usage: gsql version"},
	} {
		out, errText, status := gsqlRun(t, "", c.args...)
		if !strings.HasPrefix(out, c.out) || errText != "" || status != 0 {
			t.Errorf("gsql %v: status %d, output %q, errors %q", c.args, status, out, errText)
		}
	}
}

func TestMisusedSubcommands(t *testing.T) {
	for _, c := range []struct {
		args []string
		err  string // how standard error begins
	}{
		{[]string{"version", "now"}, `gsql version: unexpected argument "now": this command takes none`},
		{[]string{"--version", "now"}, `gsql version: unexpected argument "now"`},
		{[]string{"devices", "--all"}, "gsql devices: there is no option --all\nRun gsql devices --help"},
		{[]string{"verison"}, `gsql: there is no subcommand "verison"; did you mean version? For a database of this name, write gsql -- verison`},
		{[]string{"device", "-c", "SELECT 1"}, `gsql: there is no subcommand "device"; did you mean devices?`},
		{[]string{"hlep"}, `gsql: there is no subcommand "hlep"; did you mean help?`},
		{[]string{"help", "me"}, `gsql: there is no subcommand "me"`},
		{[]string{"help", "slt", "tpch"}, "gsql: help takes one subcommand"},
		{[]string{"slt"}, "gsql slt: no files: write gsql slt PATH"},
		{[]string{"slt", "a", "--egnine", "mysql"}, "gsql slt: there is no option --egnine; did you mean --engine?"},
		{[]string{"slt", "--set", "nope=1", "a"}, "gsql slt: --set: "},
		{[]string{"tpch"}, "gsql tpch: 0 folders"},
		{[]string{"tpch", "--sf", "x", "d"}, `gsql tpch: invalid value "x" for flag -sf`},
	} {
		out, errText, status := gsqlRun(t, "", c.args...)
		if out != "" || !strings.HasPrefix(errText, c.err) || status != 2 {
			t.Errorf("gsql %v: status %d, output %q, errors %q", c.args, status, out, errText)
		}
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
