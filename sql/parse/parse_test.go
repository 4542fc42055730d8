package parse

import (
	"errors"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text, stmts, rest string
	}{
		{"select 1; select 2;", "select 1|select 2", ""},
		{"select 1;;\n ; select 2", "select 1", "select 2"},
		{"select ';' , \";\", `;`, 'it''s;', 'a\\';';x", "select ';' , \";\", `;`, 'it''s;', 'a\\';'", "x"},
		{"-- a;b\nselect 1 /* ; */ # ;\n;", "select 1", ""},
		{"select 5--1;", "select 5--1", ""},
		{"select 'open;", "", "select 'open;"},
		{"select /* open;", "", "select /* open;"},
		{"/* only */ -- comments", "", ""},
		{"create trigger a before insert on t for each row begin set x=1; set y=2; end; select 1;", "create trigger a before insert on t for each row begin set x=1; set y=2; end|select 1", ""},
		{"begin; select 1; commit;", "begin|select 1|commit", ""},
	} {
		stmts, rest := Split(c.text, 0)
		var got []string
		for _, p := range stmts {
			got = append(got, p.Text)
			if c.text[p.Offset:p.Offset+len(p.Text)] != p.Text {
				t.Errorf("%q: offset %d does not hold %q", c.text, p.Offset, p.Text)
			}
		}
		if strings.Join(got, "|") != c.stmts || rest != c.rest {
			t.Errorf("Split(%q, 0) = %q, %q", c.text, got, rest)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code sqlerr.Code
		at   string // the text at the error's position
		hint string
	}{
		{"select a,,b from t", sqlerr.ParseError, ",b from", "Two commas"},
		{"select 1; select a, from t", sqlerr.ParseError, "from t", "no item after it"},
		{"selec 1", sqlerr.ParseError, "selec", "SELECT"},
		{"select a where b = 1 group by", sqlerr.ParseError, "", "ends too early"},
		{"select 'abc", sqlerr.ParseError, "'abc", "no end"},
		{"select a b c from t", sqlerr.ParseError, "c from", ""},
		{"select * from t where a == 1", sqlerr.ParseError, "= 1", "single ="},
		{"select (1 + 2", sqlerr.ParseError, "", "closing parenthesis is missing"},
		{"select 1)", sqlerr.ParseError, ")", "too many"},
		{"select a from t qualify x > 1", sqlerr.ParseError, "x > 1", "QUALIFY"},
		{"select a from order", sqlerr.ParseError, "order", "back-quotes"},
		{"select a from t into outfile 'x.csv' partition by (a)", sqlerr.ParseError, "partition", "?partition=a,b"},
		{"select a from 'b.csv' where 1", sqlerr.ParseError, "'b.csv'", "`b.csv`"},
		{"select a from t natural full outer join (select 1) u", sqlerr.NotSupportedYet, "full outer", "ON"},
		{"select a from (select 1) x full join u", sqlerr.NotSupportedYet, "full join", "ON"},
		{"select a from (select 1 from t full join u) x join v on 1", sqlerr.NotSupportedYet, "full join", "ON"},
		{"select a from t asof join u", sqlerr.NotSupportedYet, "asof join", "ON"},
		{"select " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000), sqlerr.StackOverrun, "", ""},
		{"select " + strings.Repeat("- ", 500_000) + "1", sqlerr.StackOverrun, "", ""},
		{"select " + strings.Repeat("not ", 250_000) + "1", sqlerr.StackOverrun, "", ""},
		{"select " + strings.Repeat("1+", 500_000) + "1", sqlerr.StackOverrun, "", ""},
		{"select " + strings.Repeat("case when 1 then ", 50_000), sqlerr.StackOverrun, "", ""},
	} {
		_, err := Parse(c.sql, 0)
		if !errors.Is(err, c.code) {
			t.Errorf("%.60q: got %v, want %d", c.sql, err, c.code)
			continue
		}
		e := sqlerr.From(err)
		if e.Pos < 0 || !strings.HasPrefix(c.sql[e.Pos:], c.at) || c.at == "" && e.Pos < len(c.sql) && c.code == sqlerr.ParseError {
			t.Errorf("%.60q: error at %d", c.sql, e.Pos)
		}
		if !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%.60q: hint %q", c.sql, e.Hint)
		}
	}
}

func TestSyntaxErrorWording(t *testing.T) {
	_, err := Parse("select 1,\n\n frm t u v", 0)
	want := "You have an error in your SQL syntax; check the manual that corresponds to your gsql version for the right syntax to use near 'u v' at line 3"
	if e := sqlerr.From(err); e == nil || e.Msg != want {
		t.Errorf("got %v", err)
	}
}

