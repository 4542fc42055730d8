package theta

import (
	"cmp"
	"math"
	"slices"

	"gsql/exec/join/merge"
	"gsql/internal/pairsample"
	"gsql/sql/expr"
)

// rangeChoice is a way to find the pairs of a range join: by windows of the first predicate
// alone, or with a sweep by a comparison and possibly a tree by another one.
type rangeChoice struct {
	swapped      bool // the left side is the inner one
	window       int  // the predicate whose window is searched
	swept, treed int  // comparisons; none means no sweep or no tree
}

const none = -1

// Costs, in candidates that windows return in order. Tests change them.
var (
	sweepFactor = 64.0  // of a row of either side in a sweep
	treeFactor  = 160.0 // of a row of either side in a sweep with a tree
)

// Costs of a candidate. One that a sweep finds is far from the next one; with a tree, each
// requires climbing the tree.
const (
	sweptCandidate = 1. / 16 // of sweepFactor
	treedCandidate = 1. / 8  // of treeFactor
)

// Numbers of rows whose pairs are counted to choose.
const (
	outerSample = 256
	innerSample = 512
)

// mostChosen bounds the comparisons that a sweep or its tree may use.
const mostChosen = 8

// choose decides which side is the inner one and how its rows are found.
func (m *RangePairer) choose() {
	least := math.Inf(1)
	var best rangeChoice
	for _, swapped := range []bool{false, true} {
		if swapped && m.Once {
			continue
		}
		s := m.sample(swapped)
		for c := range s.choices() {
			if cost := s.cost(c); cost < least {
				least, best = cost, c
			}
		}
	}
	m.use(best)
}

// use applies a choice. Its predicate becomes the first one.
func (m *RangePairer) use(c rangeChoice) {
	m.swapped = c.swapped
	m.ops, m.predicates = orient(m.Comparisons, c.swapped)
	m.predicates[0], m.predicates[c.window] = m.predicates[c.window], m.predicates[0]
	m.outer, m.inner = &m.left, order{}
	if c.swapped {
		m.outer = &m.right
	}
	if c.swept != none {
		m.sweep = newSweep(m.ops, c.swept, c.treed)
	}
}

// rangeSample holds some rows of both sides and records which of their pairs satisfy which
// conditions.
type rangeSample struct {
	swapped    bool
	once       bool
	ops        []expr.FuncID
	predicates []predicate
	pairs      *pairsample.Sample
	keys       []int   // the condition of the equality keys, if there are any
	test       []int   // conditions by predicate
	comparison []int   // by comparison; none for those that a sweep cannot use
	rows       float64 // of both sides
	each       float64 // inner rows that each sampled one represents
	scale      float64 // pairs that each sampled one represents
}

func (m *RangePairer) sample(swapped bool) *rangeSample {
	outer, inner := &m.left, &m.right
	if swapped {
		outer, inner = inner, outer
	}
	s := &rangeSample{swapped: swapped, once: m.Once, rows: float64(outer.rows + inner.rows)}
	s.ops, s.predicates = orient(m.Comparisons, swapped)
	out, in := outer.some(outerSample), inner.some(innerSample)
	s.pairs = pairsample.New(len(out), len(in))
	s.each = max(1, float64(inner.rows)/innerSample)
	s.scale = s.each * max(1, float64(outer.rows)/outerSample)
	if len(m.NullSafe) > 0 {
		same := func(i int32) (window, bool) { return window{outer.codes.Words.S[i], outer.codes.Words.S[i]}, true }
		s.keys = []int{s.add(out, in, inner.codes.Words.S, same, false)}
	}
	for i := range s.predicates {
		t := &s.predicates[i]
		of := func(i int32) (window, bool) { return t.window(s.ops, outer.words, int(i)) }
		s.test = append(s.test, s.add(out, in, inner.words[t.key], of, t.negate))
	}
	for c, op := range s.ops {
		if s.comparison = append(s.comparison, none); !oneSided(op) || c >= mostChosen {
			continue
		}
		of := func(i int32) (window, bool) { return windowOf(op, outer.words[c][i]) }
		s.comparison[c] = s.add(out, in, inner.words[c], of, false)
	}
	return s
}

// some returns those of up to n sampled rows that may have partners; see merge.SampleRow.
func (o *operands) some(n int) []int32 {
	rows := make([]int32, 0, min(n, o.rows))
	for k := range min(n, o.rows) {
		if row := merge.SampleRow(k, o.rows, n); !o.codes.Skip.S[row] {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// add adds the condition that an inner row's word is inside the window of the outer row, or
// outside with negate.
func (s *rangeSample) add(out, in []int32, words []uint64, of func(outer int32) (window, bool), negate bool) int {
	order := make([]int32, len(in))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(words[in[a]], words[in[b]]) })
	sorted := make([]uint64, len(in))
	for i, at := range order {
		sorted[i] = words[in[at]]
	}
	from, to := make([]int32, len(out)), make([]int32, len(out))
	for i, row := range out {
		if w, ok := of(row); ok {
			a, b := bounds(sorted, w)
			from[i], to[i] = int32(a), int32(b)
		}
	}
	return s.pairs.Add(order, from, to, negate)
}

// choices yields all choices, windows alone first.
func (s *rangeSample) choices() func(yield func(rangeChoice) bool) {
	return func(yield func(rangeChoice) bool) {
		for y := range s.predicates {
			if !s.predicates[y].negate && !yield(rangeChoice{s.swapped, y, none, none}) {
				return
			}
		}
		for y := range s.predicates {
			if !s.predicates[y].negate && !s.swapped && !s.sweeps(y, yield) {
				return
			}
		}
	}
}

// sweeps yields the choices that combine windows of predicate y with a sweep.
func (s *rangeSample) sweeps(y int, yield func(rangeChoice) bool) bool {
	for x := range s.ops {
		if s.comparison[x] == none || slices.Contains(s.predicates[y].on, x) {
			continue
		}
		if !yield(rangeChoice{false, y, x, none}) {
			return false
		}
		for z := range s.ops {
			if z == x || s.comparison[z] == none || slices.Contains(s.predicates[y].on, z) {
				continue
			}
			if !yield(rangeChoice{false, y, x, z}) {
				return false
			}
		}
	}
	return true
}

// cost estimates the cost of a choice, in candidates that windows return.
func (s *rangeSample) cost(c rangeChoice) float64 {
	conditions := append(slices.Clone(s.keys), s.test[c.window])
	switch {
	case c.swept == none:
		return s.candidates(conditions)
	case c.treed == none:
		return sweepFactor * (s.rows + sweptCandidate*s.candidates(append(conditions, s.comparison[c.swept])))
	}
	return treeFactor * (s.rows + treedCandidate*s.candidates(append(conditions, s.comparison[c.swept], s.comparison[c.treed])))
}

// candidates estimates how many pairs that satisfy conditions are examined: all of them, or, if
// one partner is enough, those up to the first that satisfies all other conditions.
func (s *rangeSample) candidates(conditions []int) float64 {
	if !s.once {
		return s.scale * float64(s.pairs.Count(conditions...))
	}
	all := append(slices.Clone(s.keys), s.test...)
	var sum float64
	for i := range s.pairs.Outer() {
		if n := s.pairs.CountOf(i, conditions...); n > 0 {
			sum += float64(n) / (1 + s.each*float64(s.pairs.CountOf(i, all...)))
		}
	}
	return s.scale * sum
}
