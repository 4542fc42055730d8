package theta

import (
	"gsql/exec/join/match"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// loopMatcher is the blocked nested-loop join: every probe row is compared with tiles of build
// rows that fit in the first-level cache. Comparisons are windows of words; several on one build
// operand combine into one window. Without comparisons it returns the cross product.
type loopMatcher struct {
	ops  []expr.FuncID // probe op build, by key
	once bool

	predicates []predicate // build operands
	rows       []int32     // build rows with a word for every operand
	count      int         // build rows that take part
	words      [][]uint64  // of those rows, by predicate
	held       mem.Buffers // the buffers behind rows and words
}

// NewLoopMatcher makes a matcher for comparisons. It builds the left side if buildLeft is set. If
// once is set, one partner is enough for a probe row.
func NewLoopMatcher(cs []Comparison, buildLeft, once bool) match.Matcher {
	m := &loopMatcher{once: once}
	m.ops, m.predicates = orient(cs, buildLeft)
	return m
}

// Build implements Matcher.
func (m *loopMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *match.Side) error {
	m.count = build.Rows
	if len(m.predicates) == 0 {
		return nil
	}
	rows, err := mem.Alloc[int32](acct, build.Rows)
	if err != nil {
		return err
	}
	m.held.Add(rows)
	m.count = 0
	for range m.predicates {
		w, err := mem.Alloc[uint64](acct, build.Rows)
		if err != nil {
			return err
		}
		m.held.Add(w)
		m.words = append(m.words, w.S)
	}
	var skip [op.Block]bool
	for from := 0; from < build.Rows; from += op.Block {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(op.Block, build.Rows-from)
		clear(skip[:])
		for i, t := range m.predicates {
			v := build.Keys[t.key].Slice(from, from+n)
			wordsAndNulls(m.words[i][m.count:], v, skip[:n])
		}
		m.compact(rows.S, from, skip[:n])
	}
	m.rows = rows.S[:m.count]
	return nil
}

// wordsAndNulls writes the words of v, which is flat, to dst and marks NULLs in skip as well.
func wordsAndNulls(dst []uint64, v *vec.Vector, skip []bool) {
	keyenc.OrderKeys(dst[:v.N], v, skip)
	keyenc.SkipNulls(v, skip)
}

// compact removes the skipped rows from a block just written after the others.
func (m *loopMatcher) compact(rows []int32, from int, skip []bool) {
	at := m.count
	for i, s := range skip {
		if s {
			continue
		}
		rows[at] = int32(from + i)
		for _, w := range m.words {
			w[at] = w[m.count+i]
		}
		at++
	}
	m.count = at
}

// Prober implements Matcher.
func (m *loopMatcher) Prober() match.Prober {
	return &loopProber{
		m: m, words: make([][]uint64, len(m.ops)), flat: make([]vec.Vector, len(m.ops)),
		windows: make([]window, len(m.predicates)), found: make([]int32, min(tile, m.count)),
	}
}

// Close implements Matcher.
func (m *loopMatcher) Close() { m.held.Free() }

type loopProber struct {
	m       *loopMatcher
	n       int        // probe rows
	words   [][]uint64 // by key
	flat    []vec.Vector
	skip    []bool
	row     int // current probe row
	at      int // build rows already compared with it
	fresh   bool
	windows []window
	found   []int32 // scratch for a tile
	out     match.Pairs
	rest    []int32 // build rows found for the current row that did not fit in the last call's output
}

// tile is the number of build rows compared at once.
const tile = 1024

// Probe implements Prober.
func (p *loopProber) Probe(probe *match.Side) error {
	p.n, p.row, p.at, p.rest = probe.Rows, 0, 0, nil
	if cap(p.skip) < p.n {
		p.skip = make([]bool, p.n)
	}
	p.skip = p.skip[:p.n]
	clear(p.skip)
	for i := range p.m.ops {
		if len(p.words[i]) < p.n {
			p.words[i] = make([]uint64, p.n)
		}
		wordsAndNulls(p.words[i], probe.Keys[i].Flatten(&p.flat[i]), p.skip)
	}
	p.fresh = true
	return nil
}

// Next implements Prober. It returns after a bounded number of comparisons even without pairs, so
// that its caller can check for cancellation.
func (p *loopProber) Next(limit int) (match.Pairs, bool, error) {
	p.out.Probe, p.out.Build = p.out.Probe[:0], p.out.Build[:0]
	for tests := 0; p.row < p.n && len(p.out.Probe) < limit && tests < 1<<20; tests += tile {
		if p.fresh && !p.begin() {
			p.nextRow()
			continue
		}
		if len(p.rest) == 0 {
			p.rest = p.test()
		}
		k := min(len(p.rest), limit-len(p.out.Probe))
		if p.m.once {
			k = min(k, 1)
		}
		p.out.Build = append(p.out.Build, p.rest[:k]...)
		for range k {
			p.out.Probe = append(p.out.Probe, int32(p.row))
		}
		if p.rest = p.rest[k:]; p.m.once && k > 0 || len(p.rest) == 0 && p.at >= p.m.count {
			p.nextRow()
		}
	}
	return p.out, p.row == p.n, nil
}

func (p *loopProber) nextRow() { p.row, p.at, p.rest, p.fresh = p.row+1, 0, nil, true }

// begin computes the windows of the current row; it returns false if no build row is inside.
func (p *loopProber) begin() bool {
	p.fresh = false
	if p.skip[p.row] || p.m.count == 0 {
		return false
	}
	for i := range p.m.predicates {
		w, ok := p.m.predicates[i].window(p.m.ops, p.words, p.row)
		if !ok {
			return false
		}
		p.windows[i] = w
	}
	return true
}

// test returns the build rows of the next tile that are partners of the current row.
func (p *loopProber) test() []int32 {
	from := p.at
	p.at = min(from+tile, p.m.count)
	found := p.found[:p.at-from]
	if len(p.m.predicates) == 0 {
		for i := range found {
			found[i] = int32(from + i)
		}
		return found
	}
	n := 0
	for i, t := range p.m.predicates {
		w, words := p.windows[i], p.m.words[i][from:p.at]
		if i == 0 {
			n = selectInside(found, words, w, t.negate)
		} else {
			n = keepInside(found[:n], words, w, t.negate)
		}
	}
	found = found[:n]
	rows := p.m.rows[from:]
	for i, f := range found {
		found[i] = rows[f]
	}
	return found
}
