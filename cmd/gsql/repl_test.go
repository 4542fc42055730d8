package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql"
)

// testShell is a shell over temporary files; read returns what it has written.
func testShell(t *testing.T) (sh *shell, read func() (out, errText string)) {
	t.Helper()
	dir := t.TempDir()
	files := make([]*os.File, 2)
	for i, name := range []string{"out", "err"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sh = newShell(db, nil, files[0], files[1])
	sh.mode = "csv"
	return sh, func() (string, string) { return content(t, files[0].Name()), content(t, files[1].Name()) }
}

func TestLinesBecomeStatements(t *testing.T) {
	sh, read := testShell(t)
	var pending strings.Builder
	var history []string
	for _, line := range []string{
		"", "SELECT 1 AS a,", "  'x;", "y' AS b;", ".mode json", "  SELECT 2", "AS c; SELECT 3 AS d", ";",
		"SELECT 4 AS e\\G", "SELECT -- why", "5 AS f;", "SELECT nope;", "SELECT 'open", "quit'", ";", "SELECT 6 AS `g", "h`;", "QUIT;",
	} {
		sh.line(&pending, line, func(s string) { history = append(history, s) })
	}
	out, errText := read()
	want := "a,b\n1,\"x;\ny\"\n[{\"c\":2}]\n[{\"d\":3}]\n*************************** 1. row ***************************\ne: 4\n[{\"f\":5}]\n[{\"open\\nquit\":\"open\\nquit\"}]\n[{\"g\\nh\":6}]\n"
	if out != want {
		t.Errorf("output\n%s\nwant\n%s", out, want)
	}
	if !strings.HasPrefix(errText, "ERROR 1054") {
		t.Errorf("errors %q", errText)
	}
	if !sh.quit || pending.Len() != 0 {
		t.Errorf("quit %v, pending %q", sh.quit, pending.String())
	}
	wantHistory := []string{
		"SELECT 1 AS a,\n  'x;\ny' AS b;", ".mode json", "SELECT 2\nAS c; SELECT 3 AS d\n;", `SELECT 4 AS e\G`,
		"SELECT -- why\n5 AS f;", "SELECT nope;", "SELECT 'open\nquit'\n;", "SELECT 6 AS `g\nh`;", "QUIT;",
	}
	if !slices.Equal(history, wantHistory) {
		t.Errorf("history %q\nwant    %q", history, wantHistory)
	}
}

// TestTimeOfSummary checks that the time below SUMMARIZE is that of all statements it consists of. Each of them but the last one waits.
func TestTimeOfSummary(t *testing.T) {
	sh, read := testShell(t)
	sh.mode, sh.footer = "box", true
	if !sh.text("SUMMARIZE SELECT SLEEP(0.2) + column_0 AS x FROM (VALUES ROW(1)) AS v;") {
		t.Fatal(read())
	}
	out, _ := read()
	_, footer, _ := strings.Cut(out, "1 row (")
	shown, _, ok := strings.Cut(footer, ")")
	if took, err := time.ParseDuration(strings.ReplaceAll(shown, " ", "")); !ok || err != nil || took < 200*time.Millisecond {
		t.Errorf("the footer says %q", footer)
	}
}

// TestCommandsOfOtherShells types commands as psql and mysql have them.
func TestCommandsOfOtherShells(t *testing.T) {
	for _, c := range []struct {
		line, out, err string // parts; "" wants none
		quit           bool
	}{
		{`\?`, ".tables", "", false},
		{`\h;`, ".tables", "", false},
		{`\dt t%`, "t1", "", false},
		{`\l`, "gsql", "", false},
		{`\x`, "", `unknown command \x; commands begin with a dot (.help lists them)`, false},
		{`\q`, "", "", true},
	} {
		sh, read := testShell(t)
		var pending strings.Builder
		sh.line(&pending, "CREATE TABLE t1 (a INT);", func(string) {})
		sh.line(&pending, c.line, func(string) {})
		out, errText := read()
		if !strings.Contains(out, c.out) || c.out == "" && out != "" || !strings.Contains(errText, c.err) || c.err == "" && errText != "" || sh.quit != c.quit || pending.Len() > 0 {
			t.Errorf("%s: %q, %q, quit %v, pending %q", c.line, out, errText, sh.quit, pending.String())
		}
	}
}

func TestHistoryFile(t *testing.T) {
	t.Setenv("GSQL_HISTORY", "elsewhere")
	if got := historyFile(); got != "elsewhere" {
		t.Errorf("with GSQL_HISTORY: %q", got)
	}
	os.Unsetenv("GSQL_HISTORY")
	t.Setenv("HOME", "home")
	if got := historyFile(); got != filepath.Join("home", ".gsql_history") {
		t.Errorf("default: %q", got)
	}
}

func TestCompletion(t *testing.T) {
	sh, _ := testShell(t)
	if !sh.text("CREATE TABLE planes (tail_number INT, `Año` INT);") {
		t.Fatal("no table")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"data[1].csv", "data2.csv"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &completer{sh: sh}
	for _, x := range []struct {
		before string
		want   []string // whole words
	}{
		{"SEL", []string{"SELECT"}},
		{"sel", []string{"select"}},
		{"SELECT tai", []string{"tail_number"}},
		{"SELECT * FROM pl", []string{"planes"}},
		{"SELECT p.tail_", []string{"tail_number"}},
		{"SELECT planes.", []string{"Año", "tail_number"}},
		{"SELECT * FROM information_schema.KEY", []string{"KEYWORDS", "KEY_COLUMN_USAGE"}},
		{"SELECT * FROM perf", []string{"performance_schema"}},
		{"SET @@gsql_b", []string{"gsql_batch_size"}},
		{"SELECT añ", []string{"año"}},
		{"", nil},
		{"SELECT ", nil},
		{".ti", []string{".timer"}},
		{".read dat", []string{"data2.csv", "data[1].csv"}},
		{"SELECT * FROM `data", []string{"data2.csv", "data[1].csv"}},
		{"SELECT * FROM `data[", []string{"data[1].csv"}},
		{"SELECT * FROM `data2.csv` WHER", []string{"WHERE"}},
	} {
		line := []rune(x.before + " FROM x")
		endings, word := c.at(line, len([]rune(x.before)))
		var got []string
		for _, e := range endings {
			got = append(got, string(word)+string(e))
		}
		slices.Sort(got)
		if !slices.Equal(got, x.want) {
			t.Errorf("after %q: %q, want %q", x.before, got, x.want)
		}
	}
}
