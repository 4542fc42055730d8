package binder_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

var rewrite = flag.Bool("rewrite", false, "write the expected plans anew")

// session is a binder.Session for tests.
type session struct {
	mode     string
	params   []catalog.Datum
	warnings []string
}

func (s *session) CurrentDB() string                { return "test" }
func (s *session) GlobalVar(string) (string, error) { return "", sqlerr.UnknownSystemVariable }
func (s *session) Var(name string) (string, bool) {
	switch name {
	case "sql_mode":
		return s.mode, true
	case "max_connections":
		return "151", true
	}
	return "", false
}
func (s *session) UserVar(name string) (catalog.Datum, bool) { return catalog.Int(7), name == "x" }
func (s *session) Params() []catalog.Datum                   { return s.params }
func (s *session) Warn(code uint16, msg string) {
	s.warnings = append(s.warnings, fmt.Sprintf("%d: %s", code, msg))
}

const tables = `
table t rows=100
  a int primary
  b int
  c varchar(10)
  d decimal(10,2) not null
table u
  a int not null
  x bigint
  y double
table v
  b int
  x bigint
  day date
table flights-3m.parquet
  origin varchar(3)
  delay int
view w = SELECT a, b + 1 AS b1 FROM t WHERE a > 0
view ww = SELECT a FROM w JOIN u USING (a)
view bad = SELECT nothing FROM t
view loop1 = SELECT * FROM loop2
view loop2 = SELECT * FROM loop1
`

func bind(sql string, s *session) (*binder.Bound, error) {
	stmts, err := parse.Parse(sql, 0)
	if err != nil {
		return nil, err
	}
	b := binder.New(plantest.MustDefine(tables), s)
	return b.Query(context.Background(), &stmts[0], stmts[0].Node)
}

// TestPlans compares bound plans with those in testdata: SQL, a line of dashes, plan.
func TestPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { planFile(t, file) })
	}
}

func planFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, section := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		sql, want, _ := strings.Cut(section+"\n", "\n----\n")
		got := strings.TrimSpace(explain(sql))
		if got != strings.TrimSpace(want) && !*rewrite {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", sql, got, want)
		}
		fmt.Fprintf(&out, "%s\n----\n%s\n\n", sql, got)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// explain returns the names, the plan and the warnings, or the error.
