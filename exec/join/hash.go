package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// hashMatcher joins by equality through one table of the build side, which is not
// partitioned as far as the probe is concerned: directly addressed where the codes are
// dense, else a hash table.
type hashMatcher struct {
	nullSafe []bool
	once     bool // one partner is enough
	arrange  bool // the probe side has many times the build side's rows

	codes  *codes
	build  []*vec.Vector // equality keys
	texts  keyTexts      // of them, where codes are hashes
	direct *direct
	table  *table
	// pure says that all rows of a list have equal keys. Inexact codes may mix keys in
	// a list; then every pair has to be compared, not only the list's first.
	pure  bool
	held  holdings
	acct  *mem.Account
	sieve sieve
}

// holdings are buffers to free at the end.
type holdings []interface{ Free() }

func (h *holdings) add(b interface{ Free() }) { *h = append(*h, b) }

func (h *holdings) free() {
	for _, b := range *h {
		b.Free()
	}
	*h = nil
}

// Build implements Matcher.
func (m *hashMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *Side) error {
	m.build, m.acct = build.Keys[:len(m.nullSafe)], acct
	m.codes = newCodes(m.build, m.nullSafe)
	m.pure = true
	if done, err := m.buildPlain(ctx, acct, build); done || err != nil {
		return err
	}
	in, err := encodeSide(ctx, acct, m.codes, m.build, build.Rows)
	if err != nil {
		return err
	}
	defer in.free()
	lo, hi, err := in.codeRange(ctx, 0)
	if err != nil {
		return err
	}
	if isDense(lo, hi, build.Rows) {
		return m.buildDirect(ctx, acct, build, in, &direct{min: lo, size: hi - lo + 1})
	}
	return m.buildTable(ctx, acct, in)
}

// buildPlain makes a direct table of codes as they lie, where they are dense.
func (m *hashMatcher) buildPlain(ctx *op.Ctx, acct *mem.Account, build *Side) (done bool, err error) {
	c := coder{codes: m.codes}
	codes, flip, ok := c.plain(m.build)
	if !ok {
		return false, nil
	}
	in := &coded{codes: &mem.Buffer[uint64]{S: codes}}
	lo, hi, err := in.codeRange(ctx, flip)
	if err != nil || !isDense(lo, hi, build.Rows) {
		return false, err
	}
	return true, m.buildDirect(ctx, acct, build, in, &direct{min: lo ^ flip, flip: flip, size: hi - lo + 1})
}

func (m *hashMatcher) buildDirect(ctx *op.Ctx, acct *mem.Account, build *Side, in *coded, d *direct) error {
	full := in.skip == nil && d.size == uint64(build.Rows)
	if full && in.inOrder(d.min) {
		m.direct = d
		return m.checkPure(ctx, nil)
	}
	single, err := mem.Alloc[int32](acct, int(d.size+1))
	if err != nil {
		return err
	}
	d.one = single.S
	twice, err := d.fillUnique(ctx, in)
	if err != nil {
		single.Free()
		return err
	}
	if !twice {
		return m.keepUnique(ctx, acct, build, in, d, single)
	}
	single.Free()
	d.one = nil
	digits := d.digits()
	p, err := partition(ctx, acct, in, digits)
	if err != nil {
		return err
	}
	defer p.free()
	off, err := mem.Alloc[int32](acct, int(d.size+2))
	if err != nil {
		return err
	}
	m.held.add(off)
	rows, err := mem.Alloc[int32](acct, p.valid())
	if err != nil {
		return err
	}
	m.held.add(rows)
	d.off, d.rows = off.S, rows.S
	m.direct = d
	return m.checkPure(ctx, d.fillLists(ctx, p, digits.shift))
}

// keepUnique ends the making of a table in which no code comes twice.
func (m *hashMatcher) keepUnique(ctx *op.Ctx, acct *mem.Account, build *Side, in *coded, d *direct, single *mem.Buffer[int32]) error {
	m.direct = d
	if in.skip == nil && d.size == uint64(build.Rows) && m.arrange {
		arranged, err := d.arrange(ctx, acct, build, in)
		if err != nil || arranged {
			d.one = nil
			single.Free()
			return m.checkPure(ctx, err)
		}
	}
	m.held.add(single)
	return m.checkPure(ctx, nil)
}

func (m *hashMatcher) buildTable(ctx *op.Ctx, acct *mem.Account, in *coded) error {
	partBits, regionBits := shape(len(in.codes.S), maxRegions)
	p, err := partition(ctx, acct, in, digits{hashed: true, shift: 64 - partBits, count: 1 << partBits})
	if err != nil {
		return err
	}
	defer p.free()
	t, slots, rows, err := buildTable(ctx, acct, p, partBits, regionBits)
	if err != nil {
		return err
	}
	m.table = t
	m.held.add(slots)
	if rows != nil {
		m.held.add(rows)
	}
	return m.checkPure(ctx, nil)
}

