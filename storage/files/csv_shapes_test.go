package files

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// TestShapes reads CSV files of many shapes. DuckDB 1.5.6 was given the same texts and found the same
// columns and rows, with these exceptions: integers beyond BIGINT and "inf" are DOUBLE there;
// spellings of NULL are text; words such as yes, hexadecimal numbers, times without seconds or with
// zones, years of two digits, and spaces before quotes are converted; two kinds of line ends are
// an error; sep=; is a name; and lines of other lengths, which are errors here, are skipped or make
// each line one field.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"backslash quote", "a,b\n1,\"x \\\"q\\\" y\"\n2,z\n", `a:bigint b:text / "1"|"x \"q\" y"| "2"|"z"|`},
		{"bigint", "n\n9223372036854775807\n9223372036854775808\n", `n:decimal(38,0) / "9223372036854775807"| "9223372036854775808"|`},
		{"bom", "\ufeffa,b\n1,x\n", `a:bigint b:text / "1"|"x"|`},
		{"bool", "b\ntrue\nfalse\n", `b:tinyint(1) / "1"| "0"|`},
		{"bool01", "b\n0\n1\n", `b:bigint / "0"| "1"|`},
		{"bool mixed", "b\ntrue\n1\n", `b:text / "true"| "1"|`},
		{"colon", "a:b\n1:2\n3:4\n", `a:b:text / "1:2"| "3:4"|`},
		{"comment mid", "a,b\n1,2\n# note\n3,4\n", "error: line 3: it has 1 field instead of 2: '# note'"},
		{"cr", "a,b\r1,x\r2,y\r", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"crlf", "a,b\r\n1,x\r\n2,y\r\n", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"date 2digit", "d\n13/01/20\n31/12/20\n", `d:text / "13/01/20"| "31/12/20"|`},
		{"date compact", "d\n20200102\n20200103\n", `d:bigint / "20200102"| "20200103"|`},
		{"date eu", "d\n13.01.2020\n31.12.2020\n", `d:date / "2020-01-13"| "2020-12-31"|`},
		{"date mixed null", "d\n2020-01-01\n\n2020-01-03\n", `d:date / "2020-01-01"| <null>| "2020-01-03"|`},
		{"date us", "d\n01/13/2020\n12/31/2020\n", `d:date / "2020-01-13"| "2020-12-31"|`},
		{"dbl quote", "a,b\n1,\"x \"\"q\"\" y\"\n2,z\n", `a:bigint b:text / "1"|"x \"q\" y"| "2"|"z"|`},
		{"empty int", "a,b\n1,\n,2\n", `a:bigint b:bigint / "1"|<null>| <null>|"2"|`},
		{"empty lines", "a,b\n\n1,x\n\n2,y\n\n", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"exp", "n\n1e5\n2.5E-3\n", `n:double / "100000"| "0.0025"|`},
		{"footer total", "a,b\n1,2\n3,4\nTotal: 2 rows\n", "error: line 4: it has 1 field instead of 2: 'Total: 2 rows'"},
		{"header dup", "a,a,a\n1,2,3\n", `a:bigint a_2:bigint a_3:bigint / "1"|"2"|"3"|`},
		{"header empty", "a,,c\n1,2,3\n4,5,6\n", `a:bigint c2:bigint c:bigint / "1"|"2"|"3"| "4"|"5"|"6"|`},
		{"header num", "2019,2020\n1,2\n3,4\n", `c1:bigint c2:bigint / "2019"|"2020"| "1"|"2"| "3"|"4"|`},
		{"hex", "n\n0x1F\n0x20\n", `n:text / "0x1F"| "0x20"|`},
		{"huge", "n\n123456789012345678901234567890\n1\n", `n:decimal(38,0) / "123456789012345678901234567890"| "1"|`},
		{"inf", "n\n1.5\ninf\n-Infinity\n", `n:text / "1.5"| "inf"| "-Infinity"|`},
		{"ip", "i\n10.0.0.1\n10.0.0.2\n", `i:text / "10.0.0.1"| "10.0.0.2"|`},
		{"iso ts", "t\n2020-01-02T03:04:05Z\n2020-01-02T03:04:06Z\n", `t:datetime / "2020-01-02 03:04:05"| "2020-01-02 03:04:06"|`},
		{"json", "j\n\"{\"\"a\"\":1}\"\n", `j:text / "{\"a\":1}"|`},
		{"latin utf8", "nameé,ü\nä,1\n", `nameé:text ü:bigint / "ä"|"1"|`},
		{"leading empty", "\n\na,b\n1,x\n", `a:bigint b:text / "1"|"x"|`},
		{"mixed eol", "a,b\r\n1,x\n2,y\r\n", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"money", "p\n$1.50\n$2\n", `p:text / "$1.50"| "$2"|`},
		{"na", "a\n1\nNA\n3\n", `a:bigint / "1"| <null>| "3"|`},
		{"nan", "n\n1.5\nNaN\n", `n:double / "1.5"| <null>|`},
		{"no final eol", "a,b\n1,x\n2,y", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"nul", "a,b\n1,x\x00y\n", `a:bigint b:text / "1"|"x\x00y"|`},
		{"null words", "a,b\n1,NULL\n2,x\nNULL,y\n", `a:bigint b:text / "1"|<null>| "2"|"x"| <null>|"y"|`},
		{"one cell", "x", `x:text / `},
		{"one col text", "Ann\nBob\nCyd\n", `Ann:text / "Bob"| "Cyd"|`},
		{"one number", "5\n", `c1:bigint / "5"|`},
		{"only header", "a,b,c\n", `a:text b:text c:text / `},
		{"percent", "p\n5%\n7%\n", `p:text / "5%"| "7%"|`},
		{"pipe", "a|b\n1|x\n2|y\n", `a:bigint b:text / "1"|"x"| "2"|"y"|`},
		{"plus", "n\n+1\n+2\n", `n:text / "+1"| "+2"|`},
		{"quote in middle", "a,b\n1,x\"y\"z\n2,q\n", `a:bigint b:text / "1"|"x\"y\"z"| "2"|"q"|`},
		{"quoted delim", "a,b\n1,\"x,y\"\n2,z\n", `a:bigint b:text / "1"|"x,y"| "2"|"z"|`},
		{"quoted newline", "a,b\n1,\"x\ny\"\n2,z\n", `a:bigint b:text / "1"|"x\ny"| "2"|"z"|`},
		{"quoted num", "a,b\n\"1\",\"2\"\n\"3\",\"4\"\n", `a:bigint b:bigint / "1"|"2"| "3"|"4"|`},
		{"ragged long", "a,b\n1,x\n2,y,z\n3,w\n", "error: line 3: it has 3 fields instead of 2: '2,y,z'"},
		{"ragged short", "a,b,c\n1,x,t\n2,y\n3,z,u\n", "error: line 3: it has 2 fields instead of 3: '2,y'"},
		{"semicolon decimal comma", "a;b\n1,5;x\n2,5;y\n", `a:text b:text / "1,5"|"x"| "2,5"|"y"|`},
		{"the delimiter in the first line", "sep=;\na;b\n1;2\n3;4\n", `a:bigint b:bigint / "1"|"2"| "3"|"4"|`},
		{"a delimiter in quotes", "\"sep=|\"\r\na|b\r\n1|x,y\r\n", `a:bigint b:text / "1"|"x,y"|`},
		{"a column named sep", "sep=a\nx\ny\n", `sep=a:text / "x"| "y"|`},
		{"single quotes", "a,b\n1,'x,y'\n2,'z'\n", `a:bigint b:text / "1"|"x,y"| "2"|"z"|`},
		{"space after delim", "a, b\n1, x\n2, y\n", `a:bigint b:text / "1"|" x"| "2"|" y"|`},
		{"space sep", "a b\n1 x\n2 y\n", `a b:text / "1 x"| "2 y"|`},
		{"spaces quoted", "a,b\n1, \"x\"\n2, \"y\"\n", `a:bigint b:text / "1"|" \"x\""| "2"|" \"y\""|`},
		{"tab", "a\tb\n1\tx\n", `a:bigint b:text / "1"|"x"|`},
		{"thousands", "n\n\"1,000\"\n\"2,500\"\n", `n:text / "1,000"| "2,500"|`},
		{"time", "t\n10:11:12\n23:59:59\n", `t:time / "10:11:12"| "23:59:59"|`},
		{"time short", "t\n10:11\n23:59\n", `t:text / "10:11"| "23:59"|`},
		{"title line", "Sales report\na,b,c\n1,2,3\n4,5,6\n", "error: line 1: it has 1 field instead of 3: 'Sales report'"},
		{"title lines", "Sales report 2020\nprinted by Ann\n\na,b,c\n1,2,3\n4,5,6\n", "error: line 1: it has 1 field instead of 3: 'Sales report 2020'"},
		{"trailing delim", "a,b,\n1,x,\n2,y,\n", `a:bigint b:text c3:text / "1"|"x"|<null>| "2"|"y"|<null>|`},
		{"ts nosec", "t\n2020-01-02 03:04\n2020-01-02 13:04\n", `t:datetime / "2020-01-02 03:04:00"| "2020-01-02 13:04:00"|`},
		{"ts offset", "t\n2020-01-02 03:04:05+02:00\n2020-01-02 03:04:06+02:00\n", `t:text / "2020-01-02 03:04:05+02:00"| "2020-01-02 03:04:06+02:00"|`},
		{"ts space", "t\n2020-01-02 03:04:05\n2020-01-02 03:04:05.5\n", `t:datetime(6) / "2020-01-02 03:04:05.000000"| "2020-01-02 03:04:05.500000"|`},
		{"tabs within fields", "a\tb,c\n1\t2,3\n4\t5,6\n", "a\tb:text c:bigint / \"1\\t2\"|\"3\"| \"4\\t5\"|\"6\"|"},
		{"unterminated", "a,b\n1,\"x\n2,y\n", `a:bigint b:text / "1"|"\"x"| "2"|"y"|`},
		{"uuid", "u\n550e8400-e29b-41d4-a716-446655440000\n", `u:text / "550e8400-e29b-41d4-a716-446655440000"|`},
		{"yesno", "b\nyes\nno\n", `b:text / "yes"| "no"|`},
		{"zeros", "zip\n01234\n00501\n", `zip:text / "01234"| "00501"|`},
	} {
		tab, err := Open(context.Background(), tempFile(t, "x.csv", c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want, ok := strings.CutPrefix(c.want, "error: "); ok {
			var e *sqlerr.Error
			if err := scanError(t, tab); !errors.As(err, &e) || !strings.HasSuffix(e.Msg, want) || !strings.Contains(e.Msg, "x.csv") {
				t.Errorf("%s: %v, want %s", c.name, err, want)
			}
			continue
		}
		if got := schemaText(tab) + " / " + strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
