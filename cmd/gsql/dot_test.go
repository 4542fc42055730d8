package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDotCommands(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		p := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	data := path("data.csv", "id,name\n1,ash\n2,oak\n")
	inner := path("inner.sql", "SELECT 'inner' AS x;\n")
	loop := path("loop.sql", ".read "+path("loop.sql", "")+"\n")
	const make = "CREATE TABLE trees (id INT, name VARCHAR(9)); CREATE TABLE plots (id INT);\n"
	for _, c := range []struct {
		name, stdin string
		out         string
		err         string // part of standard error; "" wants none
		status      int
	}{
		{"tables", make + ".tables", "Tables_in_gsql,Table_type\nplots,BASE TABLE\ntrees,BASE TABLE\n", "", 0},
		{"tables like", make + ".tables tr%", "Tables_in_gsql (tr%),Table_type\ntrees,BASE TABLE\n", "", 0},
		{"tables of two patterns", ".tables a b", "", "gsql: .tables: takes one pattern", 1},
		{"schema of one", make + ".schema trees", "CREATE TABLE `trees` (\n  `id` int DEFAULT NULL,\n  `name` varchar(9) DEFAULT NULL\n) ENGINE=gsql DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\n", "", 0},
		{"schema of all", make + ".schema", "CREATE TABLE `plots` (\n  `id` int DEFAULT NULL\n) ENGINE=gsql DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\nCREATE TABLE `trees` (\n  `id` int DEFAULT NULL,\n  `name` varchar(9) DEFAULT NULL\n) ENGINE=gsql DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\n", "", 0},
		{"schema of none", ".schema nope", "", "ERROR 1146", 1},
		{"mode", ".mode jsonl\nSELECT 1 AS a;", "{\"a\":1}\n", "", 0},
		{"present mode", ".mode", "csv (modes: table, box, csv, tsv, json, jsonl, markdown, html, latex, vertical, line, insert, plot, plot-bar, plot-line, plot-scatter)\n", "", 0},
		{"unknown mode", ".mode xml", "", "unknown mode \"xml\"", 1},
		{"timer", ".timer on\nSELECT 1 AS a;", "a\n1\n", "Time: ", 0},
		{"timer without a word", ".timer", "", "takes on or off", 1},
		{"bail", ".bail on\nSELECT nope;\nSELECT 1 AS a;", "", "1054", 1},
		{"read", ".read " + inner, "x\ninner\n", "", 0},
		{"read itself", ".read " + loop, "", "more than 16 deep", 1},
		{"read nothing", ".read " + dir + "/nope", "", "no such file", 1},
		{"import makes the table", ".import " + data + " d\nSELECT * FROM d ORDER BY id;", "id,name\n1,ash\n2,oak\n", "", 0},
		{"import adds to the table", make + ".import " + data + " TREES\n.import '" + data + "' trees\nSELECT name, COUNT(*) AS n FROM trees GROUP BY name ORDER BY name;", "name,n\nash,2\noak,2\n", "", 0},
		{"import of nothing", ".import " + dir + "/nope.csv d", "", "ERROR 1017", 1},
		{"import without a table", ".import " + data, "", "takes a file name and a table name", 1},
		{"nullvalue", ".nullvalue -\nSELECT NULL AS a;", "a\n-\n", "", 0},
		{"width", ".mode table\n.width 3\nSELECT 'abcdef' AS a, 'abcdef' AS b;", "+-----+--------+\n| a   | b      |\n+-----+--------+\n| ab… | abcdef |\n+-----+--------+\n", "", 0},
		{"wrong width", ".width x", "", "\"x\" is not a width", 1},
		{"wrong maxrows", ".maxrows -1", "", "is not a number of rows", 1},
		{"explain", ".explain on\n.mode line\nSELECT 1 AS a;", "", "", 0},
		{"device", ".device cpu\n.device", "Variable_name,Value\ngsql_device,cpu\n", "", 0},
		{"unknown device", ".device abacus", "", "ERROR 1231", 1},
		{"show", ".timer on\n.show", "", "", 0},
		{"help", ".help", "", "", 0},
		{"help by the beginning of a word", ".help round", "ROUND(x[, digits])\n", "", 0},
		{"help by another name", ".help source", ".read FILE  run the statements of a file\n", "", 0},
		{"expand nothing", "SELECT nope;\n.expand", "", "no query has been run yet", 1},
		{"expand neither a failure nor a file", "SELECT 1 AS a;\nSELECT nope;\nSELECT 2 AS b INTO OUTFILE '" + dir + "/out.csv';\nCREATE TABLE x (i INT);\n.expand", "a\n1\na\n1\n", "1054", 1},
		{"expand a summary", "SELECT 1 AS a;\nSUMMARIZE SELECT 2 AS b;\n.mode jsonl\n.expand", "a\n1\ncolumn,type,nulls,distinct,min,q25,median,q75,max,mean,stddev,histogram\nb,bigint,0,1,2,2,2,2,2,2,,\n" +
			`{"column":"b","type":"bigint","nulls":0,"distinct":1,"min":"2","q25":"2","median":"2","q75":"2","max":"2","mean":"2","stddev":null,"histogram":null}` + "\n", "", 0},
		{"summarize nothing", "SUMMARIZE;", "", "SUMMARIZE needs a table, a file or a query", 1},
		{"quit", ".quit\nSELECT 1 AS a;", "", "", 0},
		{"exit with a semicolon", ".exit;\nSELECT 1 AS a;", "", "", 0},
		{"unknown", ".tabels", "", "unknown command .tabels; did you mean .tables? (.help lists them)", 1},
		{"a dot within a statement", "SELECT 1\n.5 AS a;", "", "1064", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errText, status := gsqlRun(t, c.stdin, "--mode", "csv")
			if status != c.status || !strings.Contains(errText, c.err) || c.err == "" && errText != "" {
				t.Errorf("status %d, want %d; errors %q, want %q in them", status, c.status, errText, c.err)
			}
			switch c.name {
			case "explain", "show", "help":
				for _, want := range map[string][]string{
					"explain": {"operator = ", "a = 1\n"},
					"show":    {"timer: on\n", "delimiter: ;\n", "theme: auto\n", "mode: csv\n", "database: gsql\n"},
					"help":    dotNames(),
				}[c.name] {
					if !strings.Contains(out, want) {
						t.Errorf("%q is missing:\n%s", want, out)
					}
				}
			default:
				if out != c.out {
					t.Errorf("output\n%s\nwant\n%s", out, c.out)
				}
			}
		})
	}
}

