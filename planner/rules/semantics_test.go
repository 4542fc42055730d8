package rules

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// TestRewriteKeepsMeaning compares the rows of random plans before and after Rewrite. The plans
// have subqueries of all kinds, correlated over several levels, over tiny tables with NULLs, some
// of them empty.
func TestRewriteKeepsMeaning(t *testing.T) {
	plans := 20000
	if s := os.Getenv("GSQL_RULES_PLANS"); s != "" {
		plans, _ = strconv.Atoi(s)
	}
	first := uint64(1)
	if s := os.Getenv("GSQL_RULES_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
	}
	failures, compared, apply := 0, 0, 0
	for i := range plans + len(regressions) {
		seed := first + uint64(i)
		if i >= plans {
			seed = regressions[i-plans]
		}
		g := newGenerator(seed)
		g.many, g.laterals = seed%4 == 0, seed%8 == 7
		n := g.query(scope{}, 1+int(seed%4), 1+int(seed%2))
		want, err := interpret(n)
		if err != nil {
			continue
		}
		m, fired, err := Rewrite(n, Options{Eval: evalConst, Disabled: g.disabled()})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, show(n))
		}
		if err := validate(m, colset.Set{}); err != nil {
			t.Fatalf("seed %d: %v, rules %v\nbefore\n%s\nafter\n%s", seed, err, fired, show(n), show(m))
		}
		if isCorrelated(m) {
			apply++
		}
		got, err := interpret(m)
		if errors.Is(err, errRows) && g.many || errors.Is(err, errLong) {
			continue
		}
		compared++
		if err == nil && rowSet(got) == rowSet(want) {
			continue
		}
		t.Errorf("seed %d: %v, rules %v\nbefore\n%s\nafter\n%s\nwant\n%s\ngot\n%s", seed, err, fired, show(n), show(m), rowSet(want), rowSet(got))
		if failures++; failures >= 1 {
			return
		}
	}
	t.Logf("%d plans compared, %d with a correlated join left", compared, apply)
	if compared < plans*3/4 {
		t.Errorf("only %d of %d plans were compared", compared, plans)
	}
}

// regressions are seeds of plans that were once rewritten wrongly: a literal row was substituted
// past a subquery's plan, and a set operation produced a column twice.
var regressions = []uint64{48443, 113475}

func isCorrelated(n logical.Node) bool {
	j, ok := n.(*logical.Join)
	found := ok && j.Correlated
	eachInput(n, func(in logical.Node) { found = found || isCorrelated(in) })
	return found
}

// validate checks that every column that n's subtree refers to is produced by an input, or by the
// left side of a join marked as correlated; that no id is produced twice; and that no subquery
// remains.
func validate(n logical.Node, outer colset.Set) error {
	c := newContext(Options{}, 1)
	made := map[expr.ColID]string{}
	var walk func(n logical.Node, outer colset.Set) error
	walk = func(n logical.Node, outer colset.Set) error {
		avail := outer.Clone()
		var err error
		eachInput(n, func(in logical.Node) { avail.AddAll(c.out(in)) })
		if s, ok := n.(*logical.Scan); ok {
			avail.AddAll(c.out(s))
		}
		logical.EachExpr(n, func(e expr.Expr) {
			if cond.HasSubquery(e) {
				err = fmt.Errorf("subquery left in %s", e)
			} else if missing := c.refsOf(e).Minus(avail); !missing.Empty() {
				err = fmt.Errorf("%T: columns %v of %s are not in its inputs", n, missing, e)
			}
		})
		produce := func(col logical.Column) {
			if by, dup := made[col.ID]; dup {
				err = fmt.Errorf("column %s#%d produced by %s and %T", col.Name, col.ID, by, n)
			}
			made[col.ID] = fmt.Sprintf("%T", n)
		}
		switch x := n.(type) {
		case *logical.Scan, *logical.Values, *logical.SetOp:
			for _, col := range n.Schema() {
				produce(col)
			}
		case *logical.Project:
			for i := range x.Items {
				if !isPass(&x.Items[i]) {
					produce(x.Items[i].Col)
				}
			}
		case *logical.Window:
			for _, f := range x.Funcs {
				produce(f.Col)
			}
		case *logical.Aggregate:
			for _, k := range x.Keys {
				if !c.out(x.In).Has(k.ID) {
					err = fmt.Errorf("grouping key %s#%d is not in the input", k.Name, k.ID)
				}
			}
			for _, a := range x.Aggs {
				produce(a.Col)
			}
		case *logical.Join:
			if x.Kind == logical.Mark {
				produce(x.MarkCol)
			}
			if err == nil {
				err = walk(x.L, outer)
			}
			if x.Correlated {
				outer = outer.Union(c.out(x.L))
			}
			if err == nil {
				err = walk(x.R, outer)
			}
			return err
		}
		eachInput(n, func(in logical.Node) {
			if err == nil {
				err = walk(in, outer)
			}
		})
		return err
	}
	return walk(n, outer)
}
