package joinorder

import (
	"math"

	"gsql/planner/cost"
)

// searcher finds trees of a graph.
type searcher struct {
	g     *graph
	model *cost.Model
	// filters reports whether joins create dynamic filters.
	filters bool
	seen    []float64 // by class: scratch space of cross, all 0 between calls
	met     []int     // classes for which seen is not 0
	few     []*tree   // scratch space of exact
	// touching lists the edges of each relation, and near the relations that they connect it to.
	// Both are built on first use.
	touching [][]int32
	near     []relset
}

// index fills touching and near.
func (s *searcher) index() {
	s.touching, s.near = make([][]int32, len(s.g.rels)), make([]relset, len(s.g.rels))
	for i := range s.g.edges {
		for b := s.g.edges[i].rels; b != 0; b &= b - 1 {
			at := b.first()
			s.touching[at] = append(s.touching[at], int32(i))
			s.near[at] |= s.g.edges[i].rels
		}
	}
}

// smaller returns the set with fewer relations, or 0 if no edge connects the two.
func (s *searcher) smaller(l, r relset) relset {
	if s.near == nil {
		s.index()
	}
	if r.count() < l.count() {
		l, r = r, l
	}
	for b := l; b != 0; b &= b - 1 {
		if s.near[b.first()]&r != 0 {
			return l
		}
	}
	return 0
}

// cross returns the effect of joining l and r: the share of pairs kept, the best kind of
// predicate to drive the join, and whether there is a predicate over just these two sets. Of the
// equalities of one class only the most selective counts, because the others follow from it.
func (s *searcher) cross(l, r relset) (share float64, kind edgeKind, linked bool) {
	share = 1
	small := s.smaller(l, r)
	for b := small; b != 0; b &= b - 1 {
		for _, i := range s.touching[b.first()] {
			if e := &s.g.edges[i]; (e.rels&small).first() == b.first() && e.joins(l, r) {
				share, kind = s.count(e, l, r, share, kind)
				linked = true
			}
		}
	}
	for _, c := range s.met {
		s.seen[c] = 0
	}
	s.met = s.met[:0]
	return share, kind, linked
}

// count adds the effect of edge e to the share and kind of its join.
func (s *searcher) count(e *edge, l, r relset, share float64, kind edgeKind) (float64, edgeKind) {
	if e.kind != other && (e.l&^l == 0 && e.r&^r == 0 || e.l&^r == 0 && e.r&^l == 0) {
		if kind == other || e.kind == equality {
			kind = e.kind
		}
	}
	if e.class < 0 {
		return share * e.share, kind
	}
	switch old := s.seen[e.class]; {
	case old == 0:
		share *= e.share
		s.met = append(s.met, e.class)
	case e.share < old:
		share *= e.share / old
	default:
		return share, kind
	}
	s.seen[e.class] = max(e.share, tiny)
	return share, kind
}

// tiny replaces a share of 0 where 0 has another meaning.
const tiny = 1e-300

// join returns the tree of l and r. rows is the number of rows of the set if known, since all
// trees of a set must agree on it, or negative.
func (s *searcher) join(l, r *tree, rows float64) tree {
	share, kind, _ := s.cross(l.set, r.set)
	if rows < 0 {
		rows = max(l.rows*r.rows*share, min(1, min(l.rows, r.rows)))
	}
	if l.rows < r.rows {
		l, r = r, l // build the smaller one
	}
	t := tree{set: l.set | r.set, l: l, r: r, rows: rows, cost: l.cost + r.cost, head: l.head, reads: l.reads, passing: l.passing}
	ms := s.price(l.rows, r.rows, rows, kind)
	if s.filters && kind == equality {
		ms = s.filter(&t, ms)
	}
	t.cost += ms
	t.passing += ms * cost.StreamedShare(l.rows+rows, r.rows)
	if kind == equality {
		s.lookUp(&t, l, r)
		s.lookUp(&t, r, l)
	}
	return t
}

// joinInput describes a join with one column per side, which represents all columns that the join
// will have.
func joinInput(probe, build, out float64) cost.JoinInput {
	return cost.JoinInput{Build: build, Probe: probe, BuildWidth: 8, ProbeWidth: 8, BuildCols: 1, ProbeCols: 1, Out: out, Pairs: out, Keys: 1}
}

// price returns the cost of the cheapest algorithm for a kind of predicate.
func (s *searcher) price(probe, build, out float64, kind edgeKind) float64 {
	in, loop := joinInput(probe, build, out), math.Inf(1)
	if kind == other || build*probe < 1<<16 {
		in.Terms = 1
		loop = s.model.NestedLoop(&in)
	}
	in.Terms = 0
	switch kind {
	case equality:
		if loop <= s.model.LeastHashJoin() {
			return loop
		}
		return min(loop, s.model.HashJoin(&in))
	case inequality:
		in.Ranges = 1
		return min(loop, s.model.RangeJoin(&in))
	}
	return loop
}

// best returns a tree of all units. Each connected component is ordered separately. Their
// products come last, the smallest first.
func (s *searcher) best(units []*tree) *tree {
	var parts []*tree
	left := units
	for len(left) > 0 {
		var part []*tree
		part, left = s.component(left)
		parts = append(parts, s.connected(part))
	}
	return s.greedy(parts, true)
}

// component separates the units connected with the first one from the rest.
func (s *searcher) component(units []*tree) (part, rest []*tree) {
	set := units[0].set
	in := make([]bool, len(units))
	in[0] = true
	for grown := true; grown; {
		grown = false
		for i, u := range units {
			if !in[i] && s.linked(set, u.set) {
				in[i], set, grown = true, set|u.set, true
			}
		}
	}
	for i, u := range units {
		if in[i] {
			part = append(part, u)
		} else {
			rest = append(rest, u)
		}
	}
	return part, rest
}

// linked reports whether there is a predicate over just these two sets.
func (s *searcher) linked(l, r relset) bool {
	for b := s.smaller(l, r); b != 0; b &= b - 1 {
		for _, i := range s.touching[b.first()] {
			if s.g.edges[i].joins(l, r) {
				return true
			}
		}
	}
	return false
}

// Effort of the exact search: it may take about as long as the greedy plan would run, but at
// least minPairs and at most maxPairs.
const (
	minPairs   = 500
	pairsPerMS = 3000 // pairs priced per millisecond
)

// connected orders one component: exactly if the effort is acceptable, else greedily with exact
// search in windows of the result.
func (s *searcher) connected(units []*tree) *tree {
	if len(units) == 1 {
		return units[0]
	}
	g := s.greedy(units, false)
	budget := int(max(minPairs, min(maxPairs, g.cost*pairsPerMS)))
	if t := s.exact(units, budget); t != nil {
		return t
	}
	return s.improve(g)
}
