package rules

import (
	stdcontext "context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// memTable is a table of BIGINT columns.
type memTable struct {
	name   string
	schema *catalog.Schema
	rows   [][]val
}

func (t *memTable) Name() string            { return t.name }
func (t *memTable) Schema() *catalog.Schema { return t.schema }
func (t *memTable) Stats() *catalog.Stats   { return &catalog.Stats{Rows: int64(len(t.rows))} }
func (t *memTable) Version() uint64         { return 1 }
func (t *memTable) Scan(stdcontext.Context, catalog.ScanSpec) (catalog.Source, error) {
	return nil, fmt.Errorf("not scanned")
}

// generator generates random plans like the binder's: one Project per query block, subqueries
// inside expressions.
type generator struct {
	*rand.Rand
	next     expr.ColID
	tables   []*memTable
	many     bool // scalar subqueries may return several rows
	laterals bool // joins may have a right input that refers to the left one
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), next: 0}
	for i := range 3 {
		t := &memTable{name: fmt.Sprintf("t%d", i), schema: &catalog.Schema{
			Columns: []catalog.Column{
				{Name: "k", Type: cond.Type, NotNull: true}, {Name: "a", Type: cond.Type}, {Name: "b", Type: cond.Type, NotNull: i == 1},
			},
			Indexes: []catalog.Index{{Name: "PRIMARY", Columns: []int{0}, Unique: true, Primary: true}},
		}}
		for k := range g.IntN(5) {
			row := []val{{v: int64(k)}, g.value(), g.value()}
			if i == 1 {
				row[2] = val{v: int64(g.IntN(3))}
			}
			t.rows = append(t.rows, row)
		}
		g.tables = append(g.tables, t)
	}
	return g
}

func (g *generator) value() val {
	if g.IntN(4) == 0 {
		return null
	}
	return val{v: int64(g.IntN(3))}
}

func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) id() expr.ColID { g.next++; return g.next }

func (g *generator) col(name string) logical.Column {
	return logical.Column{ID: g.id(), Name: fmt.Sprintf("%s%d", name, g.next), T: cond.Type}
}

func (g *generator) scan() logical.Node {
	t := g.tables[g.IntN(len(g.tables))]
	s := &logical.Scan{Table: t, Alias: t.name}
	for i, c := range t.schema.Columns {
		col := g.col(c.Name)
		col.NotNull = c.NotNull
		s.Columns, s.Ordinals = append(s.Columns, col), append(s.Ordinals, i)
	}
	return s
}

// scope holds the columns that expressions may refer to.
type scope struct{ cols, outer []logical.Column }

func (g *generator) from(s scope, depth int) logical.Node {
	var n logical.Node
	switch {
	case depth > 0 && g.one(5):
		n = g.query(scope{outer: s.outer}, depth-1, 1+g.IntN(2))
	case g.one(12):
		return &logical.Values{Rows: [][]expr.Expr{nil}}
	default:
		n = g.scan()
	}
	for g.one(3) && depth > 0 {
		r := g.from(s, depth-1)
		lateral := g.laterals && g.one(2)
		if lateral {
			r = g.query(scope{outer: slices.Concat(s.outer, n.Schema())}, depth-1, 1+g.IntN(2))
		}
		j := &logical.Join{Kind: logical.Inner, L: n, R: r, Correlated: lateral}
		if g.one(2) {
			j.Kind = logical.Left
		} else if !lateral && g.one(2) {
			j.Kind = logical.Full
		}
		for range g.IntN(3) {
			j.On = append(j.On, g.pred(scope{cols: slices.Concat(n.Schema(), r.Schema()), outer: s.outer}, depth-1))
		}
		if lc, rc := n.Schema(), r.Schema(); j.Kind == logical.Full && len(lc) > 0 && len(rc) > 0 && g.one(2) { // the form that USING produces
			a, b := lc[g.IntN(len(lc))].Ref(), rc[g.IntN(len(rc))].Ref()
			j.On = append(j.On, g.call("=", a, b))
			n = &logical.Filter{In: j, Preds: []expr.Expr{g.call([]expr.FuncID{"=", "<>", "<=>"}[g.IntN(3)], g.call("coalesce", a, b), g.literal())}}
			continue
		}
		n = j
	}
	return n
}

