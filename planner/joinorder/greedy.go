package joinorder

// greedy repeatedly joins the two trees whose join has the fewest rows (Fegaras, A New Heuristic
// for Optimizing Large Queries, DEXA 1998). Trees without a predicate between them are joined
// only if products is set or no other pair remains.
func (s *searcher) greedy(units []*tree, products bool) *tree {
	ts := append([]*tree(nil), units...)
	p := newPairings(s, ts)
	for live := len(ts); live > 1; live-- {
		i, j := p.cheapest(products)
		t := s.join(ts[j], ts[i], -1)
		ts[j], ts[i] = &t, nil // j < i
		p.joined(i, j, products)
	}
	return ts[0]
}

// pairing describes the join of two trees.
type pairing struct {
	rows   float64
	linked bool
}

// pairings are the joins of all pairs of trees, by row: tree i with the trees before it.
type pairings struct {
	s    *searcher
	ts   []*tree // nil if the tree was joined to an earlier one
	of   [][]pairing
	best []int // by row: the first tree whose join has the fewest rows, or none or unknown
}

func newPairings(s *searcher, ts []*tree) *pairings {
	n := len(ts)
	p := &pairings{s: s, ts: ts, of: make([][]pairing, n), best: make([]int, n)}
	room := make([]pairing, n*(n-1)/2)
	for i := range ts {
		p.of[i], room = room[:i:i], room[i:]
		for j := range i {
			p.of[i][j] = p.pairing(i, j)
		}
		p.best[i] = unknown
	}
	return p
}

// Values of best other than an index.
const (
	none    = -1
	unknown = -2
)

func (p *pairings) pairing(i, j int) pairing {
	a, b := p.ts[i], p.ts[j]
	share, _, linked := p.s.cross(a.set, b.set)
	return pairing{rows: a.rows * b.rows * share, linked: linked}
}

// joined updates the pairings after tree i was joined into tree j.
func (p *pairings) joined(i, j int, products bool) {
	for k := range j {
		if p.ts[k] != nil {
			p.of[j][k] = p.pairing(j, k)
		}
	}
	p.best[j] = unknown
	for k := j + 1; k < len(p.ts); k++ {
		if p.ts[k] == nil {
			continue
		}
		now := p.pairing(k, j)
		p.of[k][j] = now
		switch at := p.best[k]; {
		case at == i || at == j:
			p.best[k] = unknown
		case at == unknown || !products && !now.linked:
		case at == none || now.rows < p.of[k][at].rows || now.rows == p.of[k][at].rows && j < at:
			p.best[k] = j
		}
	}
}

// cheapest returns the indexes, i > j, of the pair with the fewest rows. Of equal pairs it
// returns the first.
func (p *pairings) cheapest(products bool) (bi, bj int) {
	bi, bj = p.first(products)
	if bi == 0 {
		for i := range p.best { // no connected pair remains
			p.best[i] = unknown
		}
		bi, bj = p.first(true)
		for i := range p.best {
			p.best[i] = unknown
		}
	}
	return bi, bj
}

func (p *pairings) first(products bool) (bi, bj int) {
	for i, t := range p.ts {
		if t == nil {
			continue
		}
		if p.best[i] == unknown {
			p.best[i] = p.bestOf(i, products)
		}
		if j := p.best[i]; j >= 0 && (bi == 0 || p.of[i][j].rows < p.of[bi][bj].rows) {
			bi, bj = i, j
		}
	}
	return bi, bj
}

// bestOf returns the earlier tree whose join with tree i has the fewest rows, or none.
func (p *pairings) bestOf(i int, products bool) int {
	best := none
	for j := range i {
		if p.ts[j] == nil || !products && !p.of[i][j].linked {
			continue
		}
		if best < 0 || p.of[i][j].rows < p.of[i][best].rows {
			best = j
		}
	}
	return best
}

// window is the number of subtrees that improve reorders exactly at a time. This visits at most
// 3^7/2 pairs.
const window = 7

// improve reorders a greedy tree piece by piece: it searches the top of each subtree exactly, cut
// to at most window parts.
func (s *searcher) improve(t *tree) *tree {
	if t.l == nil {
		return t
	}
	parts := t.parts()
	if len(parts) > 2 {
		if better := s.exact(parts, maxPairs); better != nil && better.cost < t.cost {
			t = better
		}
	}
	known := map[relset]*tree{}
	for _, p := range parts {
		known[p.set] = s.improve(p)
	}
	return s.replace(t, known)
}

// parts cuts t into at most window subtrees, opening the most expensive first.
func (t *tree) parts() []*tree {
	out := []*tree{t.l, t.r}
	for len(out) < window {
		at := -1
		for i, p := range out {
			if p.l != nil && (at < 0 || p.cost > out[at].cost) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		p := out[at]
		out[at] = p.l
		out = append(out, p.r)
	}
	return out
}

// replace inserts improved subtrees and adds up their costs.
func (s *searcher) replace(t *tree, by map[relset]*tree) *tree {
	if n, ok := by[t.set]; ok {
		return n
	}
	l, r := s.replace(t.l, by), s.replace(t.r, by)
	n := s.join(l, r, t.rows)
	return &n
}
