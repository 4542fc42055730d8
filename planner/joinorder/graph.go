package joinorder

import (
	"math/bits"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// relset is a set of relations of a graph, one bit each.
type relset uint64

// maxRelations is the maximum number of relations in one graph; larger trees are split.
const maxRelations = 64

func (s relset) single() bool { return s&(s-1) == 0 }
func (s relset) first() int   { return bits.TrailingZeros64(uint64(s)) }
func (s relset) count() int   { return bits.OnesCount64(uint64(s)) }

// relation is a leaf of a join tree: any node except an inner join.
type relation struct {
	node  logical.Node
	props *cost.Props
	hint  *logical.JoinHint // of the join that has it as right input
	alias string
	reads reading
	// finder finds rows by a key of the relation's table; nil if there is none.
	finder  *finder
	largest float64 // rows of its largest table, if finders are used
}

// edge is a conjunct of the join conditions over two or more relations.
type edge struct {
	pred  expr.Expr
	rels  relset
	l, r  relset // of its operands if it compares two disjoint sets of relations
	kind  edgeKind
	share float64 // of the pairs that satisfy it
	class int     // equivalence class of column = column, or -1
	a, b  expr.ColID
	// For an equality of operands over one relation each: their distinct values there, and the
	// share of pairs that satisfy it, regardless of other conditions.
	lValues, rValues, alone float64
}

type edgeKind uint8

const (
	other      edgeKind = iota
	equality            // can be a hash key between l and r
	inequality          // can drive a range join between l and r
)

// graph is a maximal tree of inner joins, split into relations and edges.
type graph struct {
	rels  []relation
	edges []edge
	// top holds predicates without a relation: those over constants and outer columns only.
	top     []expr.Expr
	owner   owners
	classes int
}

// owners maps a column to the number of its relation, counted from 1.
type owners []uint8

func (o *owners) set(id expr.ColID, rel int) {
	if n := int(id) + 1 - len(*o); n > 0 {
		*o = append(*o, make(owners, n)...)
	}
	(*o)[id] = uint8(rel + 1)
}

// of returns the relation of a column as a set, which is empty for columns of outer queries.
func (o owners) of(id expr.ColID) relset {
	if uint(id) >= uint(len(o)) || o[id] == 0 {
		return 0
	}
	return 1 << (o[id] - 1)
}

// addPred adds a conjunct: as a filter if it is over one relation, as an edge if it is over
// several.
func (g *graph) addPred(e expr.Expr) {
	s := g.relations(e)
	switch {
	case s == 0:
		g.top = append(g.top, e)
	case s.single():
		r := &g.rels[s.first()]
		r.node = withFilter(r.node, e)
	default:
		g.edges = append(g.edges, newEdge(g, e, s))
	}
}

func withFilter(n logical.Node, e expr.Expr) logical.Node {
	if f, ok := n.(*logical.Filter); ok {
		return &logical.Filter{In: f.In, Preds: append(append([]expr.Expr(nil), f.Preds...), e)}
	}
	return &logical.Filter{In: n, Preds: []expr.Expr{e}}
}

func (g *graph) relations(e expr.Expr) relset {
	var s relset
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			s |= g.owner.of(c.ID)
		}
		return true
	})
	return s
}

func newEdge(g *graph, e expr.Expr, s relset) edge {
	out := edge{pred: e, rels: s, class: -1}
	call, ok := e.(*expr.Call)
	if !ok || len(call.Args) != 2 {
		return out
	}
	l, r := g.relations(call.Args[0]), g.relations(call.Args[1])
	if l == 0 || r == 0 || l&r != 0 {
		return out
	}
	switch call.Fn {
	case expr.FuncEQ, expr.FuncNullSafeEQ:
		out.kind = equality
	case expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
		out.kind = inequality
	default:
		return out
	}
	out.l, out.r = l, r
	a, aok := call.Args[0].(*expr.Col)
	b, bok := call.Args[1].(*expr.Col)
	if call.Fn == expr.FuncEQ && aok && bok {
		out.a, out.b, out.class = a.ID, b.ID, 0
	}
	return out
}

// estimate sets the shares of the edges once all relations have their filters. It merges several
// equalities between a pair of relations into one share: their columns together cannot have more
// values than there are rows.
func (g *graph) estimate(est *cost.Estimator, model *cost.Model, filters bool) {
	for i := range g.rels {
		r := &g.rels[i]
		r.props = est.Derive(r.node)
		if filters {
			r.reads = readingOf(r.node, r.props, est, model)
		}
	}
	done := make([]bool, len(g.edges))
	for i := range g.edges {
		e := &g.edges[i]
		if done[i] {
			continue
		}
		if e.rels.count() != 2 {
			e.share = g.wideShare(e)
			continue
		}
		l := g.rels[e.rels.first()].props
		r := g.rels[(e.rels & (e.rels - 1)).first()].props
		preds := []expr.Expr{e.pred}
		for j := i + 1; j < len(g.edges); j++ {
			if o := &g.edges[j]; o.rels == e.rels && (o.class < 0 || o.class != e.class) {
				preds, done[j], o.share = append(preds, o.pred), true, 1
			}
		}
		e.share = cost.JoinShare(preds, l, r)
	}
	if filters {
		g.countValues()
	}
}

// wideShare estimates the share of a predicate over three or more relations.
func (g *graph) wideShare(e *edge) float64 {
	props := make([]*cost.Props, 0, 4)
	for s := e.rels; s != 0; s &= s - 1 {
		props = append(props, g.rels[s.first()].props)
	}
	return cost.Selectivity(e.pred, cost.Product(props))
}

// findClasses numbers the equivalence classes of columns equated directly or transitively, by
// union-find.
func (g *graph) findClasses() {
	u := unionFind{}
	for i := range g.edges {
		if e := &g.edges[i]; e.class >= 0 {
			u.join(e.a, e.b)
		}
	}
	number := make([]int, len(u)) // class number from 1, by root
	for i := range g.edges {
		e := &g.edges[i]
		if e.class < 0 {
			continue
		}
		root := u.find(e.a)
		if number[root] == 0 {
			g.classes++
			number[root] = g.classes
		}
		e.class = number[root] - 1
	}
}

// unionFind is a disjoint-set forest of columns: it maps a column to its parent, or 0 for a root.
type unionFind []expr.ColID

func (u unionFind) find(c expr.ColID) expr.ColID {
	for int(c) < len(u) && u[c] != 0 {
		if up := u[u[c]]; up != 0 {
			u[c] = up
		}
		c = u[c]
	}
	return c
}

// join unites the sets of a and b and reports whether they were different.
func (u *unionFind) join(a, b expr.ColID) bool {
	if n := int(max(a, b)) + 1 - len(*u); n > 0 {
		*u = append(*u, make(unionFind, n)...)
	}
	x, y := u.find(a), u.find(b)
	if x != y {
		(*u)[x] = y
	}
	return x != y
}
