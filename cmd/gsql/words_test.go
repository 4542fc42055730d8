package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCommandOf(t *testing.T) {
	for line, want := range map[string]string{
		"":                "",
		"SELECT 1;":       "",
		".mode csv":       ".mode csv",
		`\. a.sql`:        `\. a.sql`,
		"QUIT;":           ".quit",
		"exit":            ".exit",
		"exit wound":      "",
		"help select":     ".help select",
		"source a b.sql":  ".read a b.sql",
		"SOURCE a.sql":    ".read a.sql",
		"source = 1":      "",
		"delimiter //":    ".delimiter //",
		"DELIMITER ;":     ".delimiter ;",
		"system ls -l":    ".shell ls -l",
		"status":          ".status",
		"prompt \\d>":     ".prompt \\d>",
		"pager":           ".pager",
		"sourcery SELECT": "",
	} {
		if got, ok := commandOf(line); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", line, got, ok, want)
		}
	}
}

// TestWordsOfMySQL runs lines at a terminal that the mysql client accepts.
func TestWordsOfMySQL(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sql")
	if err := os.WriteFile(file, []byte("SELECT 'from the file' AS x;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines    []string
		out, err string
		pending  bool
	}{
		{[]string{`SELECT 1 AS a\g`}, "a\n1\n", "", false},
		{[]string{`SELECT '\g`, `' AS a;`}, "a\n", "", false},
		{[]string{"SELECT 1", `AS a \c`, "SELECT 2 AS b;"}, "b\n2\n", "", false},
		{[]string{`SELECT 'x \c`}, "", "", true},
		{[]string{"delimiter //", "SELECT 1 AS a;", "SELECT 2 AS b//", "DELIMITER ;", "SELECT 3 AS c;"}, "a\n1\nb\n2\nc\n3\n", "", false},
		{[]string{"source " + file}, "x\nfrom the file\n", "", false},
		{[]string{`\. ` + file}, "x\nfrom the file\n", "", false},
		{[]string{"system echo one two"}, "one two\n", "", false},
		{[]string{`\! exit 3`}, "", "exit status 3", false},
		{[]string{"status"}, "isolation: REPEATABLE-READ\n", "", false},
		{[]string{"hello world", "SELECT 4 AS d;"}, "d\n4\n", "near 'hello world'", false},
		{[]string{"  selct 1"}, "", "Did you mean SELECT?", false},
		{[]string{"SELECT", "hello FROM (SELECT 1 AS hello) t;"}, "hello\n1\n", "", false},
		{[]string{"/* a", "b */ SELECT 5 AS e;"}, "e\n5\n", "", false},
		{[]string{"SELECT 1 AS", ".mode", ";"}, "", "1064", false},
	} {
		sh, read := testShell(t)
		var pending strings.Builder
		for _, line := range c.lines {
			sh.line(&pending, line, func(string) {})
		}
		out, errText := read()
		if !strings.Contains(out, c.out) || c.out == "" && out != "" || !strings.Contains(errText, c.err) || c.err == "" && errText != "" || (pending.Len() > 0) != c.pending {
			t.Errorf("%q: %q, %q, pending %q", c.lines, out, errText, pending.String())
		}
	}
}

// TestDelimitersOfFiles runs a file as mysqldump writes them.
func TestDelimitersOfFiles(t *testing.T) {
	sh, read := testShell(t)
	ok := sh.text("SELECT 1 AS a;\nDELIMITER ;;\nSELECT 'x;' AS b ;;\n/* no; statement */ ;;\nSELECT 2 AS c;\nSELECT 3 AS d;;\nDELIMITER ;\nSELECT 4 AS e;\n")
	if out, errText := read(); !ok || out != "a\n1\nb\nx;\nc\n2\nd\n3\ne\n4\n" || errText != "" {
		t.Errorf("%v, %q, %q", ok, out, errText)
	}
}

func TestConfinedCommands(t *testing.T) {
	sh, read := testShell(t)
	sh.confined = true
	for _, line := range []string{".shell echo x", ".pager cat", `\! echo x`, "source x"} {
		var pending strings.Builder
		sh.line(&pending, line, func(string) {})
	}
	if out, errText := read(); out != "" || strings.Count(errText, errConfined.Error()) != 4 {
		t.Errorf("%q, %q", out, errText)
	}
}

func TestPrompts(t *testing.T) {
	sh, _ := testShell(t)
	for _, c := range [][3]string{
		{".prompt", "gsql> ", "   -> "},
		{`.prompt \d@\f>`, "gsql@memory> ", "          -> "},
		{`.prompt x\_y\_`, "x y ", " -> "},
		{`.prompt 'a\\d '`, `a\d `, " -> "},
	} {
		sh.dot(c[0])
		if first, more := sh.prompts(); first != c[1] || more != c[2] {
			t.Errorf("%s: %q, %q, want %q, %q", c[0], first, more, c[1], c[2])
		}
	}
}

func TestStartup(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, "elsewhere")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", config)
	os.Unsetenv("GSQL_RC")
	if got := startupFile(); got != "" {
		t.Errorf("nothing is there, but %q", got)
	}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	xdg, dot := filepath.Join(config, "gsql", "gsqlrc"), filepath.Join(home, ".gsqlrc")
	write(xdg, ".mode jsonl\n")
	if got := startupFile(); got != xdg {
		t.Errorf("%q, want %q", got, xdg)
	}
	write(dot, ".mode csv\nSET @a = 5;\nSELECT nope;\n.nullvalue -\n")
	if got := startupFile(); got != dot {
		t.Errorf("%q, want %q", got, dot)
	}
	sh, read := testShell(t)
	sh.startup()
	sh.text("SELECT @a AS a, NULL AS b;")
	out, errText := read()
	if out != "a,b\n5,-\n" || !strings.Contains(errText, "1054") || !strings.Contains(errText, "the error above is in "+dot) {
		t.Errorf("%q, %q", out, errText)
	}
	t.Setenv("GSQL_RC", "")
	if got := startupFile(); got != "" {
		t.Errorf("with an empty GSQL_RC: %q", got)
	}
}

