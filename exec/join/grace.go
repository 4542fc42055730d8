package join

import (
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// grace is what a join by equality keys does when memory has no room for what it has to
// hold: it deals out both sides to partitions on disk by the hash of their keys and joins
// them pair by pair, each with less memory, and again so where a pair is still too large
// (Grace hash join: Kitsuregawa, Tanaka and Moto-oka, Application of Hash to Data Base
// Machine and Its Architecture, 1983). A key whose rows alone do not fit ends in error 1037.
// Joins without such keys leave the rows as they come, and hold as many at a time as fit: see
// blockwise.
type grace struct {
	plan  *plan
	level int
	// again makes the join of two partitions.
	again func(p *plan, l, r op.Operator) op.Operator
	held  *blockwise // nil where rows are dealt out by keys

	mu    sync.Mutex
	sides [2]*dealt // the left and the right side, once on disk
	nulls nullRows  // null-aware: of the right side on disk
	turns spill.Turns[turn]
}

const (
	leftSide, rightSide = 0, 1
	// mostLevels bounds how often partitions are dealt out again.
	mostLevels = 6
)

// newGrace gives nil where rows were dealt out often enough. A null-aware join with a single
// operand is told whether any right row is NULL; with more conditions rows with NULLs meet all
// rows of the other side: see blockwise.
func newGrace(p *plan, level int, again func(p *plan, l, r op.Operator) op.Operator) *grace {
	if level >= mostLevels {
		return nil
	}
	if p.nullAware && !p.oneOperand() {
		return newBlockwise(p, &blockwise{make: holdKeys, apart: true})
	}
	g := &grace{plan: p, level: level, again: again}
	for i := range dealParts {
		g.turns.Add(turn{part: i})
	}
	return g
}

func (g *grace) spec(which int) *sideSpec {
	if which == leftSide {
		return g.plan.left
	}
	return g.plan.right
}

// onDisk tells whether some rows of a side are on disk.
func (g *grace) onDisk(which int) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sides[which] != nil
}

// dealt gives the side on disk.
func (g *grace) dealt(ctx *op.Ctx, which int) (*dealt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sides[which] == nil {
		ts, keyCol := g.spec(which).stored()
		f, err := ctx.Spill.Create(ts)
		if err != nil {
			return nil, err
		}
		d := &dealt{Partitions: spill.NewPartitions(f, dealParts+1), keys: keyCol, shift: 64 - dealBits*(g.level+1)}
		if b := g.held; b != nil {
			d.whole, d.numbered = !b.apart, b.numbered && which == leftSide
			if b.apart {
				d.apart = g.plan
			}
		}
		g.sides[which] = d
	}
	return g.sides[which], nil
}

// put moves the rows of a store to disk.
func (g *grace) put(ctx *op.Ctx, which int, s *colstore.Store) error {
	d, err := g.dealt(ctx, which)
	if err == nil {
		g.countNulls(which, s)
		err = d.deal(ctx, s)
	}
	s.Free()
	return err
}

// countNulls notes what a null-aware join with a single operand has to know of the right side,
// wherever the rows lie.
func (g *grace) countNulls(which int, s *colstore.Store) {
	if which != rightSide || !g.plan.nullAware || g.held != nil {
		return
	}
	_, keyCol := g.plan.right.stored()
	side := &Side{Rows: s.Rows()}
	cols := s.Columns()
	for _, c := range keyCol {
		side.Keys = append(side.Keys, cols[c])
	}
	some := g.plan.findNulls(side)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nulls.rows += some.rows
	if len(some.nulls) > 0 {
		g.nulls.nulls = some.nulls[:1]
	}
}

// helps tells whether err is a want of memory that going to disk remedies.
func (g *grace) helps(ctx *op.Ctx, err error) bool {
	return g != nil && ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory)
}

// collect reads a side to its end, as sideSpec.collect does. Without a Side its rows are on
// disk: all of them, once some were. right, the right side's rows in memory or nil, may go to
// disk to make room.
func (g *grace) collect(ctx *op.Ctx, which int, in op.Operator, acct *mem.Account, right *colstore.Store) (*Side, *colstore.Store, error) {
	s := g.spec(which)
	ts, keyCol := s.stored()
	room := spill.NewRoom(ctx)
	if right != nil {
		room.Begin()
		room.End(&keeper{ctx: ctx, g: g, which: rightSide, acct: acct, pile: &pile{stores: []*colstore.Store{right}}, room: room})
	}
	keepers := make([]*keeper, max(ctx.Workers, 1))
	err := op.Drain(ctx, in, func(w int, stream op.Stream) error {
		k := &keeper{ctx: ctx, g: g, which: which, acct: acct, pile: newPile(ts, acct), room: room}
		keepers[w] = k
		room.Begin()
		defer room.End(k)
		return s.fill(ctx, stream, keyCol, k.keep)
	})
	var stores []*colstore.Store
	for _, k := range keepers {
		if k != nil {
			stores = append(stores, k.stores...)
		}
	}
	if err == nil && !g.onDisk(which) && fits(acct, stores) {
		return s.whole(ctx, stores, ts, keyCol, acct)
	}
	for i := range stores {
		if err == nil {
			err = g.put(ctx, which, stores[i])
		}
		stores[i].Free()
	}
	return nil, nil, err
}

