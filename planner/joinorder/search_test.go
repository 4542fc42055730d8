package joinorder

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gsql/planner/cost"
)

// randomGraph returns n relations joined by a random spanning tree and extra edges. All
// intermediate results have more than one row, so that estimates do not depend on the order of
// joins.
func randomGraph(rng *rand.Rand, n, extra int) *graph {
	g := &graph{}
	for i := 0; i < n; i++ {
		rows := math.Pow(10, 2+rng.Float64()*3)
		g.rels = append(g.rels, relation{props: &cost.Props{Rows: rows}})
	}
	link := func(a, b int) {
		kind := equality
		if rng.Intn(4) == 0 {
			kind = inequality
		}
		share := math.Pow(10, -rng.Float64()*1.5)
		g.edges = append(g.edges, edge{rels: 1<<a | 1<<b, l: 1 << a, r: 1 << b, kind: kind, share: share, class: -1})
	}
	for i := 1; i < n; i++ {
		link(rng.Intn(i), i)
	}
	for i := 0; i < extra; i++ {
		if a, b := rng.Intn(n), rng.Intn(n); a != b {
			link(a, b)
		}
	}
	return g
}

func newSearcher(g *graph) (*searcher, []*tree) {
	units := make([]*tree, len(g.rels))
	for i := range g.rels {
		units[i] = &tree{set: 1 << i, rows: g.rels[i].props.Rows}
	}
	return &searcher{g: g, model: &cost.Model{P: cost.Default(2)}, seen: make([]float64, g.classes)}, units
}

// exhaustive searches all bushy trees without products by recursion over all splits.
func exhaustive(s *searcher, set relset, units []*tree) *tree {
	if set.single() {
		return units[set.first()]
	}
	var best *tree
	for l := (set - 1) & set; l != 0; l = (l - 1) & set {
		r := set &^ l
		if l < r || !s.linked(l, r) {
			continue
		}
		a, b := exhaustive(s, l, units), exhaustive(s, r, units)
		if a == nil || b == nil {
			continue
		}
		if t := s.join(a, b, -1); best == nil || t.cost < best.cost {
			best = &t
		}
	}
	return best
}

func TestExactIsOptimal(t *testing.T) {
	for seed := int64(0); seed < 150; seed++ {
		rng := rand.New(rand.NewSource(seed))
		n := 3 + rng.Intn(4)
		s, units := newSearcher(randomGraph(rng, n, rng.Intn(3)))
		want := exhaustive(s, upTo(n-1), units)
		got := s.exact(units, 1e6)
		if got == nil || math.Abs(got.cost-want.cost) > 1e-9*want.cost {
			t.Fatalf("seed %d: exact search %v, exhaustive %v", seed, got, want.cost)
		}
		if again := s.sum(got); math.Abs(again-got.cost) > 1e-9*again {
			t.Fatalf("seed %d: the tree costs %g, not %g", seed, again, got.cost)
		}
	}
}

// sum recomputes the price of a tree from its leaves.
func (s *searcher) sum(t *tree) float64 {
	if t.l == nil {
		return 0
	}
	n := s.join(t.l, t.r, -1)
	return n.cost - t.l.cost - t.r.cost + s.sum(t.l) + s.sum(t.r)
}

// TestGreedyIsNearOptimal bounds the loss of the greedy search with windows compared with the
// exact one, on graphs where both are possible.
func TestGreedyIsNearOptimal(t *testing.T) {
	worst, sum, n := 1.0, 0.0, 0
	for seed := int64(0); seed < 60; seed++ {
		rng := rand.New(rand.NewSource(seed))
		s, units := newSearcher(randomGraph(rng, 9+rng.Intn(3), 2))
		want := s.exact(units, 1e6)
		got := s.improve(s.greedy(units, false))
		ratio := got.cost / want.cost
		if ratio < 1-1e-9 {
			t.Fatalf("seed %d: greedy %g beats the optimum %g", seed, got.cost, want.cost)
		}
		worst, sum, n = math.Max(worst, ratio), sum+ratio, n+1
	}
	if mean := sum / float64(n); mean > 1.2 || worst > 4 {
		t.Errorf("greedy costs %.3f times the optimum on average, %.2f at worst", mean, worst)
	}
}

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		edge  func(i int) []int // earlier relations that i is joined with
		exact bool
	}{
		{"chain of 40", 40, func(i int) []int { return []int{i - 1} }, true},
		{"star of 12", 12, func(int) []int { return []int{0} }, true},
		{"clique of 9", 9, func(i int) []int { return upto(i) }, true},
		{"star of 40", 40, func(int) []int { return []int{0} }, false},
		{"clique of 20", 20, func(i int) []int { return upto(i) }, false},
	} {
		g := &graph{}
		for i := 0; i < tt.n; i++ {
			g.rels = append(g.rels, relation{props: &cost.Props{Rows: float64(100 + i)}})
			if i == 0 {
				continue
			}
			for _, j := range tt.edge(i) {
				g.edges = append(g.edges, edge{rels: 1<<i | 1<<j, l: 1 << i, r: 1 << j, kind: equality, share: 0.01, class: -1})
			}
		}
		s, units := newSearcher(g)
		if got := s.exact(units, maxPairs) != nil; got != tt.exact {
			t.Errorf("%s: exact search within the budget: %v", tt.name, got)
		}
		if b := s.best(units); b.set != upTo(tt.n-1) {
			t.Errorf("%s: the tree covers %b", tt.name, b.set)
		}
	}
}

func upto(i int) []int {
	out := make([]int, i)
	for j := range out {
		out[j] = j
	}
	return out
}

// TestProducts checks that components are ordered separately and that the smallest are multiplied
// first.
func TestProducts(t *testing.T) {
	g := &graph{}
	for _, rows := range []float64{1000, 5, 800, 3, 2000} {
		g.rels = append(g.rels, relation{props: &cost.Props{Rows: rows}})
	}
	// 0 and 2 are joined and yield 8 rows; 1, 3 and 4 are isolated.
	g.edges = []edge{{rels: 0b101, l: 1, r: 0b100, kind: equality, share: 1e-5, class: -1}}
	s, units := newSearcher(g)
	b := s.best(units)
	if b.l.set != 1<<4 && b.r.set != 1<<4 {
		t.Errorf("the largest relation is not joined last: %s", shape(b))
	}
	for _, x := range []*tree{b.l, b.r} {
		if x.set == 1<<4 {
			continue
		}
		if x.rows != 120 {
			t.Errorf("product of the small ones has %g rows, want 120", x.rows)
		}
	}
}

func shape(t *tree) string {
	if t.l == nil {
		return fmt.Sprint(t.set.first())
	}
	return "(" + shape(t.l) + " " + shape(t.r) + ")"
}
