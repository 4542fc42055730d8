package spill

import (
	"errors"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// PairerMatcher makes a matcher of a Pairer, which needs both sides whole. It holds the left
// rows; the right rows stream past in buffers of about as many rows, and each buffer is paired
// with all left rows. It serves a single stream of right rows.
type PairerMatcher struct {
	Spec *input.Spec // of the right side
	Make func() match.Pairer

	ctx   *op.Ctx
	acct  *mem.Account
	left  *match.Side
	taken int64        // bytes reserved in acct for room
	room  *mem.Account // for the buffers and what is made of them; no other join can take it
}

// Build implements Builder. It pairs the left rows with themselves to measure the memory that
// pairing needs.
func (m *PairerMatcher) Build(ctx *op.Ctx, acct *mem.Account, left *match.Side) error {
	m.ctx, m.acct, m.left = ctx, acct, left
	if left.Rows == 0 {
		return nil
	}
	trial, pairer := acct.Child("trial"), m.Make()
	err := pairer.Build(ctx, trial, left, left)
	pairer.Close()
	if err != nil {
		return err
	}
	bytes := 2 * trial.Peak() // half of it for the rows of a buffer
	if err := acct.Reserve(bytes); err != nil {
		return err
	}
	m.taken, m.room = bytes, acct.Prepaid("RangeJoin round", bytes)
	return nil
}

// Close implements Builder.
func (m *PairerMatcher) Close() {
	if m.taken > 0 {
		m.acct.Release(m.taken)
		m.taken = 0
	}
}

// BufferedProber implements BufferedMatcher.
func (m *PairerMatcher) BufferedProber(in op.Stream, r match.BatchReader) (match.Prober, match.ProbeRows, error) {
	ts, keyCol := m.Spec.Layout()
	half := m.room.Limited("RangeJoin round", m.taken/2) // so that at least one row can be paired
	p := &pairerBuffer{PairerMatcher: m, in: in, reader: r, keyCol: keyCol, store: colstore.New(ts, half)}
	return p, p, nil
}

// pairerBuffer holds the right rows of a buffer, and a Pairer of some of them at a time: fewer if
// memory is short.
type pairerBuffer struct {
	*PairerMatcher
	in     op.Stream
	reader match.BatchReader
	keyCol []int
	store  *colstore.Store
	ahead  *vec.Batch // read, but not yet in a buffer
	side   match.Side

	round    *match.Side
	from, to int // the rows being paired
	pairer   match.Pairer
	worker   match.PairWorker
}

// NextSide implements ProbeRows.
func (p *pairerBuffer) NextSide() (*match.Side, int64, error) {
	p.store.Free()
	for p.store.Rows() < p.left.Rows {
		b, err := p.read()
		if err != nil {
			return nil, 0, err
		}
		if b == nil {
			break
		}
		row, err := p.reader.Read(b)
		if err != nil {
			return nil, 0, err
		}
		err = p.store.Append(p.stored(row))
		if errors.Is(err, sqlerr.OutOfMemory) && p.store.Rows() == 0 {
			p.store.Free()
			p.ahead = nil
			return row, 0, nil
		}
		if errors.Is(err, sqlerr.OutOfMemory) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		p.ahead = nil
	}
	if p.store.Rows() == 0 {
		return nil, 0, nil
	}
	cols := p.store.Columns()
	p.side = match.Side{Rows: p.store.Rows(), Cols: cols[:len(p.Spec.At)]}
	for _, c := range p.keyCol {
		p.side.Keys = append(p.side.Keys, cols[c])
	}
	return &p.side, 0, nil
}

// read returns the batch that is not yet in a buffer, or reads the next one.
func (p *pairerBuffer) read() (b *vec.Batch, err error) {
	if err = p.ctx.Err(); err == nil && p.ahead == nil {
		p.ahead, err = p.in.Next()
	}
	return p.ahead, err
}

// stored returns rows in the stored layout.
func (p *pairerBuffer) stored(s *match.Side) *vec.Batch {
	b := &vec.Batch{N: s.Rows, Cols: slices.Clone(s.Cols)}
	for i, c := range p.keyCol {
		if c == len(b.Cols) {
			b.Cols = append(b.Cols, s.Keys[i])
		}
	}
	return b
}

// Close implements ProbeRows.
func (p *pairerBuffer) Close() {
	p.end()
	p.store.Free()
}

func (p *pairerBuffer) end() {
	if p.pairer != nil {
		p.pairer.Close()
	}
	p.pairer, p.worker = nil, nil
}

// Probe implements Prober.
func (p *pairerBuffer) Probe(round *match.Side) error {
	p.round, p.from, p.to = round, 0, round.Rows
	return nil
}

// Next implements Prober.
func (p *pairerBuffer) Next(limit int) (match.Pairs, bool, error) {
	if p.worker == nil {
		if err := p.begin(); err != nil {
			return match.Pairs{}, false, err
		}
	}
	found, done, err := p.worker.Next(limit)
	if err != nil {
		return match.Pairs{}, false, err
	}
	for i := range found.Build {
		found.Build[i] += int32(p.from)
	}
	if done {
		p.end()
		n := p.to - p.from
		p.from, p.to = p.to, min(p.to+n, p.round.Rows)
	}
	return match.Pairs{Probe: found.Build, Build: found.Probe}, done && p.from == p.round.Rows, nil
}

// begin makes a Pairer of further rows of the buffer.
func (p *pairerBuffer) begin() error {
	for {
		some := &match.Side{Rows: p.to - p.from}
		for _, k := range p.round.Keys {
			some.Keys = append(some.Keys, k.Slice(p.from, p.to).Flatten(nil))
		}
		p.pairer = p.Make()
		err := p.pairer.Build(p.ctx, p.room, p.left, some)
		if some.Rows == 1 && errors.Is(err, sqlerr.OutOfMemory) { // the trial took less, as its left rows have NULLs
			p.end()
			p.pairer = p.Make()
			err = p.pairer.Build(p.ctx, p.acct, p.left, some)
		}
		if err == nil {
			p.worker = p.pairer.Worker()
			return nil
		}
		p.end()
		if some.Rows == 1 || !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		p.to = p.from + some.Rows/2
	}
}
