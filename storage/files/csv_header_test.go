package files

import (
	"errors"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// sniffed describes what was detected in a text: the columns, then the rows.
func sniffed(t *testing.T, text string) string {
	t.Helper()
	tab := open(t, tempFile(t, "x.csv", text), Options{})
	return schemaText(tab) + " / " + strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " ")
}

// TestHeaders checks whether the first line is recognised as names.
func TestHeaders(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"years among the names", "id,2019,2020\n1,5,6\n2,7,8\n", `id:bigint 2019:bigint 2020:bigint / "1"|"5"|"6"| "2"|"7"|"8"|`},
		{"row numbers without a name", ",name,n\n0,Ann,5\n1,Bob,6\n", `c1:bigint name:text n:bigint / "0"|"Ann"|"5"| "1"|"Bob"|"6"|`},
		{"texts over row numbers without a name", ",name\na,Ann\nb,Bob\n", `c1:text name:text / "a"|"Ann"| "b"|"Bob"|`},
		{"a missing value in the first row", ",5\n1,6\n", `c1:bigint c2:bigint / <null>|"5"| "1"|"6"|`},
		{"NA in the first row", "NA,5\n1,6\n", `c1:bigint c2:bigint / <null>|"5"| "1"|"6"|`},
		{"values like those below", "x,1\ny,2\n", `c1:text c2:bigint / "x"|"1"| "y"|"2"|`},
		{"all text, names", "Ann,Oslo\nBob,Rome\n", `Ann:text Oslo:text / "Bob"|"Rome"|`},
		{"all text, a value again", "Ann,Rome\nBob,Rome\n", `c1:text c2:text / "Ann"|"Rome"| "Bob"|"Rome"|`},
		{"all text, sentences", "It rained.,x\nIt snowed.,y\n", `c1:text c2:text / "It rained."|"x"| "It snowed."|"y"|`},
		{"all text, equal fields", "a,a\nb,c\n", `c1:text c2:text / "a"|"a"| "b"|"c"|`},
		{"all text, codes", "+49,+31\n+1,+44\n", `c1:text c2:text / "+49"|"+31"| "+1"|"+44"|`},
		{"names of two words", "First name,Last name\nAnn,Lee\n", `First name:text Last name:text / "Ann"|"Lee"|`},
		{"one line of identifiers", "id,first_name\n", `id:text first_name:text / `},
		{"one line of words", "hello world,x\n", `c1:text c2:text / "hello world"|"x"|`},
		{"one line of numbers", "1,2,3\n", `c1:bigint c2:bigint c3:bigint / "1"|"2"|"3"|`},
		{"one line of words and numbers", "a,1\n", `c1:text c2:bigint / "a"|"1"|`},
		{"one line without end", "1;x", `c1:bigint c2:text / "1"|"x"|`},
		{"comments", "# made by hand\n#\n# a, b, c\na,b\n1,2\n", `a:bigint b:bigint / "1"|"2"|`},
		{"a header behind #", "#id,name\n1,x\n", `#id:bigint name:text / "1"|"x"|`},
		{"comments, then a header behind #", "##version 1\n##x,y,z\n#id,name\n1,x\n", `#id:bigint name:text / "1"|"x"|`},
		{"a comment as wide as the lines", "# first, second\na,b\nx,1\n", `a:text b:bigint / "x"|"1"|`},
		{"comments over one column", "# made by hand\nn\n5\n", `n:bigint / "5"|`},
		{"words that begin with #", "#one\n#two\nthree\n", `#one:text / "#two"| "three"|`},
		{"# further down", "a,b\n#x,1\n", `a:text b:bigint / "#x"|"1"|`},
		{"comments alone", "# a\n# b\n", `# a:text / "# b"|`},
		{"lines in quotes", "\"a;b;c\"\n\"1;2;3\"\n", `a;b;c:text / "1;2;3"|`},
		{"lines in quotes, of commas", "\"Lee, Ann\"\n\"Ray, Bob\"\n", `Lee, Ann:text / "Ray, Bob"|`},
		{"lines in quotes, of commas and doubled quotes", "\"t\"\n\"Lee, \"\"Ann\"\", x\"\n\"Ray, \"\"Bob\"\"\"\n", `t:text / "Lee, \"Ann\", x"| "Ray, \"Bob\""|`},
		{"lines in quotes below a word", "t\n\"a, \"\"b\"\"\"\n\"c, \"\"d\"\"\"\n", `t:text / "a, \"b\""| "c, \"d\""|`},
		{"lines of two fields in quotes", "\"a\",\"b, \"\"c\"\"\"\n\"a\",\"e, \"\"f\"\"\"\n", `c1:text c2:text / "a"|"b, \"c\""| "a"|"e, \"f\""|`},
		{"quoted fields with separators", "x;\"a,b\"\ny;\"c,d\"\n", `x:text a,b:text / "y"|"c,d"|`},
		{"quoted empty texts", "a,b\n\"\",x\n,\"\"\n", `a:text b:text / ""|"x"| <null>|""|`},
		{"only quoted empty texts", "a,b\n\"\",1\n\"\",2\n", `a:text b:bigint / ""|"1"| ""|"2"|`},
	} {
		if got := sniffed(t, c.text); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestDates reads dates in the notation that all of a column's values share.
func TestDates(t *testing.T) {
	for _, c := range []struct{ name, text, want, format string }{
		{"points, year first", "d\n2019.06.05\n2019.12.31\n", `d:date / "2019-06-05"| "2019-12-31"|`, ""},
		{"day first", "d\n05/06/2019\n13/06/2019\n", `d:date / "2019-06-05"| "2019-06-13"|`, "dates as day/month/year"},
		{"month first", "d\n06/13/2019\n05/06/2019\n", `d:date / "2019-06-13"| "2019-05-06"|`, "dates as month/day/year"},
		{"either, slashes", "d\n5/6/2019\n", `d:date / "2019-05-06"|`, "dates as month/day/year"},
		{"either, points", "d\n5.6.2019\n", `d:date / "2019-06-05"|`, "dates as day/month/year"},
		{"either, hyphens", "d\n05-06-2019\n", `d:date / "2019-06-05"|`, "dates as day/month/year"},
		{"neither", "d\n13/06/2019\n06/13/2019\n", `d:text / "13/06/2019"| "06/13/2019"|`, ""},
		{"two forms", "d\n2019-06-05\n05/06/2019\n", `d:text / "2019-06-05"| "05/06/2019"|`, ""},
		{"months by name", "d\n5-Jun-2019\n31 December 1999\n\"Jan 1, 2000\"\n", `d:date / "2019-06-05"| "1999-12-31"| "2000-01-01"|`, "dates with names of months"},
		{"times", "d\n05/13/2019 9:05\n05/14/2019 23:59:58.5\n05/15/2019\n",
			`d:datetime(6) / "2019-05-13 09:05:00.000000"| "2019-05-14 23:59:58.500000"| "2019-05-15 00:00:00.000000"|`, "dates as month/day/year"},
		{"half days", "d\n05/13/2019 12:05 AM\n05/14/2019 12:30:10 pm\n05/14/2019 1:00PM\n",
			`d:datetime / "2019-05-13 00:05:00"| "2019-05-14 12:30:10"| "2019-05-14 13:00:00"|`, "dates as month/day/year"},
		{"no such day", "d\n31/06/2019\n01/02/2019\n", `d:text / "31/06/2019"| "01/02/2019"|`, ""},
		{"no such hour", "d\n05/13/2019 13:05 PM\n", `d:text / "05/13/2019 13:05 PM"|`, ""},
		{"versions", "v\n1.2.3\n1.10.2\n", `v:text / "1.2.3"| "1.10.2"|`, ""},
		{"telephone numbers", "p\n12-34-56789\n", `p:text / "12-34-56789"|`, ""},
		{"NULLs", "d,n\nNA,1\n13.01.2020,2\n", `d:date n:bigint / <null>|"1"| "2020-01-13"|"2"|`, "dates as day/month/year"},
	} {
		if got := sniffed(t, c.text); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		tab := open(t, tempFile(t, "x.csv", c.text), Options{})
		if got := tab.Schema().Columns[0].Format; got != c.format {
			t.Errorf("%s: %q, want %q", c.name, got, c.format)
		}
	}
	// A later value in another notation is an error, not another day.
	late := "d\n" + strings.Repeat("05/06/2019\n", 30_000) + "13/06/2019\n" + strings.Repeat("05/06/2019\n", 10)
	err := scanError(t, open(t, tempFile(t, "x.csv", late), Options{}))
	if err == nil || !strings.Contains(err.Error(), "line 30002") {
		t.Errorf("a late value: %v", err)
	}
}

// TestAdviceOnNames checks what errors advise where the first line is read as values, and where types are given to a column that
// is not there.
func TestAdviceOnNames(t *testing.T) {
	path := tempFile(t, "x.csv", "id,name\n1,Ann\n")
	err := readAll(path+"?header=no&columns=id,name&types=id:int", Options{})
	if e := sqlerr.From(err); !errors.Is(err, sqlerr.TruncatedWrongValueForField) || !strings.Contains(e.Hint, "IGNORE 1 LINES") || !strings.Contains(e.Hint, "`x.csv?header=yes`") {
		t.Errorf("%v, hint %q", err, sqlerr.From(err).Hint)
	}
	for _, name := range []string{path + "?types=nr:int", path + "?types=ID:int,nr:int", "testdata/book.xlsx?types=nr:int", "testdata/shop.sqlite/orders?types=nr:int"} {
		err := readAll(name, Options{})
		if e := sqlerr.From(err); !errors.Is(err, sqlerr.WrongArguments) || !strings.Contains(e.Hint, "There is no column 'nr'. The columns are id, ") || strings.Contains(e.Hint, "filename") {
			t.Errorf("%s: %v, hint %q", name, err, sqlerr.From(err).Hint)
		}
	}
}
