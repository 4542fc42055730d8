package theta

import (
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/vec"
)

// pairwiseMatcher is the nested-loop join for any conditions: one row of the smaller operand is
// tested against tiles of the other, so that nothing is gathered for pairs that do not match.
type pairwiseMatcher struct {
	cond      *pairs.Condition
	columns   [2][]int // by side: the columns that the condition reads, among the needed ones
	buildSide pairs.Side
	once      bool

	ctx   *op.Ctx
	build *pairs.Rows
}

// NewPairwise compiles a matcher for conjuncts. ids are the columns that they read, by side, and
// columns their positions among the needed columns of the side. If once is set, one partner of a
// probe row is enough.
func NewPairwise(conjuncts []expr.Expr, columns [2][]int, ids [2][]expr.ColID, buildLeft, once bool) (match.Matcher, error) {
	m := &pairwiseMatcher{columns: columns, buildSide: pairs.Right, once: once}
	if buildLeft {
		m.buildSide = pairs.Left
	}
	var err error
	m.cond, err = pairs.Compile(conjuncts, ids[pairs.Left], ids[pairs.Right])
	return m, err
}

// FewRows is the greatest number of build rows for which a program does not pay.
const FewRows = 64

// Build implements Matcher.
func (m *pairwiseMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *match.Side) error {
	m.ctx = ctx
	if build.Rows > FewRows {
		if err := m.cond.Vectorise(); err != nil {
			return err
		}
	}
	m.build = m.cond.NewRows(ctx.Eval, m.buildSide, acct)
	return m.build.Load(m.of(m.buildSide, build), build.Rows)
}

// of returns the columns of s that the condition reads.
func (m *pairwiseMatcher) of(side pairs.Side, s *match.Side) []*vec.Vector {
	cols := make([]*vec.Vector, len(m.columns[side]))
	for i, at := range m.columns[side] {
		cols[i] = s.Cols[at]
	}
	return cols
}

// Prober implements Matcher.
func (m *pairwiseMatcher) Prober() match.Prober {
	return &pairwiseProber{m: m, tester: m.cond.NewTester(m.ctx.Eval), probe: m.cond.NewRows(m.ctx.Eval, 1-m.buildSide, nil)}
}

// Close implements Matcher.
func (m *pairwiseMatcher) Close() {
	if m.build != nil {
		m.build.Free()
	}
}

type pairwiseProber struct {
	m      *pairwiseMatcher
	tester *pairs.Tester
	probe  *pairs.Rows

	// One side is processed row by row (outer), the other in tiles (inner).
	outer, inner *pairs.Rows
	swapped      bool // outer is the build side
	tile, rows   int  // the first row of the current tile of inner rows, and their number
	row          int  // current outer row
	settled      []bool
	found        []int32
	matches      []int32 // rows of the tile that were found but not returned
	all          int     // instead of matches: number of rows at the end of the tile, all of which match
	out          match.Pairs
}

// Probe implements Prober.
func (p *pairwiseProber) Probe(probe *match.Side) error {
	if err := p.probe.Load(p.m.of(1-p.m.buildSide, probe), probe.Rows); err != nil {
		return err
	}
	p.outer, p.inner, p.swapped = p.probe, p.m.build, false
	side := 1 - p.m.buildSide
	if p.inner.N < p.outer.N && !p.m.once {
		p.outer, p.inner, p.swapped, side = p.inner, p.outer, true, p.m.buildSide
	}
	p.tester.Bind(p.outer, p.inner, side)
	p.row, p.tile, p.matches, p.all = 0, 0, nil, 0
	if len(p.found) < min(pairs.Tile, p.inner.N) {
		p.found = make([]int32, min(pairs.Tile, p.inner.N))
	}
	if p.m.once {
		p.settled = append(p.settled[:0], make([]bool, p.outer.N)...)
	}
	return nil
}

// Next implements Prober. It returns after a bounded number of tests even without pairs, so that
// its caller can check for cancellation.
func (p *pairwiseProber) Next(limit int) (match.Pairs, bool, error) {
	p.out.Probe, p.out.Build = p.out.Probe[:0], p.out.Build[:0]
	for tests := 0; p.tile < p.inner.N && p.outer.N > 0 && len(p.out.Probe) < limit && tests < 1<<22; {
		if len(p.matches)+p.all == 0 {
			p.rows = p.tester.Tile(p.tile)
			tests += pairs.Tile
			if err := p.test(); err != nil {
				return match.Pairs{}, false, err
			}
		}
		p.emit(limit - len(p.out.Probe))
		if len(p.matches)+p.all > 0 {
			continue
		}
		if p.row++; p.row == p.outer.N {
			p.row, p.tile = 0, p.tile+pairs.Tile
		}
	}
	return p.out, p.tile >= p.inner.N || p.outer.N == 0, nil
}

// test finds the rows of the tile that are partners of the current outer row.
func (p *pairwiseProber) test() error {
	if p.m.once {
		return p.settle()
	}
	idx, all, err := p.tester.Select(p.found, p.row)
	if p.matches = idx; all {
		p.all, p.matches = p.rows, nil
	}
	return err
}

// settle finds one partner of the current outer row in the tile, unless the row already has one.
func (p *pairwiseProber) settle() error {
	if p.settled[p.row] {
		return nil
	}
	at, some, err := p.tester.First(p.row)
	if some {
		p.found[0] = at
		p.matches = p.found[:1]
	}
	return err
}

// emit moves up to limit matches to the output.
func (p *pairwiseProber) emit(limit int) {
	n := min(len(p.matches)+p.all, limit)
	if p.m.once && n > 0 {
		p.settled[p.row] = true
	}
	outer, inner := &p.out.Probe, &p.out.Build
	if p.swapped {
		outer, inner = inner, outer
	}
	first := int32(p.tile + p.rows - p.all)
	for i := range n {
		*outer = append(*outer, int32(p.row))
		if p.all > 0 {
			*inner = append(*inner, first+int32(i))
		} else {
			*inner = append(*inner, int32(p.tile)+p.matches[i])
		}
	}
	if p.all > 0 {
		p.all -= n
	} else {
		p.matches = p.matches[n:]
	}
}