// checkPure compares the keys of every list's rows with its first row's, where codes
// are hashes, unless err is set.
func (m *hashMatcher) checkPure(ctx *op.Ctx, err error) error {
	if err != nil || m.codes.exact {
		return err
	}
	if m.texts, err = newKeyTexts(ctx, m.acct, m.build, m.build[0].N, &m.held); err != nil {
		return err
	}
	var row, first []int32
	check := func() bool {
		n := m.texts.keepEqual(m.build, m.build, row, first)
		same := n == len(row)
		row, first = row[:0], first[:0]
		return same && ctx.Err() == nil
	}
	lists := func(start, count int32) bool {
		rows := m.rows()
		for i := start + 1; i < start+count; i++ {
			row, first = append(row, rows[i]), append(first, rows[start])
			if len(row) == block && !check() {
				return false
			}
		}
		return true
	}
	m.pure = m.rows() == nil || m.eachList(lists) && check()
	return ctx.Err()
}

func (m *hashMatcher) rows() []int32 {
	if m.direct != nil {
		return m.direct.rows
	}
	return m.table.rows
}

// eachList calls f for every list until it returns false.
func (m *hashMatcher) eachList(f func(start, count int32) bool) bool {
	if m.direct != nil {
		for a := range m.direct.size {
			from, to := m.direct.off[a], m.direct.off[a+1]
			if to-from > 1 && !f(from, to-from) {
				return false
			}
		}
		return true
	}
	for i := range m.table.slots {
		if list := m.table.slots[i].list; countOf(list) > 1 && !f(startOf(list), countOf(list)) {
			return false
		}
	}
	return true
}

// Prober implements Matcher.
func (m *hashMatcher) Prober() Prober {
	return &hashProber{m: m, coder: coder{codes: m.codes}, expander: expander{rows: m.rows(), once: m.once && m.pure}}
}

// Close implements Matcher.
func (m *hashMatcher) Close() {
	m.held.free()
	m.sieve.free()
}

type hashProber struct {
	expander
	m       *hashMatcher
	coder   coder
	probe   []*vec.Vector
	codes   []uint64
	skip    []bool
	sel     []int32
	first   []int32
	pending pending
	sifting sifting
}

// Probe implements Prober.
func (p *hashProber) Probe(probe *Side) error {
	p.probe = probe.Keys[:len(p.m.nullSafe)]
	if p.m.direct != nil {
		if codes, flip, ok := p.coder.plain(p.probe); ok {
			p.m.direct.lookup(codes, flip, &p.hits)
			p.begin()
			return nil
		}
	}
	some := p.encode(probe.Rows)
	if p.m.direct != nil {
		p.m.direct.lookup(p.codes, 0, &p.hits)
		if some || !p.m.codes.exact {
			p.hits.name()
		}
	} else {
		some = p.sift(some)
		p.m.table.lookup(p.codes, &p.hits, &p.pending)
		p.looked(len(p.codes), len(p.hits.row))
	}
	if some {
		for i, at := range p.hits.row {
			p.hits.row[i] = p.sel[at]
		}
	}
	if !p.m.codes.exact && p.m.pure {
		p.verifyLists()
	}
	p.begin()
	return nil
}

// encode computes the codes of n rows. With some only those of the rows sel take part,
// and their codes are moved together.
func (p *hashProber) encode(n int) (some bool) {
	if cap(p.codes) < n {
		p.codes, p.skip, p.sel = make([]uint64, n), make([]bool, n), make([]int32, n)
	}
	p.codes, p.skip, p.sel = p.codes[:n], p.skip[:n], p.sel[:n]
	clear(p.skip)
	if !p.coder.encode(p.probe, p.codes, p.skip) {
		return false
	}
	k := 0
	for i, s := range p.skip {
		p.sel[k], p.codes[k] = int32(i), p.codes[i]
		k += one(!s)
	}
	p.sel, p.codes = p.sel[:k], p.codes[:k]
	return true
}

// verifyLists drops the hits whose list has other keys than the probe row.
func (p *hashProber) verifyLists() {
	h := &p.hits
	first := h.start
	if p.rows != nil {
		p.first = p.first[:0]
		for _, s := range h.start {
			p.first = append(p.first, p.rows[s])
		}
		h.cut(p.m.texts.keepEqual(p.probe, p.m.build, h.row, p.first, h.start, h.count))
		return
	}
	h.cut(p.m.texts.keepEqual(p.probe, p.m.build, h.row, first, h.count))
}

// Next implements Prober.
func (p *hashProber) Next(limit int) (Pairs, bool, error) {
	pairs, done := p.next(limit)
	if !p.m.pure {
		n := p.m.texts.keepEqual(p.probe, p.m.build, pairs.Probe, pairs.Build)
		pairs = Pairs{pairs.Probe[:n], pairs.Build[:n]}
	}
	return pairs, done, nil
}
