package hash

import (
	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Matcher joins by equality through one table of the build side; the probe side is not
// partitioned.
type Matcher struct {
	NullSafe []bool
	Once     bool // one partner is enough for a probe row
	Arrange  bool // the probe side is many times larger: see direct.arrange

	codes  *keyenc.Encoding
	build  []*vec.Vector // equality keys
	texts  keyenc.Texts  // of the keys, if codes are hashes
	direct *direct
	table  *table
	// pure is set if all rows of a list have equal keys. Inexact codes may mix different keys in
	// a list; then every pair must be compared, not only the list's first row.
	pure   bool
	held   mem.Buffers
	acct   *mem.Account
	filter Filter
}

// Build implements Matcher.
func (m *Matcher) Build(ctx *op.Ctx, acct *mem.Account, build *match.Side) error {
	m.build, m.acct = build.Keys[:len(m.NullSafe)], acct
	m.codes = keyenc.NewEncoding(m.build, m.NullSafe)
	m.pure = true
	if done, err := m.buildPlain(ctx, acct, build); done || err != nil {
		return err
	}
	in, err := keyenc.Encode(ctx, acct, m.codes, m.build, build.Rows)
	if err != nil {
		return err
	}
	defer in.Free()
	lo, hi, err := in.Range(ctx, 0)
	if err != nil {
		return err
	}
	if isDense(lo, hi, build.Rows) {
		return m.buildDirect(ctx, acct, build, in, &direct{min: lo, size: hi - lo + 1})
	}
	return m.buildTable(ctx, acct, in)
}

// buildPlain makes a direct table if the codes are dense, reading them from the key's own memory.
func (m *Matcher) buildPlain(ctx *op.Ctx, acct *mem.Account, build *match.Side) (done bool, err error) {
	c := keyenc.Encoder{Encoding: m.codes}
	codes, flip, ok := c.Plain(m.build)
	if !ok {
		return false, nil
	}
	in := &keyenc.Codes{Words: &mem.Buffer[uint64]{S: codes}}
	lo, hi, err := in.Range(ctx, flip)
	if err != nil || !isDense(lo, hi, build.Rows) {
		return false, err
	}
	return true, m.buildDirect(ctx, acct, build, in, &direct{min: lo ^ flip, flip: flip, size: hi - lo + 1})
}

func (m *Matcher) buildDirect(ctx *op.Ctx, acct *mem.Account, build *match.Side, in *keyenc.Codes, d *direct) error {
	full := in.Skip == nil && d.size == uint64(build.Rows)
	if full && in.Consecutive(d.min) {
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
	p, err := partition.Split(ctx, acct, in, digits)
	if err != nil {
		return err
	}
	defer p.Free()
	off, err := mem.Alloc[int32](acct, int(d.size+2))
	if err != nil {
		return err
	}
	m.held.Add(off)
	rows, err := mem.Alloc[int32](acct, p.Valid())
	if err != nil {
		return err
	}
	m.held.Add(rows)
	d.off, d.rows = off.S, rows.S
	m.direct = d
	return m.checkPure(ctx, d.fillLists(ctx, p, digits.Shift))
}

// keepUnique completes a direct table without duplicate codes.
func (m *Matcher) keepUnique(ctx *op.Ctx, acct *mem.Account, build *match.Side, in *keyenc.Codes, d *direct, single *mem.Buffer[int32]) error {
	m.direct = d
	if in.Skip == nil && d.size == uint64(build.Rows) && m.Arrange {
		arranged, err := d.arrange(ctx, acct, build, in)
		if err != nil || arranged {
			d.one = nil
			single.Free()
			return m.checkPure(ctx, err)
		}
	}
	m.held.Add(single)
	return m.checkPure(ctx, nil)
}

func (m *Matcher) buildTable(ctx *op.Ctx, acct *mem.Account, in *keyenc.Codes) error {
	partBits, regionBits := shape(len(in.Words.S), maxRegions)
	p, err := partition.Split(ctx, acct, in, partition.Digits{Hashed: true, Shift: 64 - partBits, Count: 1 << partBits})
	if err != nil {
		return err
	}
	defer p.Free()
	t, slots, rows, err := buildTable(ctx, acct, p, partBits, regionBits)
	if err != nil {
		return err
	}
	m.table = t
	m.held.Add(slots)
	if rows != nil {
		m.held.Add(rows)
	}
	return m.checkPure(ctx, nil)
}

// checkPure compares the keys of every list's rows with those of its first row if codes are
// hashes. If err is set, it only returns err.
func (m *Matcher) checkPure(ctx *op.Ctx, err error) error {
	if err != nil || m.codes.Exact {
		return err
	}
	if m.texts, err = keyenc.NewTexts(ctx, m.acct, m.build, m.build[0].N, &m.held); err != nil {
		return err
	}
	var row, first []int32
	check := func() bool {
		n := m.texts.KeepEqual(m.build, m.build, row, first)
		same := n == len(row)
		row, first = row[:0], first[:0]
		return same && ctx.Err() == nil
	}
	lists := func(start, count int32) bool {
		rows := m.rows()
		for i := start + 1; i < start+count; i++ {
			row, first = append(row, rows[i]), append(first, rows[start])
			if len(row) == op.Block && !check() {
				return false
			}
		}
		return true
	}
	m.pure = m.rows() == nil || m.eachList(lists) && check()
	return ctx.Err()
}

func (m *Matcher) rows() []int32 {
	if m.direct != nil {
		return m.direct.rows
	}
	return m.table.rows
}

// eachList calls f with every list of several rows until f returns false.
func (m *Matcher) eachList(f func(start, count int32) bool) bool {
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
func (m *Matcher) Prober() match.Prober {
	return &prober{m: m, encoder: keyenc.Encoder{Encoding: m.codes}, Expander: match.Expander{Rows: m.rows(), Once: m.Once && m.pure}}
}

// Close implements Matcher.
func (m *Matcher) Close() {
	m.held.Free()
	m.filter.Free()
}

type prober struct {
	match.Expander
	m         *Matcher
	encoder   keyenc.Encoder
	probe     []*vec.Vector
	codes     []uint64
	skip      []bool
	sel       []int32
	first     []int32
	pending   pending
	filtering FilterUse
}

// Probe implements Prober.
func (p *prober) Probe(probe *match.Side) error {
	p.probe = probe.Keys[:len(p.m.NullSafe)]
	if p.m.direct != nil {
		if codes, flip, ok := p.encoder.Plain(p.probe); ok {
			p.m.direct.lookup(codes, flip, &p.Hits)
			p.Begin()
			return nil
		}
	}
	some := p.encode(probe.Rows)
	if p.m.direct != nil {
		p.m.direct.lookup(p.codes, 0, &p.Hits)
		if some || !p.m.codes.Exact {
			p.Hits.NameRows()
		}
	} else {
		some = p.applyFilter(some)
		p.m.table.lookup(p.codes, &p.Hits, &p.pending)
		p.noteLookup(len(p.codes), len(p.Hits.Row))
	}
	if some {
		for i, at := range p.Hits.Row {
			p.Hits.Row[i] = p.sel[at]
		}
	}
	if !p.m.codes.Exact && p.m.pure {
		p.verifyLists()
	}
	p.Begin()
	return nil
}

// encode computes the codes of n rows. If it returns true, only the rows in sel take part, and
// their codes are compacted.
func (p *prober) encode(n int) (some bool) {
	if cap(p.codes) < n {
		p.codes, p.skip, p.sel = make([]uint64, n), make([]bool, n), make([]int32, n)
	}
	p.codes, p.skip, p.sel = p.codes[:n], p.skip[:n], p.sel[:n]
	clear(p.skip)
	if !p.encoder.Encode(p.probe, p.codes, p.skip) {
		return false
	}
	k := 0
	for i, s := range p.skip {
		p.sel[k], p.codes[k] = int32(i), p.codes[i]
		k += vec.One(!s)
	}
	p.sel, p.codes = p.sel[:k], p.codes[:k]
	return true
}

// verifyLists drops the hits whose list has different keys from the probe row.
func (p *prober) verifyLists() {
	h := &p.Hits
	first := h.Start
	if p.Rows != nil {
		p.first = p.first[:0]
		for _, s := range h.Start {
			p.first = append(p.first, p.Rows[s])
		}
		h.Cut(p.m.texts.KeepEqual(p.probe, p.m.build, h.Row, p.first, h.Start, h.Count))
		return
	}
	h.Cut(p.m.texts.KeepEqual(p.probe, p.m.build, h.Row, first, h.Count))
}

// Next implements Prober.
func (p *prober) Next(limit int) (match.Pairs, bool, error) {
	pairs, done := p.NextPairs(limit)
	if !p.m.pure {
		n := p.m.texts.KeepEqual(p.probe, p.m.build, pairs.Probe, pairs.Build)
		pairs = match.Pairs{Probe: pairs.Probe[:n], Build: pairs.Build[:n]}
	}
	return pairs, done, nil
}
