package join

import (
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// radixMatcher is the radix-partitioned hash join (Manegold, Boncz and Kersten, Optimizing
// Main-Memory Join on Modern Hardware, 2002; Balkesen, Teubner, Alonso and Özsu, Main-Memory
// Hash Joins on Multi-Core CPUs, 2013). The build side is partitioned once, with its columns,
// and each partition's table stays. Probe rows come in rounds: the codes of a round are
// ordered by partition, so that one after the other is in the cache while all rows of the
// round that need it are looked up and their columns are fetched.
type radixMatcher struct {
	nullSafe []bool
	once     bool // one partner is enough
	byRow    bool // pairs come by probe row, where each has one partner at most: see findAll
	sifts    bool // a sieve may pay
	rounds   rounds
	sieve    sieve

	ctx   *op.Ctx
	acct  *mem.Account
	codes *codes
	build []*vec.Vector // equality keys
	table *clustered
	shift uint // of the hash: what remains is the partition
}

// newRadixMatcher makes the matcher for a plan, of whose sides it builds the left one where
// left is set.
func newRadixMatcher(p *plan, left bool) *radixMatcher {
	m := &radixMatcher{nullSafe: p.nullSafe, once: p.once(left), sifts: p.manyProbes}
	m.rounds.spec, m.rounds.keys = p.left, p.nullAware
	probe, build := fromLeft, fromRight
	if left {
		m.rounds.spec = p.right
		probe, build = build, probe
	}
	m.byRow = p.views[probe] > p.views[build]
	return m
}

// Build implements builder.
func (m *radixMatcher) Build(ctx *op.Ctx, acct *mem.Account, build *Side) error {
	m.ctx, m.acct, m.build = ctx, acct, build.Keys[:len(m.nullSafe)]
	m.codes = newCodes(m.build, m.nullSafe)
	m.once = m.once && m.codes.exact
	partBits := clusterBits(build.Rows)
	m.shift = 64 - partBits
	p, err := m.partition(build.Rows)
	if err != nil {
		return err
	}
	var order *mem.Buffer[int32]
	if m.table, order, err = cluster(ctx, acct, p, partBits); err != nil {
		return err
	}
	m.sifts = m.sifts && 2*build.Rows >= sieveSlots // at half their slots
	err = reorder(ctx, acct, slices.Concat(build.Cols, build.Keys), order.S)
	order.Free()
	if err != nil {
		return err
	}
	return m.rounds.prepare(ctx, acct, m.codes.exact, build.Rows, 1<<partBits)
}

func (m *radixMatcher) partition(rows int) (*parts, error) {
	in, err := encodeSide(m.ctx, m.acct, m.codes, m.build, rows)
	if err != nil {
		return nil, err
	}
	defer in.free()
	return partition(m.ctx, m.acct, in, digits{hashed: true, shift: m.shift, count: 1 << (64 - m.shift)})
}

// probe implements inRounds.
func (m *radixMatcher) probe(in op.Stream, r *reader) (Prober, probeRows, error) {
	room, err := m.rounds.take(m.acct)
	if err != nil {
		return nil, nil, err
	}
	p := &radixProber{m: m, round: room, coder: coder{codes: m.codes}, next: make([]int32, 1<<(64-m.shift))}
	p.once, p.runs = m.once, m.table.start != nil
	return p, &roundSource{rounds: &m.rounds, in: in, reader: r, prober: p, ctx: m.ctx}, nil
}

// Close implements builder.
func (m *radixMatcher) Close() {
	m.rounds.held.free()
	m.sieve.free()
	m.table.free()
}

// radixProber probes with rounds.
type radixProber struct {
	expander
	m       *radixMatcher
	sifting sifting
	coder   coder
	skip    []bool
	keys    []*vec.Vector // of the round, where pairs are compared by them
	scan    bucketScan
	round   *round
	next    []int32 // by partition: codes of the round so far, then where the next one goes
	dealing scatterer
	from    int     // next code to look up, or row of found
	found   []int32 // partners of the round's rows, counted from 1; nil where codes are looked up as wanted
}

// gather takes the keys of further rows of the round, which begin at row base.
func (p *radixProber) gather(batch *Side, base int) {
	n, r := batch.Rows, p.round
	keys, codes, rows := batch.Keys[:len(p.m.nullSafe)], r.codes.S[r.n:r.n+n], r.rows.S[r.n:r.n+n]
	if plain, flip, ok := p.coder.plain(keys); ok {
		for i, c := range plain[:len(codes)] {
			codes[i] = c ^ flip
		}
		number(rows, base)
	} else {
		n = p.encode(keys, codes, rows, base)
	}
	n = p.sift(codes[:n], rows[:n])
	of, digits, count := digits{hashed: true, shift: p.m.shift}, r.digits.S[r.n:r.n+n], p.next
	of.of(digits, codes[:n], nil)
	for _, x := range digits {
		count[x]++
	}
	r.n += n
}

// number writes the numbers of rows from base on.
func number(rows []int32, base int) {
	for i := range rows {
		rows[i] = int32(base + i)
	}
}

// encode writes the codes of rows that may have partners, and their numbers, and gives how
// many they are.
func (p *radixProber) encode(keys []*vec.Vector, codes []uint64, rows []int32, base int) int {
	if len(p.skip) < len(codes) {
		p.skip = make([]bool, len(codes))
	}
	skip := p.skip[:len(codes)]
	clear(skip)
	number(rows, base)
	if !p.coder.encode(keys, codes, skip) {
		return len(codes)
	}
	n := 0
	for i, s := range skip {
		rows[n], codes[n] = rows[i], codes[i]
		n += one(!s)
	}
	return n
}

// Probe implements Prober: the batch is the round whose keys were gathered.
func (p *radixProber) Probe(round *Side) error {
	p.keys, p.from, p.found = round.Keys, 0, nil
	p.hits.cut(0)
	p.begin()
	if err := p.order(); err != nil || !p.m.byRow || p.runs {
		return err
	}
	return p.findAll(round.Rows)
}

// findAll looks up all codes and notes the partners by row. In the order of the partitions what
// the build side gives is in the cache, but not what the round gives; in that of the rows it is
// the other way round.
func (p *radixProber) findAll(rows int) error {
	found := p.round.rows.S[:rows] // it is in order by now
	clear(found)
	for p.from < p.round.n {
		if err := p.m.ctx.Err(); err != nil {
			return err
		}
		for range checkBlocks {
			p.lookUpBlock()
			for i, row := range p.hits.row {
				found[row] = p.hits.start[i] + 1
			}
		}
	}
	p.hits.cut(0)
	p.from, p.found = 0, found
	return nil
}

// checkBlocks is how many blocks are dealt with between two looks whether the query goes on.
const checkBlocks = 16

// order puts the codes into the order of the partitions, and clears next.
func (p *radixProber) order() error {
	at := int32(0)
	for x, n := range p.next {
		p.next[x], at = at, at+n
	}
	r := p.round
	p.dealing.to(r.ordered.S[:r.n], r.orderedRows.S[:r.n], p.next, r.buffers(len(p.next)))
	for from := 0; from < r.n; from += block {
		if from%(checkBlocks*block) == 0 && p.m.ctx.Err() != nil {
			return p.m.ctx.Err()
		}
		part := r.codes.S[from:min(from+block, r.n)]
		p.dealing.deal(part, r.rows.S[from:], r.digits.S[from:])
	}
	p.dealing.end()
	clear(p.next)
	return nil
}

// Next implements Prober.
func (p *radixProber) Next(limit int) (Pairs, bool, error) {
	if p.at == len(p.hits.row) {
		switch {
		case p.found == nil && p.from == p.round.n, p.found != nil && p.from == len(p.found):
			return Pairs{}, true, nil
		case p.found == nil:
			p.lookUpBlock()
		default:
			p.foundBlock()
		}
		p.begin()
	}
	pairs, _ := p.expander.next(limit)
	if !p.m.codes.exact {
		n := KeepEqual(p.keys, p.m.build, pairs.Probe, pairs.Build)
		pairs.Probe, pairs.Build = pairs.Probe[:n], pairs.Build[:n]
	}
	return pairs, false, nil
}

// lookUpBlock looks up the next codes.
func (p *radixProber) lookUpBlock() {
	to := min(p.from+block, p.round.n)
	rows := p.round.orderedRows.S[p.from:to]
	p.m.table.lookup(p.round.ordered.S[p.from:to], &p.hits, &p.scan)
	p.from = to
	for i, at := range p.hits.row {
		p.hits.row[i] = rows[at]
	}
}

// foundBlock makes hits of the next rows that have a partner.
func (p *radixProber) foundBlock() {
	part := p.found[p.from:min(p.from+block, len(p.found))]
	h := &p.hits
	h.resize(len(part))
	row, start, n := h.row, h.start, 0
	for i, b := range part {
		row[n], start[n] = int32(p.from+i), b-1
		n += one(b > 0)
	}
	h.cut(n)
	p.from += len(part)
}