// close removes what is on disk.
func (g *grace) close() error {
	if g == nil {
		return nil
	}
	var err error
	for _, d := range g.sides {
		if d != nil {
			err = errors.Join(err, d.Close())
		}
	}
	return err
}

// onStored gives the plan for sides that are laid out as their rows are stored.
func (p *plan) onStored() *plan {
	q := *p
	q.left, q.right = p.left.onStored(), p.right.onStored()
	return &q
}

func (s *sideSpec) onStored() *sideSpec {
	_, keyCol := s.stored()
	out := *s
	out.input, out.at = make([]logical.Column, len(s.at)), make([]int, len(s.at))
	for i, at := range s.at {
		out.input[i], out.at[i] = s.input[at], i
	}
	out.keyAt = keyCol
	return &out
}

// turn is what a stream joins at a time: a partition, or blocks of the sides.
type turn struct {
	part   int
	blocks [2][]spill.Block
}

// stream gives the joins of turns that no other stream has taken.
func (g *grace) stream(ctx *op.Ctx) *graceStream {
	if g.held != nil {
		g.held.begin(ctx, g)
	}
	alone := *ctx
	alone.Workers = 1
	g.turns.Join()
	p := g.plan.onStored()
	if p.nullAware && p.wholeRight == nil && g.held == nil {
		p.wholeRight = &g.nulls
	}
	return &graceStream{g: g, ctx: &alone, plan: p}
}

type graceStream struct {
	g      *grace
	ctx    *op.Ctx
	plan   *plan
	join   op.Operator // of one partition, or nil
	stream op.Stream
	left   bool // the turns do not count this stream any more
}

// Next implements op.Stream.
func (s *graceStream) Next() (*vec.Batch, error) {
	for !s.left {
		if s.stream != nil {
			b, err := s.stream.Next()
			if b != nil || err != nil {
				return b, err
			}
			if err := s.end(); err != nil {
				return nil, err
			}
		}
		t, ok := s.g.turns.Take()
		if !ok {
			s.left, _ = s.g.turns.Leave()
			continue
		}
		err := s.begin(t.Work)
		if errors.Is(err, sqlerr.OutOfMemory) && (s.g.divide(t.Work) || s.g.turns.Postpone(t)) {
			err = s.end()
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// begin opens the join of a turn.
func (s *graceStream) begin(t turn) (err error) {
	if s.join, err = s.g.join(s.plan, t); s.join == nil || err != nil {
		return err
	}
	if err = s.join.Open(s.ctx); err == nil {
		s.stream, err = s.join.Stream()
	}
	return err
}

// join makes the join of a turn, nil where it gives nothing. What a join gives depends on
// left rows.
func (g *grace) join(p *plan, t turn) (op.Operator, error) {
	l, r := g.sides[leftSide], g.sides[rightSide]
	if g.held != nil {
		return g.held.join(p, l.source(t.blocks[leftSide]), r.source(t.blocks[rightSide]))
	}
	pairsOnly := p.kind == logical.Inner || p.kind == logical.Semi
	if len(l.Blocks(t.part)) == 0 || len(r.Blocks(t.part)) == 0 && pairsOnly {
		return nil, nil
	}
	return g.again(p, l.source(l.Blocks(t.part)), r.source(r.Blocks(t.part))), nil
}

// divide makes smaller turns of one that lacks memory, where that is possible.
func (g *grace) divide(t turn) bool { return g.held != nil && g.held.divide(t, &g.turns) }

// Close implements op.Stream.
func (s *graceStream) Close() error {
	err := s.end()
	if !s.left {
		s.left = true
		s.g.turns.Abandon()
	}
	return err
}

// end closes the join of a partition.
func (s *graceStream) end() error {
	var err error
	if s.stream != nil {
		err = s.stream.Close()
	}
	if s.join != nil {
		err = errors.Join(err, s.join.Close())
	}
	s.stream, s.join = nil, nil
	return err
}
