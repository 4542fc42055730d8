package joinorder

import (
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/sql/expr"
)

// finder describes how rows of a relation are looked up by a key of its table instead of being
// read.
type finder struct {
	by    []relset // sets of relations; the columns of any one set determine a key's values
	rows  float64  // rows of the table
	cols  float64  // columns to fetch per row
	terms float64  // terms of the predicates to test on fetched rows
}

// findFinders sets the finder of each relation that has one, and reports whether any has. It also
// sets the cost of reading these relations.
func (g *graph) findFinders(est *cost.Estimator, model *cost.Model) (some bool) {
	for i := range g.rels {
		r := &g.rels[i]
		r.largest = cost.LargestTable(r.node)
		s, preds := scanOf(r.node)
		if s == nil || cost.TableRows(s.Table) < lookup.LeastRows {
			continue
		}
		by := g.keysOf(i, s)
		if len(by) == 0 {
			continue
		}
		some = true
		if r.reads.rows == 0 {
			r.reads = readingOf(r.node, r.props, est, model)
		}
		r.finder = &finder{by: by, rows: cost.TableRows(s.Table), cols: float64(len(s.Columns)), terms: float64(len(preds) + len(s.Preds))}
	}
	return some
}

// keysOf returns the sets of relations by whose columns the rows of a scan, relation i, can be
// found: those that a single equality suffices for, or else those that several equalities do
// together.
func (g *graph) keysOf(i int, s *logical.Scan) (by []relset) {
	var operands []expr.Expr
	var others []relset
	for at := range g.edges {
		e := &g.edges[at]
		c, ok := e.pred.(*expr.Call)
		if e.kind != equality || !ok || !lookup.SameForm(c.Args[0].Type(), c.Args[1].Type()) {
			continue
		}
		switch relset(1) << i {
		case e.l:
			operands, others = append(operands, c.Args[0]), append(others, e.r)
		case e.r:
			operands, others = append(operands, c.Args[1]), append(others, e.l)
		}
	}
	for at := range operands {
		if _, ok := lookup.Of(s.Table, operands[at:at+1], s.Ordinal); ok {
			by = append(by, others[at])
		}
	}
	if len(by) > 0 || len(operands) < 2 {
		return by
	}
	if k, ok := lookup.Of(s.Table, operands, s.Ordinal); ok {
		var all relset
		for _, at := range k.Operands {
			all |= others[at]
		}
		by = append(by, all)
	}
	return by
}

// scanOf returns the scan that a relation consists of, with the filter predicates on it. The scan
// is nil for other relations.
func scanOf(n logical.Node) (*logical.Scan, []expr.Expr) {
	var preds []expr.Expr
	if f, ok := n.(*logical.Filter); ok {
		n, preds = f.In, f.Preds
	}
	s, _ := n.(*logical.Scan)
	return s, preds
}

// lookUp turns t, a join by an equality, into one that looks up the rows of side by those of
// keys, if that is cheaper.
func (s *searcher) lookUp(t, side, keys *tree) {
	f := side.finder
	if f == nil || !slices.ContainsFunc(f.by, func(by relset) bool { return by&^keys.set == 0 }) {
		return
	}
	asked := max(keys.rows, s.g.leastRows(keys))
	found := min(asked, f.rows)
	in := joinInput(min(side.rows, found), keys.rows, t.rows)
	ms := keys.cost + s.model.Lookup(asked, found, f.cols, f.rows, f.terms) + s.model.HashJoin(&in)
	if ms < t.cost {
		*t = tree{set: t.set, l: side, r: keys, rows: t.rows, cost: ms, head: side.head}
	}
}

// leastRows returns a pessimistic estimate of the rows of t for prices of lookups, which are
// sensitive to underestimates.
func (g *graph) leastRows(t *tree) float64 {
	if t.l == nil {
		return cost.LeastRows(g.rels[t.set.first()].node)
	}
	largest := 0.0
	for b := t.set; b != 0; b &= b - 1 {
		largest = max(largest, g.rels[b.first()].largest)
	}
	return cost.LeastJoined(largest)
}

// least returns the least cost that any join containing t pays for t.
func (t *tree) least() float64 {
	if t.finder != nil {
		return 0
	}
	return t.cost
}
