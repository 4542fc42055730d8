package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// filterMatcher is the nested-loop join for conditions that are not comparisons: it
// evaluates the condition for one row of the smaller operand as constants against
// tiles of the other, so that nothing is gathered for pairs that do not match.
type filterMatcher struct {
	cond      *residual
	buildLeft bool
	once      bool

	ctx   *op.Ctx
	build *Side
}

// Build implements Matcher.
func (m *filterMatcher) Build(ctx *op.Ctx, _ *mem.Account, build *Side) error {
	m.ctx, m.build = ctx, build
	return nil
}

// Prober implements Matcher.
func (m *filterMatcher) Prober() Prober {
	return &filterProber{m: m, filter: m.cond.filter.NewEvaluator(m.ctx.Eval)}
}

// Close implements Matcher.
func (m *filterMatcher) Close() {}

type filterProber struct {
	m      *filterMatcher
	filter selector
	probe  *Side

	// One side gives the constants (outer), the other the tiles (inner).
	outer, inner *Side
	swapped      bool // outer is the build side
	row, at      int  // current outer row, inner rows already tested
	base         int  // first inner row of the matches
	matches      []int32
	all          int // matches is every row of a tile of that many

	consts []vec.Vector
	batch  vec.Batch
	out    Pairs
}

// Probe implements Prober.
func (p *filterProber) Probe(probe *Side) error {
	p.probe, p.row, p.at, p.matches, p.all = probe, 0, 0, nil, 0
	p.outer, p.inner, p.swapped = probe, p.m.build, false
	if p.m.build.Rows < probe.Rows && !p.m.once {
		p.outer, p.inner, p.swapped = p.inner, p.outer, true
	}
	return nil
}

// Next implements Prober.
func (p *filterProber) Next(limit int) (Pairs, bool, error) {
	p.out.Probe, p.out.Build = p.out.Probe[:0], p.out.Build[:0]
	for p.row < p.outer.Rows && p.inner.Rows > 0 {
		if len(p.matches) == 0 && p.all == 0 && p.at < p.inner.Rows {
			if err := p.test(); err != nil {
				return Pairs{}, false, err
			}
		}
		p.give(limit - len(p.out.Probe))
		if len(p.matches)+p.all == 0 && p.at >= p.inner.Rows {
			p.row, p.at = p.row+1, 0
		}
		if len(p.out.Probe) == limit {
			break
		}
		if err := p.m.ctx.Err(); err != nil {
			return Pairs{}, false, err
		}
	}
	return p.out, p.row >= p.outer.Rows || p.inner.Rows == 0, nil
}

// test evaluates the condition on the next tile.
func (p *filterProber) test() error {
	p.base = p.at
	p.at = min(p.at+block, p.inner.Rows)
	p.batch.N, p.batch.Cols = p.at-p.base, p.batch.Cols[:0]
	if k := len(p.m.cond.left) + len(p.m.cond.right); len(p.consts) < k {
		p.consts = make([]vec.Vector, k)
	}
	leftIsOuter := p.swapped == p.m.buildLeft
	p.columns(p.m.cond.left, leftIsOuter)
	p.columns(p.m.cond.right, !leftIsOuter)
	idx, all, err := p.filter.Select(&p.batch)
	if p.matches = idx; all {
		p.all, p.matches = p.batch.N, nil
	}
	return err
}

// columns adds the columns at of one side to the batch.
func (p *filterProber) columns(at []int, outer bool) {
	for _, c := range at {
		if !outer {
			p.batch.Cols = append(p.batch.Cols, p.inner.Cols[c].Slice(p.base, p.at))
			continue
		}
		dst := &p.consts[len(p.batch.Cols)]
		constant(dst, p.outer.Cols[c], p.row, p.batch.N)
		p.batch.Cols = append(p.batch.Cols, dst)
	}
}

// constant makes dst n rows of row i of v, without copying.
func constant(dst, v *vec.Vector, i, n int) {
	*dst = vec.Vector{Type: v.Type, Form: vec.Const, N: n}
	b, s := v.Slot(i)
	if s < 0 || v.IsNull(i) {
		*dst = *vec.NewNull(v.Type, n)
		return
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64 = b.I64[s : s+1]
	case types.KindF64:
		dst.F64 = b.F64[s : s+1]
	case types.KindDec:
		dst.Dec = b.Dec[s : s+1]
	case types.KindStr:
		dst.Str = b.Str[s : s+1]
	}
}

// give moves up to room matches to the output.
func (p *filterProber) give(room int) {
	n := min(len(p.matches)+p.all, room)
	if p.m.once && n > 0 {
		n = 1
	}
	outer, inner := &p.out.Probe, &p.out.Build
	if p.swapped {
		outer, inner = inner, outer
	}
	for i := range n {
		*outer = append(*outer, int32(p.row))
		if p.all > 0 {
			*inner = append(*inner, int32(p.base+i))
		} else {
			*inner = append(*inner, int32(p.base)+p.matches[i])
		}
	}
	switch {
	case p.m.once && n > 0:
		p.matches, p.all, p.at = nil, 0, p.inner.Rows
	case p.all > 0:
		p.base, p.all = p.base+n, p.all-n
	default:
		p.matches = p.matches[n:]
	}
}
