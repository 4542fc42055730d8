package radix

import (
	"slices"

	"gsql/exec/join/hash"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Matcher joins by equality, one probe buffer at a time. It implements match.BufferedMatcher.
type Matcher struct {
	NullSafe  []bool
	Once      bool        // one partner is enough for a probe row
	ByRow     bool        // pairs are returned by probe row if each has at most one partner: see findAll
	Filters   bool        // a Bloom filter may pay
	ProbeSide *input.Spec // of the probe side
	KeepKeys  bool        // pairs need the keys of probe rows
	buffers   probeBuffers
	filter    hash.Filter

	ctx   *op.Ctx
	acct  *mem.Account
	codes *keyenc.Encoding
	build []*vec.Vector // equality keys
	table *hash.BucketTable
	shift uint // right shift of a hash to its partition
}

// Build implements Builder.
func (m *Matcher) Build(ctx *op.Ctx, acct *mem.Account, build *match.Side) error {
	m.ctx, m.acct, m.build = ctx, acct, build.Keys[:len(m.NullSafe)]
	m.codes = keyenc.NewEncoding(m.build, m.NullSafe)
	m.Once = m.Once && m.codes.Exact
	partBits := hash.BucketPartitionBits(build.Rows)
	m.shift = 64 - partBits
	p, err := m.partition(build.Rows)
	if err != nil {
		return err
	}
	var order *mem.Buffer[int32]
	if m.table, order, err = hash.NewBucketTable(ctx, acct, p, partBits); err != nil {
		return err
	}
	m.Filters = m.Filters && 2*build.Rows >= hash.FilterSlots // at least half of their slots
	err = hash.Reorder(ctx, acct, slices.Concat(build.Cols, build.Keys), order.S)
	order.Free()
	if err != nil {
		return err
	}
	m.buffers.spec, m.buffers.keys = m.ProbeSide, m.KeepKeys
	return m.buffers.prepare(ctx, acct, m.codes.Exact, build.Rows, 1<<partBits)
}

func (m *Matcher) partition(rows int) (*partition.Parts, error) {
	in, err := keyenc.Encode(m.ctx, m.acct, m.codes, m.build, rows)
	if err != nil {
		return nil, err
	}
	defer in.Free()
	return partition.Split(m.ctx, m.acct, in, partition.Digits{Hashed: true, Shift: m.shift, Count: 1 << (64 - m.shift)})
}

// BufferedProber implements BufferedMatcher.
func (m *Matcher) BufferedProber(in op.Stream, r match.BatchReader) (match.Prober, match.ProbeRows, error) {
	room, err := m.buffers.take(m.acct)
	if err != nil {
		return nil, nil, err
	}
	p := &prober{m: m, buffer: room, encoder: keyenc.Encoder{Encoding: m.codes}, next: make([]int32, 1<<(64-m.shift))}
	p.Once, p.Runs = m.Once, m.table.Start != nil
	return p, &bufferSource{buffers: &m.buffers, in: in, reader: r, prober: p, ctx: m.ctx}, nil
}

// Close implements Builder.
func (m *Matcher) Close() {
	m.buffers.held.Free()
	m.filter.Free()
	m.table.Free()
}

// prober probes with probe buffers.
type prober struct {
	match.Expander
	m         *Matcher
	filtering hash.FilterUse
	encoder   keyenc.Encoder
	skip      []bool
	keys      []*vec.Vector // of the buffer, if pairs must be compared
	scan      hash.BucketScan
	buffer    *probeBuffer
	next      []int32 // by partition: number of the buffer's codes, then the position of the next one
	dealing   partition.Scatterer
	from      int     // next code to look up, or row of found
	found     []int32 // partners of the buffer's rows, counted from 1; nil if codes are looked up on demand
}

// gather adds the keys of further rows of the buffer, which begin at row base.
func (p *prober) gather(batch *match.Side, base int) {
	n, r := batch.Rows, p.buffer
	keys, codes, rows := batch.Keys[:len(p.m.NullSafe)], r.codes.S[r.n:r.n+n], r.rows.S[r.n:r.n+n]
	if plain, flip, ok := p.encoder.Plain(keys); ok {
		for i, c := range plain[:len(codes)] {
			codes[i] = c ^ flip
		}
		vec.Ascend(rows, base)
	} else {
		n = p.encode(keys, codes, rows, base)
	}
	n = p.applyFilter(codes[:n], rows[:n])
	of, digits, count := partition.Digits{Hashed: true, Shift: p.m.shift}, r.digits.S[r.n:r.n+n], p.next
	of.Of(digits, codes[:n], nil)
	for _, x := range digits {
		count[x]++
	}
	r.n += n
}

// encode writes the codes of the rows that may have partners, and these rows, and returns their
// number.
func (p *prober) encode(keys []*vec.Vector, codes []uint64, rows []int32, base int) int {
	if len(p.skip) < len(codes) {
		p.skip = make([]bool, len(codes))
	}
	skip := p.skip[:len(codes)]
	clear(skip)
	vec.Ascend(rows, base)
	if !p.encoder.Encode(keys, codes, skip) {
		return len(codes)
	}
	n := 0
	for i, s := range skip {
		rows[n], codes[n] = rows[i], codes[i]
		n += vec.One(!s)
	}
	return n
}

// Probe implements Prober. The batch is the buffer whose keys were gathered.
func (p *prober) Probe(round *match.Side) error {
	p.keys, p.from, p.found = round.Keys, 0, nil
	p.Hits.Cut(0)
	p.Begin()
	if err := p.order(); err != nil || !p.m.ByRow || p.Runs {
		return err
	}
	return p.findAll(round.Rows)
}

// findAll looks up all codes and records the partners by row. In partition order, the columns of
// the build side are in the cache, but not those of the buffer; in row order, it is the reverse.
func (p *prober) findAll(rows int) error {
	found := p.buffer.rows.S[:rows] // no longer needed: the codes have been ordered
	clear(found)
	for p.from < p.buffer.n {
		if err := p.m.ctx.Err(); err != nil {
			return err
		}
		for range checkBlocks {
			p.lookUpBlock()
			for i, row := range p.Hits.Row {
				found[row] = p.Hits.Start[i] + 1
			}
		}
	}
	p.Hits.Cut(0)
	p.from, p.found = 0, found
	return nil
}

// checkBlocks is the number of blocks between checks for cancellation.
const checkBlocks = 16

// order puts the codes in partition order and clears next.
func (p *prober) order() error {
	at := int32(0)
	for x, n := range p.next {
		p.next[x], at = at, at+n
	}
	r := p.buffer
	p.dealing.Begin(r.ordered.S[:r.n], r.orderedRows.S[:r.n], p.next, r.buffers(len(p.next)))
	for from := 0; from < r.n; from += op.Block {
		if from%(checkBlocks*op.Block) == 0 && p.m.ctx.Err() != nil {
			return p.m.ctx.Err()
		}
		part := r.codes.S[from:min(from+op.Block, r.n)]
		p.dealing.Deal(part, r.rows.S[from:], r.digits.S[from:])
	}
	p.dealing.End()
	clear(p.next)
	return nil
}

// Next implements Prober.
func (p *prober) Next(limit int) (match.Pairs, bool, error) {
	if p.At == len(p.Hits.Row) {
		switch {
		case p.found == nil && p.from == p.buffer.n, p.found != nil && p.from == len(p.found):
			return match.Pairs{}, true, nil
		case p.found == nil:
			p.lookUpBlock()
		default:
			p.foundBlock()
		}
		p.Begin()
	}
	pairs, _ := p.Expander.NextPairs(limit)
	if !p.m.codes.Exact {
		n := keyenc.KeepEqual(p.keys, p.m.build, pairs.Probe, pairs.Build)
		pairs.Probe, pairs.Build = pairs.Probe[:n], pairs.Build[:n]
	}
	return pairs, false, nil
}

// lookUpBlock looks up the next codes.
func (p *prober) lookUpBlock() {
	to := min(p.from+op.Block, p.buffer.n)
	rows := p.buffer.orderedRows.S[p.from:to]
	p.m.table.Lookup(p.buffer.ordered.S[p.from:to], &p.Hits, &p.scan)
	p.from = to
	for i, at := range p.Hits.Row {
		p.Hits.Row[i] = rows[at]
	}
}

// foundBlock makes hits of the next rows that have a partner.
func (p *prober) foundBlock() {
	part := p.found[p.from:min(p.from+op.Block, len(p.found))]
	h := &p.Hits
	h.Resize(len(part))
	row, start, n := h.Row, h.Start, 0
	for i, b := range part {
		row[n], start[n] = int32(p.from+i), b-1
		n += vec.One(b > 0)
	}
	h.Cut(n)
	p.from += len(part)
}
