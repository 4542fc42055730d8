package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/expr"
)

// find returns the first node of a kind in pre-order, or nil.
func find(p *physical.Node, kind string) *physical.Node {
	if p.Op.Kind() == kind {
		return p
	}
	for _, in := range p.In {
		if n := find(in, kind); n != nil {
			return n
		}
	}
	return nil
}

// TestPrune checks the bounds by which scans may skip segments.
func TestPrune(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct{ where, want string }{
		{"v = 7", "2:[7 7]"},
		{"v > 7 AND v <= 90", "2:[7 90]"},
		{"7 < v", "2:[7 -]"},
		{"v BETWEEN 3 AND 5 AND v BETWEEN 4 AND 9", "2:[4 5]"},
		{"v IN (9, 3, 6)", "2:[3 9]"},
		{"s >= 'k' AND d < 10", "3:[k -] 1:[- 10]"},
		{"v <> 7", ""},
		{"v + 1 = 7", ""},
		{"v = d", ""},
		{"v < 10 OR v > 20", ""},
		{"v = 1.5", ""},
		{"s = 5", ""},
	} {
		p, _ := optimize(t, cat, "SELECT id FROM fact WHERE "+tt.where, planner.Options{})
		scan := find(p, "scan")
		if scan == nil { // proven empty
			if tt.want != "" {
				t.Errorf("%s: no scan", tt.where)
			}
			continue
		}
		got := map[string]bool{}
		for _, r := range scan.Op.(*physical.Scan).Prune {
			lo, hi := "-", "-"
			if r.Lo != nil {
				lo = r.Lo.Text()
			}
			if r.Hi != nil {
				hi = r.Hi.Text()
			}
			got[fmt.Sprintf("%d:[%s %s]", r.Column, lo, hi)] = true
		}
		want := strings.FieldsFunc(strings.ReplaceAll(tt.want, "] ", "]|"), func(r rune) bool { return r == '|' })
		if len(got) != len(want) {
			t.Errorf("%s: bounds %v, want %v", tt.where, got, want)
		}
		for _, w := range want {
			if !got[w] {
				t.Errorf("%s: bounds %v, want %v", tt.where, got, want)
			}
		}
	}
}

