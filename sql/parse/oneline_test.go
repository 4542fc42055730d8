package parse

import (
	"testing"

	"gsql/sql/sqlmode"
)

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		text, want string // "" if there is no such line
		mode       sqlmode.Mode
	}{
		{"SELECT 1", "SELECT 1", 0},
		{"SELECT 1,  2\n\t FROM t\r\n;\n", "SELECT 1,  2 FROM t ;", 0},
		{"SELECT 1, -- one\n  2;", "SELECT 1, /* one */ 2;", 0},
		{"SELECT 1, --\n  2 # two\n;", "SELECT 1, /*  */ 2 /* two */ ;", 0},
		{"-- first\nSELECT 1; -- last", "/* first */ SELECT 1; /* last */", 0},
		{"SELECT 5--1\n;", "SELECT 5--1 ;", 0},
		{"SELECT 1 -- a */ b\n;", "SELECT 1 /* a * / b */ ;", 0},
		{"SELECT '-- no', \"# no\"\n;", "SELECT '-- no', \"# no\" ;", 0},
		{"SELECT /* a\nb */ 1\n;", "SELECT /* a b */ 1 ;", 0},
		{"SELECT /*+ HASH_JOIN(a)\n NL_JOIN(b) */ 1;", "SELECT /*+ HASH_JOIN(a)  NL_JOIN(b) */ 1;", 0},
		{"SELECT 'a\nb''', 'c\\\\\n', 'd\\\n';", `SELECT 'a\nb''', 'c\\\n', 'd\n';`, 0},
		{"SELECT 'a\nb'", "", sqlmode.NoBackslashEscapes},
		{"SELECT `a\nb`", "", 0},
		{"SELECT \"a\nb\"", "", sqlmode.ANSIQuotes},
		{"SELECT /*!80000 1 -- one\n */;", "", 0},
		{"SELECT /*!80000 1\n */;", "SELECT /*!80000 1 */;", 0},
	} {
		got, ok := OneLine(c.text, c.mode)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("OneLine(%q) = %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
}