// query returns a query with the given number of columns over s.outer.
func (g *generator) query(s scope, depth, columns int) logical.Node {
	if depth > 0 && g.one(8) {
		op := &logical.SetOp{Kind: logical.SetKind(g.IntN(3)), All: g.one(2), L: g.query(s, depth-1, columns), R: g.query(s, depth-1, columns)}
		for range columns {
			op.Columns = append(op.Columns, g.col("u"))
		}
		return op
	}
	n := g.from(s, depth)
	at := scope{cols: n.Schema(), outer: s.outer}
	if g.one(2) || len(s.outer) > 0 {
		f := &logical.Filter{In: n}
		for range 1 + g.IntN(2) {
			f.Preds = append(f.Preds, g.pred(at, depth))
		}
		n = f
	}
	if g.one(3) {
		n = g.aggregate(n, at, depth)
		at.cols = n.Schema()
		if g.one(3) {
			n = &logical.Filter{In: n, Preds: []expr.Expr{g.pred(at, depth-1)}}
		}
	}
	p := &logical.Project{In: n}
	for range columns {
		p.Items = append(p.Items, logical.Item{Col: g.col("p"), Expr: g.expr(at, depth)})
	}
	n = p
	if g.one(6) {
		n = &logical.Aggregate{In: n, Keys: n.Schema()}
	}
	if g.one(8) {
		n = g.limited(n)
	}
	return n
}

// limited orders by all columns, so that the rows kept by LIMIT are determined.
func (g *generator) limited(n logical.Node) logical.Node {
	s := &logical.Sort{In: n}
	for _, c := range n.Schema() {
		s.Keys = append(s.Keys, expr.SortKey{Expr: c.Ref(), Desc: g.one(2)})
	}
	if g.one(3) {
		return s
	}
	return &logical.Limit{In: s, Count: int64(g.IntN(3)), Offset: int64(g.IntN(2))}
}

func (g *generator) aggregate(n logical.Node, s scope, depth int) logical.Node {
	a := &logical.Aggregate{In: n}
	if !g.one(2) && len(s.cols) > 0 {
		a.Keys = append(a.Keys, s.cols[g.IntN(len(s.cols))])
	}
	for range 1 + g.IntN(2) {
		fn := []expr.AggFn{expr.CountStar, expr.Count, expr.Sum, expr.Min, expr.Max}[g.IntN(5)]
		agg := &expr.Agg{Fn: fn, T: cond.Type, Distinct: fn == expr.Count && g.one(2)}
		if fn != expr.CountStar {
			agg.Args = []expr.Expr{g.expr(s, depth-1)}
		}
		a.Aggs = append(a.Aggs, logical.AggItem{Col: g.col("agg"), Agg: agg})
	}
	return a
}

func (g *generator) call(fn expr.FuncID, args ...expr.Expr) expr.Expr { return cond.Call(fn, args...) }

func (g *generator) literal() expr.Expr {
	if g.one(8) {
		return cond.Null
	}
	return &expr.Const{Value: catalog.Datum{Type: types.T(types.Int64), I64: int64(g.IntN(3))}}
}

// expr returns a random value.
func (g *generator) expr(s scope, depth int) expr.Expr {
	switch k := g.IntN(17); {
	case k == 16 && depth > 0:
		return g.pred(s, depth-1)
	case k < 3 && len(s.outer) > 0:
		return s.outer[g.IntN(len(s.outer))].Ref()
	case k < 10 && len(s.cols) > 0:
		return s.cols[g.IntN(len(s.cols))].Ref()
	case k == 10 && depth > 0:
		return g.call("+", g.expr(s, depth-1), g.expr(s, depth-1))
	case k == 11 && depth > 0:
		return g.call("coalesce", g.expr(s, depth-1), g.expr(s, depth-1))
	case k == 12 && depth > 0:
		return g.call("case", g.pred(s, depth-1), g.expr(s, depth-1), g.expr(s, depth-1))
	case k <= 14 && depth > 0:
		return g.scalar(s, depth)
	}
	return g.literal()
}