func TestCompletionOfAliases(t *testing.T) {
	sh, _ := testShell(t)
	if !sh.text("CREATE TABLE planes (tail INT, built DATE); CREATE TABLE flights (tail_number INT, day DATE);") {
		t.Fatal("no tables")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("towns.csv", []byte("town,people\nRome,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &completer{sh: sh}
	for _, x := range []struct {
		before, after, earlier string
		want                   []string
	}{
		{"SELECT p.", " FROM planes p", "", []string{"built", "tail"}},
		{"SELECT p.ta", " FROM flights AS f JOIN planes AS P ON 1", "", []string{"tail"}},
		{"WHERE f.", "", "SELECT * FROM planes p, flights f\n", []string{"day", "tail_number"}},
		{"SELECT t.", " FROM `towns.csv` t", "", []string{"people", "town"}},
		{"SELECT peo", " FROM `towns.csv`", "", []string{"people"}},
		{"SELECT DATE_FOR", "", "", []string{"DATE_FORMAT("}},
		{".mode jso", "", "", []string{"json", "jsonl"}},
		{".timer o", "", "", []string{"off", "on"}},
		{".schema pl", "", "", []string{"planes"}},
		{".width ", "", "", nil},
	} {
		endings, word := c.at([]rune(x.earlier+x.before+x.after), len([]rune(x.earlier+x.before)))
		var got []string
		for _, e := range endings {
			got = append(got, string(word)+string(e))
		}
		slices.Sort(got)
		if !slices.Equal(got, x.want) {
			t.Errorf("at %q: %q, want %q", x.before, got, x.want)
		}
	}
}