func names(p *physical.Node) string {
	var out []string
	for _, c := range p.Cols {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

// TestColumns checks that joins return only columns used above them, and scans read only columns
// used at all.
func TestColumns(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT s FROM fact JOIN dim ON fact.d = dim.id WHERE g = 3 ORDER BY v", planner.Options{})
	for kind, want := range map[string]string{"sort": "v s", "hash_join": "v s"} {
		if got := names(find(p, kind)); got != want {
			t.Errorf("%s gives %q, want %q\n%s", kind, got, want, show(p))
		}
	}
	p, _ = optimize(t, cat, "SELECT COUNT(*) FROM fact JOIN dim ON fact.d = dim.id", planner.Options{DisabledRules: byPairs})
	if got := names(find(p, "hash_join")); got != "" {
		t.Errorf("a counted join gives %q", got)
	}
	if got := names(find(p, "scan")); got != "d" && got != "id" {
		t.Errorf("the scan below it reads %q", got)
	}
}

// TestOutputOrder checks that the root returns its columns in the order of the query, whatever
// the join order.
func TestOutputOrder(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, sql := range []string{
		"SELECT * FROM tiny, dim",
		"SELECT * FROM fact JOIN dim ON fact.d = dim.id JOIN tiny ON tiny.id = dim.g WHERE dim.id = 3",
		"SELECT tiny.k, tiny.id FROM tiny ORDER BY tiny.id",
		"SELECT k, id FROM tiny UNION ALL SELECT id, g FROM dim",
		"SELECT k, id FROM tiny LIMIT 3",
	} {
		n, _ := bind(t, cat, sql)
		p, err := planner.Optimize(n, planner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := n.Schema()
		for i := range want {
			if len(p.Cols) != len(want) || p.Cols[i].ID != want[i].ID {
				t.Errorf("%s: columns %v, want %v", sql, p.Cols, want)
				break
			}
		}
		checkRefs(t, sql, p)
	}
}

// checkRefs checks that every expression refers only to columns of its operator's inputs.
func checkRefs(t *testing.T, sql string, n *physical.Node) {
	t.Helper()
	known := map[expr.ColID]bool{}
	if _, ok := n.Op.(*physical.Scan); ok {
		for _, c := range n.Cols {
			known[c.ID] = true
		}
	}
	for _, in := range n.In {
		for _, c := range in.Cols {
			known[c.ID] = true
		}
		checkRefs(t, sql, in)
	}
	var es []expr.Expr
	switch op := n.Op.(type) {
	case *physical.Scan:
		es = op.Preds
		if len(op.Ordinals) != len(n.Cols) {
			t.Errorf("%s: %d ordinals for %d columns", sql, len(op.Ordinals), len(n.Cols))
		}
	case *physical.Filter:
		es = op.Preds
	case *physical.Project:
		es = op.Exprs
	case *physical.Join:
		es = append(es, op.Residual...)
		for _, k := range op.Keys {
			es = append(es, k.L, k.R)
		}
		for _, r := range op.Ranges {
			es = append(es, r.L, r.R)
		}
	case *physical.Apply:
		es = append(append(es, op.On...), op.Bind...)
	case *physical.HashAgg:
		es = append(es, op.Keys...)
	case *physical.Sort:
		for _, k := range op.Keys {
			es = append(es, k.Expr)
		}
	}
	for _, e := range es {
		used := map[expr.ColID]bool{}
		expr.Cols(e, used)
		for id := range used {
			if !known[id] {
				t.Errorf("%s: %s of %s refers to a column its inputs lack", sql, e, n.Op.Kind())
			}
		}
	}
}

func TestTopN(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for sql, want := range map[string]string{
		"SELECT id FROM fact ORDER BY v LIMIT 10":                                        "10 0",
		"SELECT id + 1 FROM fact ORDER BY v LIMIT 10 OFFSET 5":                           "10 5",
		"SELECT id FROM fact ORDER BY v":                                                 "",
		"SELECT id FROM fact LIMIT 10":                                                   "",
		"SELECT d, COUNT(*) FROM fact GROUP BY d ORDER BY 2 LIMIT 9223372036854775807,3": "",
	} {
		p, _ := optimize(t, cat, sql, planner.Options{})
		got := ""
		if n := find(p, "top_n"); n != nil {
			got = fmt.Sprint(n.Op.(*physical.Sort).Limit, " ", n.Op.(*physical.Sort).Offset)
		}
		if got != want {
			t.Errorf("%s: top-N %q, want %q", sql, got, want)
		}
	}
}

// TestMarks checks that a mark with no other use becomes a semi or an anti join, and that only
// conditions that can be NULL make one null-aware.
func TestMarks(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct{ where, want string }{
		{"g IN (SELECT k FROM tiny)", "semi false"},
		{"g NOT IN (SELECT k FROM tiny)", "anti true"},
		{"id NOT IN (SELECT id FROM tiny)", "anti false"},
		{"g NOT IN (SELECT k FROM tiny) AND id > 5", "anti true"},
		{"g NOT IN (SELECT k FROM tiny) OR id > 5", "mark true"},
	} {
		p, _ := optimize(t, cat, "SELECT id FROM dim WHERE "+tt.where, planner.Options{})
		js := joins(p)
		if len(js) != 1 {
			t.Errorf("%s: %s", tt.where, show(p))
			continue
		}
		j := js[0].Op.(*physical.Join)
		name, _ := j.Describe()
		if got := fmt.Sprint(strings.Fields(name)[1], " ", j.NullAware); got != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.where, got, tt.want, show(p))
		}
		checkRefs(t, tt.where, p)
	}
}

// TestApply checks the parameters of correlated subqueries, including nested ones that refer to
// the outermost query.
func TestApply(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const sql = `SELECT id, (SELECT v FROM fact WHERE fact.d > dim.id AND fact.v > (
		SELECT k FROM tiny WHERE tiny.id > dim.g AND tiny.k < fact.id ORDER BY k LIMIT 1) ORDER BY fact.id LIMIT 1) FROM dim`
	p, _ := optimize(t, cat, sql, planner.Options{})
	outer := find(p, "apply")
	if outer == nil {
		t.Fatal(show(p))
	}
	inner := find(outer.In[1], "apply")
	if inner == nil {
		t.Fatal(show(p))
	}
	o, i := outer.Op.(*physical.Apply), inner.Op.(*physical.Apply)
	if got := fmt.Sprint(o.Bind); !strings.Contains(got, "dim.id") || !strings.Contains(got, "dim.g") || len(o.Bind) != 2 {
		t.Errorf("outer apply binds %s", got)
	}
	var handed *expr.Param
	for _, e := range i.Bind {
		if x, ok := e.(*expr.Param); ok {
			handed = x
		}
	}
	if len(i.Bind) != 2 || handed == nil || o.Bind[handed.Slot].String() != "dim.g" {
		t.Errorf("inner apply binds %v of %v", i.Bind, o.Bind)
	}
	scan := find(inner.In[1], "scan").Op.(*physical.Scan)
	for _, e := range scan.Preds {
		expr.Walk(e, func(e expr.Expr) bool {
			if x, ok := e.(*expr.Param); ok && i.Bind[x.Slot].String() != e.String() && "$"+i.Bind[x.Slot].String() != e.String() {
				t.Errorf("parameter %s has the slot of %s", x, i.Bind[x.Slot])
			}
			return true
		})
	}
	checkRefs(t, sql, p)
}

// TestNodeIDs checks that IDs are unique and count in pre-order.
func TestNodeIDs(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT COUNT(*) FROM fact JOIN dim ON fact.d = dim.id WHERE g IN (SELECT k FROM tiny)", planner.Options{})
	next := 0
	var visit func(n *physical.Node)
	visit = func(n *physical.Node) {
		if next++; n.ID != next {
			t.Errorf("%s has ID %d, want %d", n.Op.Kind(), n.ID, next)
		}
		for _, in := range n.In {
			visit(in)
		}
	}
	visit(p)
}
