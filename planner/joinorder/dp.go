package joinorder

import "math/bits"

// maxPairs bounds the pairs of connected sets that an exact search may visit: a chain of 40
// relations, a star of 12 and a clique of 9 stay below it.
const maxPairs = 12000

// dpccp enumerates the pairs of connected sets with an edge between them, each once (Moerkotte
// and Neumann, Analysis of Two Existing and One New Dynamic Programming Algorithm, VLDB 2006).
// Sets are of units, which may be joined relations.
type dpccp struct {
	s      *searcher
	units  []*tree
	adj    []relset         // neighbours of each unit
	few    []*tree          // the cheapest tree of each set, if there are few units
	many   map[relset]*tree // the same if there are many
	room   []tree           // storage for the trees of both
	budget int
}

// fewUnits is the number of units up to which few has an element for each set.
const fewUnits = 8

func (d *dpccp) plan(s relset) *tree {
	if d.many == nil {
		return d.few[s]
	}
	return d.many[s]
}

func (d *dpccp) setPlan(s relset, t *tree) {
	if d.many == nil {
		d.few[s] = t
	} else {
		d.many[s] = t
	}
}

// exact returns the cheapest tree of connected units without products. It returns nil if the
// search would visit more than budget pairs, or if the component is connected only by predicates
// over three or more units.
func (s *searcher) exact(units []*tree, budget int) *tree {
	n := len(units)
	if (n*n*n-n)/6 > budget { // the number of pairs in a chain, the minimum of all graphs
		return nil
	}
	d := &dpccp{s: s, units: units, adj: s.adjacency(units), budget: budget}
	if n <= fewUnits {
		d.few = s.emptyPlans()
	} else {
		d.many = make(map[relset]*tree, 4*n)
	}
	for i, u := range units {
		d.setPlan(1<<i, u)
	}
	for i := len(units) - 1; i >= 0; i-- {
		if !d.withCsg(1<<i) || !d.csgRec(1<<i, upTo(i)) {
			return nil
		}
	}
	return d.plan(upTo(n - 1))
}

// emptyPlans returns a cleared slice for the plans of few units. The next search reuses it.
func (s *searcher) emptyPlans() []*tree {
	if s.few == nil {
		s.few = make([]*tree, 1<<fewUnits)
	}
	clear(s.few)
	return s.few
}

// adjacency returns, for each unit, the units connected to it by edges over two units.
func (s *searcher) adjacency(units []*tree) []relset {
	adj := make([]relset, len(units))
	for i := range s.g.edges {
		var touched relset
		for u, t := range units {
			if t.set&s.g.edges[i].rels != 0 {
				touched |= 1 << u
			}
		}
		if touched.count() == 2 {
			a, b := touched.first(), (touched & (touched - 1)).first()
			adj[a] |= 1 << b
			adj[b] |= 1 << a
		}
	}
	return adj
}

// upTo returns the set of the units 0 to i.
func upTo(i int) relset { return 1<<(uint(i)+1) - 1 }

func (d *dpccp) neighbours(s relset) relset {
	var n relset
	for b := s; b != 0; b &= b - 1 {
		n |= d.adj[b.first()]
	}
	return n &^ s
}

// csgRec extends the connected set s by its neighbours outside x.
func (d *dpccp) csgRec(s, x relset) bool {
	n := d.neighbours(s) &^ x
	for sub := n & -n; sub != 0; sub = (sub - n) & n {
		if !d.withCsg(s | sub) {
			return false
		}
	}
	for sub := n & -n; sub != 0; sub = (sub - n) & n {
		if !d.csgRec(s|sub, x|n) {
			return false
		}
	}
	return true
}

// withCsg pairs s with every connected set adjacent to it.
func (d *dpccp) withCsg(s relset) bool {
	x := upTo(s.first()) | s
	n := d.neighbours(s) &^ x
	for b := n; b != 0; {
		i := 63 - bits.LeadingZeros64(uint64(b))
		b &^= 1 << i
		if !d.pair(s, 1<<i) || !d.cmpRec(s, 1<<i, x|upTo(i)&n) {
			return false
		}
	}
	return true
}

func (d *dpccp) cmpRec(s, c, x relset) bool {
	n := d.neighbours(c) &^ x
	for sub := n & -n; sub != 0; sub = (sub - n) & n {
		if !d.pair(s, c|sub) {
			return false
		}
	}
	for sub := n & -n; sub != 0; sub = (sub - n) & n {
		if !d.cmpRec(s, c|sub, x|n) {
			return false
		}
	}
	return true
}

// pair prices the join of two sets and keeps it if it is the cheapest tree of their union.
func (d *dpccp) pair(a, b relset) bool {
	if d.budget--; d.budget < 0 {
		return false
	}
	l, r := d.plan(a), d.plan(b)
	old := d.plan(a | b)
	if old == nil {
		if len(d.room) == 0 {
			d.room = make([]tree, 32)
		}
		t := &d.room[0]
		d.room = d.room[1:]
		*t = d.s.join(l, r, -1)
		d.setPlan(a|b, t)
		return true
	}
	if l.least()+r.least() >= old.cost {
		return true
	}
	if t := d.s.join(l, r, old.rows); t.cost < old.cost {
		*old = t
	}
	return true
}
