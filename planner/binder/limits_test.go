package binder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/logical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// TestLongStatements binds statements of about a megabyte, each of which must be quick.
func TestLongStatements(t *testing.T) {
	for name, sql := range map[string]string{
		"and":  "select a from t where a = 1" + strings.Repeat(" and b <> 2", 20_000),
		"or":   "select a from t where a = 1" + strings.Repeat(" or (b <> 2)", 20_000),
		"in":   "select a from t where a in (1" + strings.Repeat(", 1234567", 100_000) + ")",
		"sum":  "select a" + strings.Repeat(" + b", 5_000) + " from t",
		"list": "select a" + strings.Repeat(", b + 1", 20_000) + " from t",
	} {
		start := time.Now()
		q, err := bind(sql, &session{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f, ok := q.Node.Inputs()[0].(*logical.Filter); ok && name == "and" && len(f.Preds) != 20_001 {
			t.Errorf("%d conjuncts", len(f.Preds))
		}
		if d := time.Since(start); d > 60*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
}

func TestNesting(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat("select (", n) + "select 1" + strings.Repeat(")", n)
	}
	if _, err := bind(deep(40), &session{}); err != nil {
		t.Error(err)
	}
	if _, err := bind(deep(500), &session{}); !errors.Is(err, sqlerr.StackOverrun) {
		t.Errorf("500 nested queries: %v", err)
	}
	if _, err := bind("select "+strings.Repeat("(", 2000)+"1"+strings.Repeat(")", 2000), &session{}); err != nil {
		t.Error(err)
	}
	// Every expression refers twice to the previous one: 2^20 tables.
	sql := "with c0 as (select a from t)"
	for i := 1; i <= 20; i++ {
		sql += fmt.Sprintf(", c%d as (select x.a from c%d x join c%d y on x.a = y.a)", i, i-1, i-1)
	}
	if _, err := bind(sql+" select * from c20", &session{}); !errors.Is(err, sqlerr.TooManyTables) {
		t.Errorf("doubling CTEs: %v", err)
	}
}

func FuzzBind(f *testing.F) {
	for _, sql := range []string{
		"select a, count(*) from t group by 1 having count(*) > 1 order by 2 limit 3",
		"select * from t natural join u where a in (select x from v where v.b = t.b)",
		"select a from t union select x from u intersect select ? order by 1",
		"with c(q) as (select a from t) select q from c c1 left join c c2 using (q)",
		"insert into t (a, d) select a, y from u", "update t set a = b + 1, b = a", "delete from t where (a, b) < (1, 2)",
		"create table n (a int primary key, b decimal(5,2) default 1)", "select /*+ HASH_JOIN(t) */ distinct sum(b) from t, u",
		"select group_concat(distinct c order by 1), date '2020-01-01' + interval 1 day, cast(b as char(3)) from t",
	} {
		f.Add(sql)
	}
	cat := plantest.MustDefine(tables)
	f.Fuzz(func(t *testing.T, sql string) {
		stmts, err := parse.Parse(sql, 0)
		if err != nil {
			return
		}
		b := binder.New(cat, &session{params: []catalog.Datum{catalog.Int(1)}})
		for i := range stmts {
			node, err := bindAny(b, &stmts[i])
			if err != nil {
				if e := sqlerr.From(err); e.Pos > len(stmts[i].Text) || e.Code == sqlerr.InternalError {
					t.Errorf("%s: %v at %d", sql, e, e.Pos)
				}
				continue
			}
			if node == nil {
				continue
			}
			if err := check(node); err != nil {
				t.Errorf("%s: %v\n%s", sql, err, logical.Format(node))
			}
		}
	})
}

// bindAny binds any statement that the binder supports; node is nil for statements without a
// plan.
func bindAny(b *binder.Binder, s *parse.Statement) (logical.Node, error) {
	ctx := context.Background()
	switch n := s.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		q, err := b.Query(ctx, s, n)
		if err != nil {
			return nil, err
		}
		return q.Node, nil
	case *ast.InsertStmt:
		x, err := b.Insert(ctx, s, n)
		if err != nil {
			return nil, err
		}
		return x.Node, nil
	case *ast.UpdateStmt:
		x, err := b.Update(ctx, s, n)
		if err != nil {
			return nil, err
		}
		return x.Node, nil
	case *ast.DeleteStmt:
		x, err := b.Delete(ctx, s, n)
		if err != nil {
			return nil, err
		}
		return x.Node, nil
	case *ast.CreateTableStmt:
		_, err := b.CreateTable(ctx, s, n)
		return nil, err
	}
	return nil, nil
}

func BenchmarkParseBind(b *testing.B) {
	s := &session{}
	bind := binder.New(plantest.MustDefine(tables), s)
	b.ReportAllocs()
	for b.Loop() {
		stmts, err := parse.Parse("SELECT a, b + 1 AS e FROM t WHERE a > 10 AND b IN (1, 2, 3) ORDER BY e", 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bind.Query(context.Background(), &stmts[0], stmts[0].Node); err != nil {
			b.Fatal(err)
		}
	}
}