func explain(sql string) string {
	s := &session{params: []catalog.Datum{catalog.Int(5), catalog.Str("five")}}
	var code []string
	for _, l := range strings.Split(sql, "\n") {
		if !strings.HasPrefix(l, "#") {
			code = append(code, l)
		}
	}
	q, err := bind(strings.Join(code, "\n"), s)
	if err != nil {
		return err.Error()
	}
	out := "[" + strings.Join(q.Names, ", ") + "]\n" + logical.Format(q.Node)
	for _, w := range s.warnings {
		out += w + "\n"
	}
	if err := check(q.Node); err != nil {
		out += "INVALID: " + err.Error()
	}
	return out
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code sqlerr.Code
		msg  string // a part of the message
		at   string // the text at the error's position; "-" if it has none
		hint string
	}{
		{"select a, z from t", sqlerr.BadField, "Unknown column 'z' in 'field list'", "z from", ""},
		{"select origen from `flights-3m.parquet`", sqlerr.BadField, "'origen'", "origen", "Did you mean 'origin'?"},
		{"select 1 from t where t.bb = 2", sqlerr.BadField, "'t.bb' in 'where clause'", "t.bb", "'t.b'"},
		{"select 1 from t join u on t.a = u.q", sqlerr.BadField, "'u.q' in 'on clause'", "u.q", ""},
		{"select 1 from t group by q", sqlerr.BadField, "'q' in 'group statement'", "q", ""},
		{"select 1 from t order by q", sqlerr.BadField, "'q' in 'order clause'", "q", ""},
		{"select b + 1 as bb from t where bb > 1", sqlerr.BadField, "'bb' in 'where clause'", "bb > 1", "HAVING"},
		{"select nosuch.a from nosuch", sqlerr.NoSuchTable, "", "nosuch", ""},
		{"select 1 from t having q > 1", sqlerr.BadField, "'q' in 'having clause'", "q >", ""},
		{"select 1 from t order by 2", sqlerr.BadField, "Unknown column '2' in 'order clause'", "-", ""},
		{"select 1 from t, u, v join t t2 on u.a = v.b", sqlerr.BadField, "'u.a' in 'on clause'", "u.a", ""},
		{"select a from t join u on t.a = u.a", sqlerr.NonUniq, "Column 'a' in field list is ambiguous", "a from", ""},
		{"select 1 from t, u where a = 1", sqlerr.NonUniq, "Column 'a' in where clause is ambiguous", "a = 1", ""},
		{"select 1 from t, t", sqlerr.NonUniqTable, "Not unique table/alias: 't'", "t", "alias"},
		{"select 1 from t join u as T on 1", sqlerr.NonUniqTable, "'T'", "T on", ""},
		{"select 1 from nosuch", sqlerr.NoSuchTable, "Table 'test.nosuch' doesn't exist", "nosuch", ""},
		{"select 1 from other.t", sqlerr.NoSuchTable, "Table 'other.t' doesn't exist", "t", ""},
		{"select a from (select 1)", sqlerr.DerivedMustHaveAlias, "Every derived table", "select 1", ""},
		{"select * from (select 1 x, 2 x) d", sqlerr.DupFieldName, "'x'", "d", ""},
		{"select * from (select a, t.* from t) d", sqlerr.DupFieldName, "'a'", "d", ""},
		{"select a from t where sum(b) > 1", sqlerr.InvalidGroupFuncUse, "Invalid use of group function", "sum", "HAVING"},
		{"select sum(max(b)) from t", sqlerr.InvalidGroupFuncUse, "", "max", "nested"},
		{"select 1 from t group by sum(b)", sqlerr.InvalidGroupFuncUse, "", "sum", ""},
		{"select sum(b) s from t group by s", sqlerr.WrongGroupField, "Can't group on 's'", "sum", ""},
		{"select (select a, b from t)", sqlerr.OperandColumns, "1 column", "(select a", ""},
		{"select 1 in (select a, b from t)", sqlerr.OperandColumns, "1 column", "1 in", ""},
		{"select (1, 2) = (1, 2, 3)", sqlerr.OperandColumns, "2 column", "(1, 2) =", ""},
		{"select (1, 2) in (select a from t)", sqlerr.OperandColumns, "2 column", "(1, 2)", ""},
		{"select (1, 2)", sqlerr.OperandColumns, "1 column", "(1, 2)", ""},
		{"select 1 union select 1, 2", sqlerr.WrongNumberOfColumnsInSelect, "different number of columns", "-", "1 column(s), the right side 2"},
		{"select a union select b from t", sqlerr.BadField, "'a' in 'field list'", "a union", ""},
		{"select a from t union select b from t order by b", sqlerr.BadField, "'b' in 'order clause'", "b", ""},
		{"with recursive c as (select 1 from c) select * from c", sqlerr.CTERequiresUnion, "'c'", "c as", "UNION ALL"},
		{"with recursive c as (select n from c union all select 1 n) select * from c", sqlerr.CTESeedFirst, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select n from c union all select 2) select * from c", sqlerr.CTESeedFirst, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select max(n) from c) select * from c", sqlerr.CTEForbidsAggregation, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select rank() over () from c) select * from c", sqlerr.CTEForbidsAggregation, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select a from t left join c on a = n) select * from c", sqlerr.CTEForbiddenJoinOrder, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select a from t straight_join c) select * from c", sqlerr.CTEForbiddenJoinOrder, "'c'", "c as", ""},
		{"with recursive c as (select 1 n union all select 1 from c, c d) select * from c", sqlerr.CTESingleReference, "'c'", "", ""},
		{"with recursive c as (select 1 n union all select a from t where a in (select n from c)) select * from c", sqlerr.CTESingleReference, "'c'", "", ""},
		{"with recursive c as (select 1 n union all select n from (select n from c) d) select * from c", sqlerr.CTESingleReference, "'c'", "", ""},
		{"with recursive c as (select 1 n except select n from c) select * from c", sqlerr.CTENotUnion, "EXCEPT", "c as", ""},
		{"with recursive c as (select 1 n union all select distinct n from c) select * from c", sqlerr.NotSupportedYet, "DISTINCT", "c as", ""},
		{"with recursive c as (select 1 n union all select n from c order by 1) select * from c", sqlerr.NotSupportedYet, "ORDER BY over UNION", "order", ""},
		{"with recursive c as (select 1 n union select n from c union all select n from c) select * from c", sqlerr.NotSupportedYet, "UNION DISTINCT then UNION ALL", "c as", ""},
		{"with recursive c as (select 1 n union all select n, n from c) select * from c", sqlerr.WrongNumberOfColumnsInSelect, "", "-", "1 column(s), the recursive one 2"},
		{"with recursive c as (select null n union all select 'x' from c) select * from c", sqlerr.DataTooLong, "'n'", "c as", "CAST(NULL"},
		{"select a from t where rank() over (order by a) = 1", sqlerr.WindowInvalidUse, "'rank'", "rank", "derived table"},
		{"select 1 from t group by rank() over (order by a)", sqlerr.WindowInvalidUse, "'rank'", "rank", ""},
		{"select 1 from t join u on rank() over (order by t.a) = 1", sqlerr.WindowInvalidUse, "'rank'", "rank", ""},
		{"select sum(rank() over (order by a)) from t", sqlerr.WindowInvalidUse, "'rank'", "rank", ""},
		{"select lag(rank() over (order by a)) over () from t", sqlerr.WindowInvalidUse, "'rank'", "rank", ""},
		{"select a from t union select a from u order by rank() over (order by a)", sqlerr.WindowInvalidUse, "'rank'", "rank", ""},
		{"select sum(a) over () s from t group by s", sqlerr.WrongGroupField, "Can't group on 's'", "sum", ""},
		{"select sum(a) over () s from t having s > 1", sqlerr.WindowFuncAliasUse, "alias 's'", "s > 1", "derived table"},
		{"select sum(a) over (order by rank() over ()) from t", sqlerr.WindowNestedInSpec, "'<unnamed window>'", "rank", ""},
		{"select sum(a) over w from t", sqlerr.WindowUnknown, "'w' is not defined", "sum", ""},
		{"select 1 from t window w as (v), v as (w)", sqlerr.WindowCircular, "circularity", "window", ""},
		{"select sum(a) over (w partition by a) from t window w as ()", sqlerr.WindowChildPartitioning, "", "sum", ""},
		{"select sum(a) over (w order by a) from t window w as (rows 1 preceding)", sqlerr.WindowInheritsFrame, "Window 'w'", "sum", "OVER w"},
		{"select sum(a) over (w order by a) from t window w as (order by b)", sqlerr.WindowRedefinesOrder, "cannot inherit 'w'", "sum", ""},
		{"select sum(a) over (rows between unbounded following and unbounded following) from t", sqlerr.WindowFrameStart, "", "sum", ""},
		{"select sum(a) over (rows between 1 preceding and unbounded preceding) from t", sqlerr.WindowFrameEnd, "", "sum", ""},
		{"select sum(a) over (rows 1.5 preceding) from t", sqlerr.WindowFrameIllegal, "", "sum", ""},
		{"select sum(a) over (rows between current row and 1 preceding) from t", sqlerr.WindowFrameIllegal, "", "sum", ""},
		{"select sum(a) over (rows between 1 following and current row) from t", sqlerr.WindowFrameIllegal, "", "sum", ""},
		{"select sum(a) over (order by a, b range 1 preceding) from t", sqlerr.WindowRangeOrderType, "exactly one ORDER BY", "sum", ""},
		{"select sum(a) over (range 1 preceding) from t", sqlerr.WindowRangeOrderType, "", "sum", ""},
		{"select sum(a) over (order by concat(a, '') range 1 preceding) from t", sqlerr.WindowRangeOrderType, "", "sum", ""},
		{"select sum(a) over (order by cast(a as date) range 1 preceding) from t", sqlerr.WindowRangeTemporal, "", "sum", ""},
		{"select sum(a) over (order by a range interval 1 day preceding) from t", sqlerr.WindowRangeNumeric, "", "sum", ""},
		{"select sum(a) over (order by cast(a as date) range interval a day preceding) from t", sqlerr.WindowBoundNotConstant, "", "sum", ""},
		{"select sum(a) over (order by cast(a as date) range interval -1 day preceding) from t", sqlerr.WindowFrameIllegal, "", "sum", ""},
		{"select 1 from t window w as (), W as ()", sqlerr.WindowDuplicateName, "'W' is defined twice", "window", ""},
		{"select sum(a) over (partition by 1) from t", sqlerr.WindowIllegalOrderBy, "legacy position", "sum", ""},
		{"select sum(a) over (groups interval 1 day preceding) from t", sqlerr.WindowRowsInterval, "", "sum", ""},
		{"select a + 1 x, sum(a) over (order by x) from t", sqlerr.BadField, "'x' in 'window order by'", "x", ""},
		{"select 1 from t window w as (partition by nosuch)", sqlerr.BadField, "'nosuch' in 'window partition by'", "nosuch", ""},
		{"select ntile(0) over () from t", sqlerr.WrongArguments, "ntile", "ntile", "at least 1"},
		{"select nth_value(a, b) over () from t", sqlerr.WrongArguments, "nth_value", "nth_value", ""},
		{"select sum(distinct a) over () from t", sqlerr.NotSupportedYet, "DISTINCT", "sum", ""},
		{"select first_value(a) ignore nulls over () from t", sqlerr.NotSupportedYet, "IGNORE NULLS", "first_value", ""},
		{"select nth_value(a, 1) from last over () from t", sqlerr.NotSupportedYet, "FROM LAST", "nth_value", ""},
		{"select group_concat(a) over () from t", sqlerr.NotSupportedYet, "GROUP_CONCAT", "group_concat", ""},
		{"select grouping(a) from t group by a", sqlerr.InvalidGroupFuncUse, "", "grouping", "ROLLUP"},
		{"select 1 from t where grouping(a) = 1 group by a with rollup", sqlerr.InvalidGroupFuncUse, "", "grouping", ""},
		{"select max(grouping(a)) from t group by a with rollup", sqlerr.InvalidGroupFuncUse, "", "grouping", ""},
		{"select grouping(a, b) from t group by a with rollup", sqlerr.GroupingNotGroupBy, "Argument #2", "grouping", ""},
		{"select grouping(a" + strings.Repeat(", a", 64) + ") from t group by a with rollup", sqlerr.TooManyGroupingArgs, "equal to 64", "grouping", ""},
		{"select * from t, (select t.a) x", sqlerr.BadField, "'t.a' in 'field list'", "t.a)", ""},
		{"select * from t right join lateral (select t.a) x on 1", sqlerr.BadField, "'t.a'", "t.a)", ""},
		{"select * from lateral (select t.a) x, t", sqlerr.BadField, "'t.a'", "t.a)", ""},
		{"select @@nope", sqlerr.UnknownSystemVariable, "'nope'", "@@nope", ""},
		{"select *", sqlerr.NoTablesUsed, "", "*", ""},
		{"select z.* from t", sqlerr.BadTable, "Unknown table 'z'", "z.*", ""},
		{"select * from t join u using (c)", sqlerr.BadField, "'c' in 'from clause'", "c)", ""},
		{"select * from t join u join v using (a, b)", sqlerr.NonUniq, "", "a, b", ""},
		{"select * from bad", sqlerr.ViewInvalid, "View 'test.bad'", "bad", "nothing"},
		{"select * from loop1", sqlerr.ViewRecursive, "view recursion", "loop1", ""},
		{"select nofunction(1)", sqlerr.SPDoesNotExist, "", "nofunction", ""},
		{"select ?, ?, ?", sqlerr.WrongArguments, "", "?", "number 3"},
		{"select a from t limit ?", 0, "", "", ""},
		{"values row(1, 2), row(3)", sqlerr.WrongValueCountOnRow, "row 2", "-", ""},
		{"select cast(1 as decimal(5, 31))", sqlerr.TooBigScale, "", "cast", ""},
		{"select " + strings.Repeat("1+", 20000) + "1", sqlerr.StackOverrun, "", "-", ""},
	} {
		_, err := bind(c.sql, &session{params: []catalog.Datum{catalog.Int(5), catalog.Int(6)}})
		if c.code == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		if !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%.80s: got %v, want %d %s", c.sql, err, c.code, c.msg)
			continue
		}
		e := sqlerr.From(err)
		if c.at == "-" && e.Pos >= 0 || c.at != "-" && (e.Pos < 0 || !strings.HasPrefix(c.sql[e.Pos:], c.at)) {
			t.Errorf("%s: error at %d, want it at %q", c.sql, e.Pos, c.at)
		}
		if !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: hint %q", c.sql, e.Hint)
		}
	}
}
