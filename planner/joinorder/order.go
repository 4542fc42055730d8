// Package joinorder chooses the order of inner joins. It splits maximal trees of inner joins into
// a graph of relations and predicates, finds a cheap tree by dynamic programming or, for large
// graphs, greedily, and builds the joins from it. Outer, semi, anti, mark and single joins are
// relations of the surrounding graph; a separate search runs below them.
package joinorder

import (
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Options control one Order.
type Options struct {
	Estimator *cost.Estimator
	Model     cost.Model                    // of the device for which joins are priced
	Warn      func(code uint16, msg string) // may be nil
	Filters   bool                          // joins may create dynamic filters from their keys: see Orders
	Lookups   bool                          // joins may also look up rows by their keys
}

// leastAgainMS is the least price of joins for which alternative orders are considered.
const leastAgainMS = 1

// Orders returns plans with the same columns in which inner joins are ordered by cost. The first
// order uses the prices of the joins alone. If these are expensive, further orders are added if
// they differ: one that takes into account dynamic filters created from join keys and rows looked
// up by keys, and one that takes into account the filters only. The savings depend on algorithms
// and build sides, which only the finished plans determine.
func Orders(n logical.Node, opt Options) []logical.Node {
	if opt.Warn == nil {
		opt.Warn = func(uint16, string) {}
	}
	plain := &orderer{opt: opt}
	plain.opt.Filters = false
	out, shapes := []logical.Node{sameColumns(plain.order(n), n)}, []uint64{plain.shape}
	opt.Warn = func(uint16, string) {} // the first search has issued the warnings
	also := func(opt Options) {
		o := &orderer{opt: opt}
		if other := sameColumns(o.order(n), n); !slices.Contains(shapes, o.shape) {
			out, shapes = append(out, other), append(shapes, o.shape)
		}
	}
	if opt.Filters && plain.dearest >= leastAgainMS {
		also(opt)
		if plain.found {
			opt.Lookups = false
			also(opt)
		}
	}
	return out
}

// sameColumns returns n with the columns of before in their original order, which reordering
// joins may have changed.
func sameColumns(n, before logical.Node) logical.Node {
	if n == before {
		return n
	}
	want, have := before.Schema(), n.Schema()
	same := len(want) == len(have)
	for i := 0; same && i < len(want); i++ {
		same = want[i].ID == have[i].ID
	}
	if same {
		return n
	}
	p := &logical.Project{In: n, Items: make([]logical.Item, len(want))}
	for i, c := range want {
		p.Items[i] = logical.Item{Col: c, Expr: c.Ref()}
	}
	return p
}

type orderer struct {
	opt     Options
	warned  map[*logical.JoinHint]bool
	dearest float64 // highest price of the joins of a searched tree
	shape   uint64  // hash of the shapes of all these trees
	found   bool    // whether rows of any of their relations can be looked up
}

func (o *orderer) order(n logical.Node) logical.Node {
	if isTree(n) {
		return o.orderTree(n)
	}
	in := logical.InputPair(n)
	out, changed := in, false
	for i, c := range in {
		if c == nil {
			continue
		}
		out[i] = o.order(c)
		switch n.(type) {
		case *logical.SetOp, *logical.Recursive: // read their columns by position
			out[i] = sameColumns(out[i], c)
		}
		changed = changed || out[i] != c
	}
	if !changed {
		return n
	}
	if out[1] == nil {
		return n.WithInputs(out[:1])
	}
	return n.WithInputs(out[:])
}

// isTree reports whether n is the root of a tree of inner joins, possibly below filters.
func isTree(n logical.Node) bool {
	if f, ok := n.(*logical.Filter); ok {
		return isTree(f.In)
	}
	return movable(n) != nil
}

// movable returns n if it is a join whose inputs may be reordered.
func movable(n logical.Node) *logical.Join {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Inner || j.Correlated || j.Hint != nil && j.Hint.Straight {
		return nil
	}
	return j
}

func (o *orderer) orderTree(n logical.Node) logical.Node {
	x := extraction{o: o, g: &graph{}}
	x.collect(n, maxRelations, nil)
	g := x.g
	for _, e := range x.preds {
		g.addPred(e)
	}
	t := o.search(g, x.hints)
	b := builder{g: g, hints: x.hints}
	root := b.build(t)
	if len(g.top) > 0 {
		root = &logical.Filter{In: root, Preds: g.top}
	}
	return root
}

// search returns the tree of the graph's relations.
func (o *orderer) search(g *graph, hints []*logical.JoinHint) *tree {
	if len(g.rels) == 2 {
		return &tree{set: 3, l: &tree{set: 1}, r: &tree{set: 2}}
	}
	g.findClasses()
	g.estimate(o.opt.Estimator, &o.opt.Model, o.opt.Filters)
	if o.opt.Lookups {
		o.found = g.findFinders(o.opt.Estimator, &o.opt.Model) || o.found
	}
	s := &searcher{g: g, model: &o.opt.Model, filters: o.opt.Filters, seen: make([]float64, g.classes)}
	units := make([]*tree, len(g.rels))
	for i := range g.rels {
		units[i] = g.unit(i)
	}
	t := s.best(o.lead(s, g, units, hints))
	o.dearest = max(o.dearest, t.cost)
	o.shape = t.addShape(o.shape)
	return t
}

// extraction collects the relations and predicates of a tree.
type extraction struct {
	o     *orderer
	g     *graph
	preds []expr.Expr
	hints []*logical.JoinHint
}

// collect adds the relations and predicates of n, with at most room relations. hint is the hint
// of the join above if n is its right input.
func (x *extraction) collect(n logical.Node, room int, hint *logical.JoinHint) {
	if f, ok := n.(*logical.Filter); ok && room > 1 && isTree(f.In) {
		x.preds = append(x.preds, f.Preds...)
		x.collect(f.In, room, hint)
		return
	}
	j := movable(n)
	if j == nil || room == 1 {
		x.leaf(n, hint)
		return
	}
	if j.Hint != nil {
		x.hints = append(x.hints, j.Hint)
	}
	right := min(leaves(j.R), room-1)
	x.preds = append(x.preds, j.On...)
	x.collect(j.L, room-right, nil)
	x.collect(j.R, right, j.Hint)
}

func (x *extraction) leaf(n logical.Node, hint *logical.JoinHint) {
	if isTree(n) { // split off by maxRelations: ordered separately
		n = x.o.orderTree(n)
	} else {
		n = x.o.order(n)
	}
	schema := n.Schema()
	r := relation{node: n, hint: hint}
	for i := range schema {
		x.g.owner.set(schema[i].ID, len(x.g.rels))
	}
	if len(schema) > 0 {
		r.alias = schema[0].Table
	} else if s, ok := n.(*logical.Scan); ok {
		r.alias = s.Alias
	}
	x.g.rels = append(x.g.rels, r)
}

// leaves returns the number of relations that collect would add.
func leaves(n logical.Node) int {
	if f, ok := n.(*logical.Filter); ok && isTree(f.In) {
		return leaves(f.In)
	}
	if j := movable(n); j != nil {
		return leaves(j.L) + leaves(j.R)
	}
	return 1
}