func TestAliasesThatLookLikeJoins(t *testing.T) {
	for _, sql := range []string{"select 1 from full join b", "select 1 from t as full join b", "select 1 from t, full join b", "select t.full from t join u", "select full from t"} {
		if _, err := Parse(sql, 0); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestLongStatements(t *testing.T) {
	for name, sql := range map[string]string{
		"in list":   "select * from t where a in (1" + strings.Repeat(", 1234567", 120_000) + ")",
		"and chain": "select * from t where a = 1" + strings.Repeat(" and b <> 2", 20_000),
		"values":    "insert into t values (1, 2)" + strings.Repeat(", (-1, 1+2)", 100_000),
		"comment":   "select 1 /*" + strings.Repeat("((((", 1<<18) + "*/",
		"string":    "select '" + strings.Repeat("((((", 1<<18) + "'",
	} {
		if s, err := Parse(sql, 0); err != nil || len(s) != 1 {
			t.Errorf("%s: %d statements, %v", name, len(s), err)
		}
	}
}

func TestStatements(t *testing.T) {
	s, err := Parse(" select ? , 'x' ; select 2 where ? < ? limit ?;", 0)
	if err != nil || len(s) != 2 {
		t.Fatal(s, err)
	}
	if s[0].Offset != 1 || s[0].Text != "select ? , 'x'" || s[0].Params != 1 || s[1].Params != 3 {
		t.Errorf("%+v", s)
	}
	limit := s[1].Node.(*ast.SelectStmt).Limit.Count.(*Param)
	if limit.Order != 2 {
		t.Errorf("the limit is parameter %d", limit.Order)
	}
	if s, err := Parse(" ; -- nothing", 0); err != nil || len(s) != 0 {
		t.Error(s, err)
	}
}

func TestLiterals(t *testing.T) {
	s, err := Parse("select 1, 18446744073709551615, 123456789012345678901234567890, 1.50, .5, 1e3, 'a' 'b', x'41', 0x141, b'101', true, null", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{int64(1), uint64(18446744073709551615), Decimal("123456789012345678901234567890"), Decimal("1.50"), Decimal(".5"), 1000.0, "ab", Binary("A"), Binary("\x01A"), Binary("\x05"), true, nil}
	for i, f := range s[0].Node.(*ast.SelectStmt).Fields.Fields {
		got := f.Expr.(*Literal).Value
		if b, ok := got.(Binary); ok {
			if string(b) != string(want[i].(Binary)) {
				t.Errorf("literal %d: %v", i, got)
			}
		} else if got != want[i] {
			t.Errorf("literal %d: %#v, want %#v", i, got, want[i])
		}
	}
}

func TestHints(t *testing.T) {
	s, err := Parse("select /*+ hash_join(t, `u v`) RADIX_JOIN(x@sel_1) NO_HASH_JOIN(@qb t2), GPU() LEADING(a,b) frob CPU(`a`@`q b`, c, `d@e`@f) "+
		"NL_JOIN(@`q b`) QB_NAME(z) */ * from t /* + no hint */", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range s[0].Hints {
		got = append(got, h.String())
	}
	if want := "HASH_JOIN(t, u v) RADIX_JOIN(x@sel_1) NO_HASH_JOIN(@qb t2) GPU() LEADING(a, b) FROB() CPU(a@q b, c, d@e@f) NL_JOIN(@q b) QB_NAME(z)"; strings.Join(got, " ") != want {
		t.Errorf("got %s", got)
	}
}

func TestTriggers(t *testing.T) {
	s, err := Parse("CREATE TRIGGER t1r1 AFTER UPDATE ON t1 FOR EACH ROW BEGIN END; drop trigger if exists db.`t1r1`", 0)
	if err != nil {
		t.Fatal(err)
	}
	if c := s[0].Node.(*Trigger); c.Drop || c.Name != "t1r1" || c.Table != "t1" {
		t.Errorf("%+v", c)
	}
	if d := s[1].Node.(*Trigger); !d.Drop || !d.IfExists || d.DB != "db" || d.Name != "t1r1" {
		t.Errorf("%+v", d)
	}
	s, err = Parse("CREATE DEFINER = 'a'@'%' TRIGGER d.x BEFORE DELETE ON d.t FOR EACH ROW FOLLOWS y BEGIN END", 0)
	if err != nil {
		t.Fatal(err)
	}
	if c := s[0].Node.(*Trigger); c.Name != "x" || c.DB != "d" || c.TableDB != "d" || c.Table != "t" || !c.Empty {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{
		"CREATE TRIGGER t1r1 UPDATE ON t1 FOR EACH ROW BEGIN SELECT 1; END", "CREATE TRIGGER t1r1 AFTER UPDATE ON t1 BEGIN END",
		"TRIGGER x", "DROP DEFINER = a TRIGGER x",
	} {
		if _, err := Parse(bad, 0); !errors.Is(err, sqlerr.ParseError) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestCreateTableBeyondTheGrammar(t *testing.T) {
	for _, sql := range []string{
		"CREATE TABLE `t` (`c1` MULTIPOLYGON COMMENT 'x', c2 point null) KEY_BLOCK_SIZE 4.2 COMMENT = 'y'",
		"CREATE TABLE t (c1 YEAR KEY) CHECKSUM 4.2, DELAY_KEY_WRITE 0xf",
	} {
		s, err := Parse(sql, 0)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if s[0].Text != sql {
			t.Errorf("text %s", s[0].Text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("select a, 'x' from t where b in (1, 2.5e3)")
	f.Add("insert into t values (x'4', ?)")
	f.Add("create trigger a before insert on t for each row begin end")
	f.Add("/*+ HASH_JOIN( */ select `")
	f.Fuzz(func(t *testing.T, sql string) {
		s, err := Parse(sql, 0)
		if err != nil {
			if e := sqlerr.From(err); e.Pos > len(sql) {
				t.Errorf("position %d of %d", e.Pos, len(sql))
			}
		}
		for _, st := range s {
			if !strings.HasPrefix(sql[st.Offset:], st.Text) {
				t.Errorf("offset %d is not where %q starts", st.Offset, st.Text)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("SELECT a, b + 1 AS c FROM t WHERE a > 10 AND b IN (1, 2, 3) ORDER BY c", 0); err != nil {
			b.Fatal(err)
		}
	}
}