// scalar returns a scalar subquery, usually one that returns a single row.
func (g *generator) scalar(s scope, depth int) expr.Expr {
	sub := &expr.Subquery{Kind: expr.Scalar, T: cond.Type, Pos: -1}
	in := scope{outer: slices.Concat(s.outer, s.cols)}
	if g.many && g.one(3) {
		sub.Plan = g.query(in, depth-1, 1)
		return sub
	}
	if g.one(4) {
		sub.Plan = logical.Node(&logical.Limit{In: g.query(in, depth-1, 1), Count: 1})
		q := sub.Plan.(*logical.Limit)
		q.In = &logical.Sort{In: q.In, Keys: []expr.SortKey{{Expr: q.In.Schema()[0].Ref()}}}
		return sub
	}
	n := g.from(in, depth-1)
	at := scope{cols: n.Schema(), outer: in.outer}
	for range g.IntN(3) {
		n = &logical.Filter{In: n, Preds: []expr.Expr{g.pred(at, depth-1)}}
	}
	a := g.aggregate(n, at, depth-1).(*logical.Aggregate)
	a.Keys = nil
	n = a
	at.cols = a.Schema()
	if g.one(4) {
		n = &logical.Filter{In: n, Preds: []expr.Expr{g.pred(at, depth-2)}}
	}
	sub.Plan = logical.Node(&logical.Project{In: n, Items: []logical.Item{{Col: g.col("s"), Expr: g.expr(at, depth-2)}}})
	return sub
}

// pred returns a random condition.
func (g *generator) pred(s scope, depth int) expr.Expr {
	ops := []expr.FuncID{"=", "=", "=", "<>", "<", "<=", ">", ">=", "<=>"}
	switch k := g.IntN(20); {
	case k < 9:
		return g.call(ops[g.IntN(len(ops))], g.expr(s, depth-1), g.expr(s, depth-1))
	case k == 9:
		return g.call("isnull", g.expr(s, depth-1))
	case k == 10:
		return g.call("in", g.expr(s, depth-1), g.literal(), g.literal())
	case k == 11 && depth > 0:
		return g.call("and", g.pred(s, depth-1), g.pred(s, depth-1))
	case k == 12 && depth > 0:
		return g.call("or", g.pred(s, depth-1), g.pred(s, depth-1))
	case k == 13 && depth > 0:
		return g.call("not", g.pred(s, depth-1))
	case depth > 0:
		return g.subqueryPred(s, depth)
	}
	return g.expr(s, 0)
}

func (g *generator) subqueryPred(s scope, depth int) expr.Expr {
	sub := &expr.Subquery{Kind: expr.Exists + expr.SubqueryKind(g.IntN(4)), T: cond.Type, Pos: -1}
	columns := 1
	if sub.Kind == expr.In && g.one(3) {
		columns = 2
	}
	sub.Neg = (sub.Kind == expr.Exists || sub.Kind == expr.In) && g.one(2)
	if sub.Kind != expr.Exists {
		sub.Op = []expr.FuncID{"=", "<>", "<", "<=", ">", ">="}[g.IntN(6)]
		for range columns {
			sub.Left = append(sub.Left, g.expr(s, depth-1))
		}
	}
	sub.Plan = g.query(scope{outer: slices.Concat(s.outer, s.cols)}, depth-1, columns)
	if g.one(10) { // one plan in two places, as BETWEEN produces it
		return g.call("or", g.call("isnull", sub), sub)
	}
	return sub
}

// disabled returns a fifth of the rules for every second plan, and none otherwise.
func (g *generator) disabled() map[string]bool {
	off := map[string]bool{}
	if g.one(2) {
		for _, rule := range Names() {
			off[rule] = g.one(5)
		}
	}
	return off
}
