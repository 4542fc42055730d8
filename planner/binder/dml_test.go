package binder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/planner/plantest"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

const dmlTables = `
table t
  id bigint primary auto_increment
  a int not null
  b decimal(5,1) default=1.5
  c varchar(10)
table u
  x bigint
  y varchar(5)
view v = SELECT a FROM t
`

// change binds a statement that changes tables and returns the text of its plan.
func change(sql, mode string) (string, error) {
	stmts, err := parse.Parse(sql, 0)
	if err != nil {
		return "", err
	}
	b := binder.New(plantest.MustDefine(dmlTables), &session{mode: mode})
	ctx := context.Background()
	var node logical.Node
	head := ""
	switch n := stmts[0].Node.(type) {
	case *ast.InsertStmt:
		x, err := b.Insert(ctx, &stmts[0], n)
		if err != nil {
			return "", err
		}
		node, head = x.Node, fmt.Sprintf("insert %s replace=%t ignore=%t", x.Name, x.Replace, x.Ignore)
		for i, c := range x.Table.Schema().Columns {
			if got := node.Schema()[i].T; got != c.Type {
				return "", fmt.Errorf("column %s is %v, want %v", c.Name, got, c.Type)
			}
		}
	case *ast.UpdateStmt:
		x, err := b.Update(ctx, &stmts[0], n)
		if err != nil {
			return "", err
		}
		node, head = x.Node, "update"
		for _, t := range x.Tables {
			head += fmt.Sprintf(" %s columns %v", t.Name, t.Ordinals)
		}
	case *ast.DeleteStmt:
		x, err := b.Delete(ctx, &stmts[0], n)
		if err != nil {
			return "", err
		}
		node, head = x.Node, "delete"
		for _, t := range x.Tables {
			head += " " + t.Name
		}
	}
	if err := check(node); err != nil {
		return "", err
	}
	return head + "\n" + logical.Format(node), nil
}

func TestChanges(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"insert into t (a, c) values (1, 'x'), (default, null)", "Field 'a' doesn't have a default value"},
		{"insert into t (a, c) values (1, 'x'), (2, null)", `
insert t replace=false ignore=false
Values (NULL, 1, CAST('1.5' AS DECIMAL(5,1)), 'x'), (NULL, 2, CAST('1.5' AS DECIMAL(5,1)), NULL)`},
		{"replace into t set a = 3, b = default, c = default(b)", `
insert t replace=true ignore=false
Values (NULL, 3, CAST('1.5' AS DECIMAL(5,1)), CAST(CAST('1.5' AS DECIMAL(5,1)) AS VARCHAR(10)))`},
		{"insert into u values ((select max(a) from t), 'k'), (7, 'l')", `
insert u replace=false ignore=false
Union all (x#3, y#3)
  Project x = CAST(scalar(subquery) AS BIGINT), y = 'k'
    [scalar(subquery)]
      Project MAX(t.a)
        Aggregate: MAX(t.a)
          Scan t (t.id, t.a, t.b, t.c)
    Values ()
  Values (7, 'l')`},
		{"insert into u () values ()", "insert u replace=false ignore=false\nValues (NULL, NULL)"},
		{"insert ignore into u (y) select c from t where a > 1", `
insert u replace=false ignore=true
Project x = NULL, y = CAST(t.c AS VARCHAR(5))
  Project t.c
    Filter t.a > 1
      Scan t (t.id, t.a, t.b, t.c)`},
		{"update t set a = 3, a = 4, a = 5 where id = 1", `
update t columns [1]
Project t._rowid, a = 5
  Filter t.id = 1
    Scan t (t._rowid, t.id, t.a, t.b, t.c)`},
		// Later assignments see earlier ones, as in SET col1 = col1 + 1, col2 = col1 in MySQL's
		// manual.
		{"update t set a = a + 1, id = a order by b desc limit 2", `
update t columns [1 0]
Project t._rowid, a, id = CAST(a AS BIGINT)
  Project t._rowid, t.id, t.a, t.b, t.c, a = CAST(t.a + 1 AS INT)
    Limit count=2 offset=0
      Sort t.b DESC
        Scan t (t._rowid, t.id, t.a, t.b, t.c)`},
		{"update t as z set z.b = default where exists (select 1 from u where u.x = z.id)", `
update t columns [2]
Project z._rowid, b = CAST('1.5' AS DECIMAL(5,1))
  Filter exists(subquery)
    [exists(subquery)]
      Project 1
        Filter u.x = z.id
          Scan u (u.x, u.y)
    Scan t AS z (z._rowid, z.id, z.a, z.b, z.c)`},
		{"delete from t where a in (select x from u) order by id limit 1", `
delete t
Project t._rowid
  Limit count=1 offset=0
    Sort t.id
      Filter in(subquery)
        [in(subquery)]
          Project u.x
            Scan u (u.x, u.y)
        Scan t (t._rowid, t.id, t.a, t.b, t.c)`},
	} {
		got, err := change(c.sql, "STRICT_ALL_TABLES")
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		got, want := strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(c.want), " ")
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.sql, got, want)
		}
	}
}

func TestChangeErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code sqlerr.Code
	}{
		{"insert into t (b) values (1)", sqlerr.NoDefaultForField},
		{"insert into t (a, q) values (1, 2)", sqlerr.BadField},
		{"insert into t (a, A) values (1, 2)", sqlerr.FieldSpecifiedTwice},
		{"insert into t (a, b) values (1, 2), (1)", sqlerr.WrongValueCountOnRow},
		{"insert into u select x from u", sqlerr.WrongValueCountOnRow},
		{"insert into v values (1)", sqlerr.NonUpdatableTable},
		{"insert into w values (1)", sqlerr.NoSuchTable},
		{"insert into u values (nosuch, 2)", sqlerr.BadField},
		{"insert into u values (1, 'a') on duplicate key update z = 1", sqlerr.BadField},
		{"insert into u values (1, 'a') on duplicate key update x = values(z)", sqlerr.BadField},
		{"insert into u values (1, 'a') as u on duplicate key update x = 1", sqlerr.NonUniqTable},
		{"insert into u values (1, 'a') as n on duplicate key update x = x + 1", sqlerr.NonUniq},
		{"insert into u values (1, 'a') as n(p) on duplicate key update x = p", sqlerr.CTEColumnCount},
		{"insert into u values (1, 'a') as n(p, p) on duplicate key update x = p", sqlerr.DupFieldName},
		{"insert into u select x, y from u group by x, y on duplicate key update x = u.y + zz", sqlerr.BadField},
		{"update v set a = 1", sqlerr.NonUpdatableTable},
		{"update t set q = 1", sqlerr.BadField},
		{"update t set a = sum(b)", sqlerr.InvalidGroupFuncUse},
		{"update t set a = 1 where q = 1", sqlerr.BadField},
		{"update t, u set a = z", sqlerr.BadField},
		{"update t, t as s set a = 1", sqlerr.NonUniq},
		{"update t, t as s set t.a = 1, s.a = 2", sqlerr.NotSupportedYet},
		{"update t, v set v.a = 1", sqlerr.NonUpdatableTable},
		{"update t, (select 1 as q) d set q = 1", sqlerr.NonUpdatableTable},
		{"with d as (select 1 as q) update d set q = 1", sqlerr.NonUpdatableTable},
		{"update t join u set a = x order by a", sqlerr.WrongUsage},
		{"update t join u set a = x limit 1", sqlerr.WrongUsage},
		{"delete from v", sqlerr.NonUpdatableTable},
		{"delete w from t join u", sqlerr.UnknownTable},
		{"delete t from t as x join u", sqlerr.UnknownTable},
		{"delete t, t from t join u", sqlerr.NonUniqTable},
		{"delete d from t join (select 1 as q) d", sqlerr.NonUpdatableTable},
		{"delete t from t join u order by a", sqlerr.ParseError},
		{"delete from t order by q", sqlerr.BadField},
	} {
		if _, err := change(c.sql, "STRICT_ALL_TABLES"); !errors.Is(err, c.code) {
			t.Errorf("%s: got %v, want %d", c.sql, err, c.code)
		}
	}
	if got, err := change("insert into t (b) values (1)", ""); err != nil || !strings.Contains(got, "(NULL, 0, ") {
		t.Errorf("without strict mode the column is 0: %s, %v", got, err)
	}
}

func TestOnlyFullGroupBy(t *testing.T) {
	for sql, code := range map[string]sqlerr.Code{
		"select b, c from t group by b":                                   sqlerr.WrongFieldWithGroup,
		"select b from t group by b having c > 1":                         sqlerr.WrongFieldWithGroup,
		"select b from t group by b order by c":                           sqlerr.WrongFieldWithGroup,
		"select b, count(*) from t":                                       sqlerr.MixOfGroupFuncAndFields,
		"select distinct b from t order by c":                             sqlerr.OrderNotInSelect,
		"select a, b, c from t group by a":                                0, // a is the primary key
		"select b + 1, any_value(c) from t group by b":                    0,
		"select b + 1, max(c) from t group by b + 1":                      0,
		"select (select max(x) from u where u.a = t.b) from t group by b": 0,
	} {
		_, err := bind(sql, &session{mode: "ANSI,ONLY_FULL_GROUP_BY"})
		if code == 0 && err != nil || code != 0 && !errors.Is(err, code) {
			t.Errorf("%s: got %v, want %d", sql, err, code)
		}
	}
}