func TestOutputGoesToFiles(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.csv"), filepath.Join(dir, "second.csv")
	out, errText, status := gsqlRun(t, ".once "+first+"\nSELECT 1 AS a;\nSELECT 2 AS b;\n.output "+second+"\nSELECT 3 AS c;\n.mode json\nSELECT 4 AS d;\n.output\nSELECT 5 AS e;", "--mode", "csv")
	if out != "b\n2\n[{\"e\":5}]\n" || status != 0 {
		t.Errorf("status %d, output %q, errors %q", status, out, errText)
	}
	if got := content(t, first); got != "a\n1\n" {
		t.Errorf(".once wrote %q", got)
	}
	if got := content(t, second); got != "c\n3\n[{\"d\":4}]\n" {
		t.Errorf(".output wrote %q", got)
	}
	if _, errText, status := gsqlRun(t, ".output "+dir+"/no/such"); status != 1 || !strings.Contains(errText, "no such file") {
		t.Errorf("status %d: %s", status, errText)
	}
}

// TestHelp checks that help lists all commands, or those that a word occurs in, also without a dot and a semicolon.
func TestHelp(t *testing.T) {
	for line, want := range map[string]int{"help": len(commands), ".help": len(commands), "HELP plot;": 1, "help source": 1, ".help pager": 2, "help JSON_extract": 1} {
		sh, read := testShell(t)
		if !sh.text(line + "\n") {
			t.Errorf("%s failed", line)
		}
		if out, _ := read(); strings.Count(out, "\n") != want {
			t.Errorf("%s: %d lines, want %d\n%s", line, strings.Count(out, "\n"), want, out)
		}
	}
	sh, read := testShell(t)
	if sh.text("help nonsense\n") {
		t.Error("help nonsense succeeded")
	}
	if _, errs := read(); !strings.Contains(errs, `no command or function is about "nonsense"`) {
		t.Error(errs)
	}
}

// TestHelpFits checks that the lines of .help are not longer than a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	out, _, _ := gsqlRun(t, ".help")
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
