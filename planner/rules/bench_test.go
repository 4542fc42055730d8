package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gsql/planner/logical"
	"gsql/planner/plantest"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// chain joins k tables of three columns in FROM, with k-1 equalities and a constant in WHERE, like
// sqllogictest's select5.
func chain(tb testing.TB, k int) logical.Node {
	var def, from, where strings.Builder
	for i := range k {
		fmt.Fprintf(&def, "table t%d rows=10\n  a%d int primary\n  b%d int\n  x%d varchar(40)\n", i, i, i, i)
		fmt.Fprintf(&from, "%st%d", strings.Repeat(", ", min(i, 1)), i)
		if i > 0 {
			fmt.Fprintf(&where, " and a%d = b%d", i, (i*7)%i)
		}
	}
	return bindSQL(tb, plantest.MustDefine(def.String()), "select x0, x1 from "+from.String()+" where a0 = 5"+where.String())
}

func bench(b *testing.B, n logical.Node) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Rewrite(n, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJoin64(b *testing.B) { bench(b, chain(b, 64)) }

func BenchmarkShortQuery(b *testing.B) {
	bench(b, bindSQL(b, plantest.MustDefine(tables), "select a, b + 1 from t where a = 3 and b > 2 order by b"))
}

func BenchmarkShortJoin(b *testing.B) {
	bench(b, bindSQL(b, plantest.MustDefine(tables), "select t.a, count(*) from t, u where t.a = u.a and u.x > 3 group by t.a order by 2 desc limit 3"))
}

func BenchmarkCorrelated(b *testing.B) {
	bench(b, bindSQL(b, plantest.MustDefine(tables), "select a, (select count(*) from u where u.a = t.a) from t where exists (select * from v where v.b = t.b)"))
}

// manyTerms makes a filter of k terms joined by fn, as nested pairs or flat.
func manyTerms(fn expr.FuncID, k int, nested bool) logical.Node {
	g := newGenerator(1)
	s := g.scan().(*logical.Scan)
	term := func(i int) expr.Expr {
		op := []expr.FuncID{"=", "<"}[i%2]
		return cond.Call(op, s.Columns[i%3].Ref(), &expr.Const{Value: catalog.Int(int64(i))})
	}
	if !nested {
		terms := make([]expr.Expr, k)
		for i := range terms {
			terms[i] = term(i)
		}
		return &logical.Filter{In: s, Preds: []expr.Expr{cond.Call(fn, terms...)}}
	}
	e := term(0)
	for i := 1; i < k; i++ {
		e = cond.Call(fn, e, term(i))
	}
	return &logical.Filter{In: s, Preds: []expr.Expr{e}}
}

// TestManyTerms rewrites chains of 20,000 terms, flat and nested, within a time that a quadratic
// rule would far exceed.
func TestManyTerms(t *testing.T) {
	for _, fn := range []expr.FuncID{"and", "or"} {
		for _, nested := range []bool{false, true} {
			start := time.Now()
			if _, _, err := Rewrite(manyTerms(fn, 20000, nested), Options{Eval: evalConst}); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s, nested %v: %v", fn, nested, took)
			} else {
				t.Logf("%s, nested %v: %v", fn, nested, took)
			}
		}
	}
}
