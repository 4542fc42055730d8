package joinorder

import "math"

// greedy joins, again and again, the two trees whose join has the fewest rows
// (Fegaras, A New Heuristic for Optimizing Large Queries, DEXA 1998). Trees without a
// predicate between them are joined only when products is set or nothing else is
// left.
func (s *searcher) greedy(units []*tree, products bool) *tree {
	ts := append([]*tree(nil), units...)
	pairs := make([][]pairing, len(ts))
	for i := range ts {
		pairs[i] = make([]pairing, len(ts))
		for j := 0; j < i; j++ {
			pairs[i][j] = s.pairing(ts[i], ts[j])
		}
	}
	for live := len(ts); live > 1; live-- {
		i, j := cheapest(ts, pairs, products)
		t := s.join(ts[j], ts[i], -1)
		ts[j], ts[i] = &t, nil // j < i
		for k := range ts {
			if k == j || ts[k] == nil {
				continue
			}
			pairs[max(k, j)][min(k, j)] = s.pairing(ts[k], ts[j])
		}
	}
	return ts[0]
}

// pairing is what greedy knows of two trees.
type pairing struct {
	rows   float64
	linked bool
}

func (s *searcher) pairing(a, b *tree) pairing {
	share, _ := s.cross(a.set, b.set)
	return pairing{rows: a.rows * b.rows * share, linked: s.linked(a.set, b.set)}
}

// cheapest gives the indexes, i > j, of the pair with the fewest rows; of equal ones
// the first.
func cheapest(ts []*tree, pairs [][]pairing, products bool) (int, int) {
	var bi, bj int
	for pass := 0; pass < 2; pass++ {
		best := math.Inf(1)
		for i := range ts {
			for j := 0; ts[i] != nil && j < i; j++ {
				if ts[j] == nil || !(products || pass == 1 || pairs[i][j].linked) {
					continue
				}
				if p := &pairs[i][j]; p.rows < best || bi == 0 {
					best, bi, bj = p.rows, i, j
				}
			}
		}
		if bi > 0 {
			break
		}
	}
	return bi, bj
}

// window is the number of subtrees that improve reorders exactly at a time: at most
// 3^7/2 pairs.
const window = 7

// improve reorders a greedy tree piece by piece: the top of each subtree, as far as it
// has at most window parts, is searched exactly.
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

// parts cuts t into at most window subtrees, opening the dearest first.
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

// replace puts improved subtrees in place and adds up their costs.
func (s *searcher) replace(t *tree, by map[relset]*tree) *tree {
	if n, ok := by[t.set]; ok {
		return n
	}
	l, r := s.replace(t.l, by), s.replace(t.r, by)
	n := s.join(l, r, t.rows)
	return &n
}
