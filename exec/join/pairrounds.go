package join

import (
	"errors"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// pairedRounds makes of a Pairer, which needs both sides whole, a join that holds left rows:
// the right ones stream past in rounds of about as many, and each is paired with the left rows
// anew. It is for a single stream of right rows.
type pairedRounds struct {
	spec *sideSpec // of the right side
	make func() Pairer

	ctx   *op.Ctx
	acct  *mem.Account
	left  *Side
	taken int64        // of acct, for
	room  *mem.Account // rounds and what is made of them: no other join can take it
}

// Build implements builder. It pairs the left rows with themselves to see what that takes.
func (m *pairedRounds) Build(ctx *op.Ctx, acct *mem.Account, left *Side) error {
	m.ctx, m.acct, m.left = ctx, acct, left
	if left.Rows == 0 {
		return nil
	}
	trial, pairer := acct.Child("trial"), m.make()
	err := pairer.Build(ctx, trial, left, left)
	pairer.Close()
	if err != nil {
		return err
	}
	bytes := 2 * trial.Peak() // half of it for the round's rows: see probe
	if err := acct.Reserve(bytes); err != nil {
		return err
	}
	m.taken, m.room = bytes, mem.NewRoot("RangeJoin round", bytes)
	return nil
}

// Close implements builder.
func (m *pairedRounds) Close() {
	if m.taken > 0 {
		m.acct.Release(m.taken)
		m.taken = 0
	}
}

// probe implements inRounds.
func (m *pairedRounds) probe(in op.Stream, r *reader) (Prober, probeRows, error) {
	ts, keyCol := m.spec.stored()
	half := m.room.Limited("RangeJoin round", m.taken/2) // one row at least must find room to be paired
	p := &pairedRound{pairedRounds: m, in: in, reader: r, keyCol: keyCol, store: colstore.New(ts, half)}
	return p, p, nil
}

// pairedRound has the right rows of a round, and a pairer of some of them at a time: of fewer
// where memory lacks.
type pairedRound struct {
	*pairedRounds
	in     op.Stream
	reader *reader
	keyCol []int
	store  *colstore.Store
	ahead  *vec.Batch // read, and in no round
	side   Side

	round    *Side
	from, to int // the rows that are paired
	pairer   Pairer
	worker   PairWorker
}

// next implements probeRows.
func (p *pairedRound) next() (*Side, int64, error) {
	p.store.Free()
	for p.store.Rows() < p.left.Rows {
		b, err := p.read()
		if err != nil {
			return nil, 0, err
		}
		if b == nil {
			break
		}
		row, err := p.reader.read(b)
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
	p.side = Side{Rows: p.store.Rows(), Cols: cols[:len(p.spec.at)]}
	for _, c := range p.keyCol {
		p.side.Keys = append(p.side.Keys, cols[c])
	}
	return &p.side, 0, nil
}

// read gives the batch that no round has, or another one.
func (p *pairedRound) read() (b *vec.Batch, err error) {
	if err = p.ctx.Err(); err == nil && p.ahead == nil {
		p.ahead, err = p.in.Next()
	}
	return p.ahead, err
}

// stored gives rows as they are stored.
func (p *pairedRound) stored(s *Side) *vec.Batch {
	b := &vec.Batch{N: s.Rows, Cols: slices.Clone(s.Cols)}
	for i, c := range p.keyCol {
		if c == len(b.Cols) {
			b.Cols = append(b.Cols, s.Keys[i])
		}
	}
	return b
}

// close implements probeRows.
func (p *pairedRound) close() {
	p.end()
	p.store.Free()
}

func (p *pairedRound) end() {
	if p.pairer != nil {
		p.pairer.Close()
	}
	p.pairer, p.worker = nil, nil
}

// Probe implements Prober.
func (p *pairedRound) Probe(round *Side) error {
	p.round, p.from, p.to = round, 0, round.Rows
	return nil
}

// Next implements Prober.
func (p *pairedRound) Next(limit int) (Pairs, bool, error) {
	if p.worker == nil {
		if err := p.begin(); err != nil {
			return Pairs{}, false, err
		}
	}
	found, done, err := p.worker.Next(limit)
	if err != nil {
		return Pairs{}, false, err
	}
	for i := range found.Build {
		found.Build[i] += int32(p.from)
	}
	if done {
		p.end()
		n := p.to - p.from
		p.from, p.to = p.to, min(p.to+n, p.round.Rows)
	}
	return Pairs{Probe: found.Build, Build: found.Probe}, done && p.from == p.round.Rows, nil
}

// begin makes a pairer of further rows of the round.
func (p *pairedRound) begin() error {
	for {
		some := &Side{Rows: p.to - p.from}
		for _, k := range p.round.Keys {
			some.Keys = append(some.Keys, k.Slice(p.from, p.to).Flatten(nil))
		}
		p.pairer = p.make()
		err := p.pairer.Build(p.ctx, p.room, p.left, some)
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
