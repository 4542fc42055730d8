package spill

import (
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Grace joins two spilled sides partition by partition, or block by block if held is set.
type Grace struct {
	join  *Join
	level int
	// again makes the join of two partitions at a level.
	again func(s *Stored, level int, l, r op.Operator) op.Operator
	held  *Blockwise // nil if rows are partitioned by keys

	mu      sync.Mutex
	room    int64           // most bytes in a block if held is set; 0 means no limit
	sides   [2]*spilledSide // the left and the right side; nil until they spill
	nulls   match.NullRows  // null-aware joins: of the right side on disk
	matched *MatchedRows    // of the right side on disk if several tasks read it; otherwise nil
	queue   spill.Queue[task]

	share  sync.Once
	shares *mem.Pool // of the join's memory, for its streams
}

const (
	// MostLevels is the number of times that rows are partitioned at most.
	MostLevels = 6
	// skewPart is the share of a side above which a partition is assumed to have many rows with
	// few keys, so that partitioning it again does not pay.
	skewPart = 0.8
)

// Join describes the join whose inputs spill.
type Join struct {
	Sides     [2]*input.Spec // the left and the right side
	Inner     bool           // only pairs are returned
	Keeps     [2]bool        // rows of the side without a partner are returned too
	NullAware bool
	// Nulls finds the rows in which a key or other operand that Keys includes is NULL, unless NULL
	// is equal to NULL there. It is nil if rows with NULLs are treated like others.
	Nulls func(*match.Side) match.NullRows
	// Unmatched returns a function that makes the output of right rows without a partner.
	Unmatched func() func(right *match.Side, rows []int32) *vec.Batch
}

// Stored describes how the join of a task differs from the join whose inputs spilled.
type Stored struct {
	Sides [2]*input.Spec // as the rows are stored
	// Matched is set if right rows stream past one part of the left rows after another. It
	// collects the marks of the right rows.
	Matched *MatchedRows
	// Nulls describes the whole right side if a task has only a partition of it; nil if the task
	// finds the NULLs itself.
	Nulls *match.NullRows
}

// NewGrace makes a Grace that partitions rows by their keys, at a level. again makes the join of
// two partitions at a level.
func NewGrace(j *Join, level int, again func(s *Stored, level int, l, r op.Operator) op.Operator) *Grace {
	g := &Grace{join: j, level: level, again: again}
	for i := range dealParts {
		g.queue.Add(task{part: i})
	}
	return g
}

// OnDisk reports whether some rows of a side are on disk.
func (g *Grace) OnDisk(which int) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sides[which] != nil
}

// Vacant reports whether a side is on disk and none of its rows can have a partner.
func (g *Grace) Vacant(which int) bool { return g.OnDisk(which) && len(g.sides[which].all()) == 0 }

// Spill makes a side spill its rows from now on.
func (g *Grace) Spill(ctx *op.Ctx, which int) error {
	_, err := g.spilled(ctx, which)
	return err
}

// spilled returns a side on disk, which it creates if necessary.
func (g *Grace) spilled(ctx *op.Ctx, which int) (*spilledSide, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sides[which] == nil {
		ts, keyCol := g.join.Sides[which].Layout()
		f, err := ctx.Spill.Create(ts)
		if err != nil {
			return nil, err
		}
		d := &spilledSide{Partitions: spill.NewPartitions(f, dealParts+1), keys: keyCol, shift: 64 - dealBits*(g.level+1)}
		if b := g.held; b != nil {
			d.keys = b.dealtBy(which, keyCol)
			if d.whole = len(d.keys) == 0; b.numbered && which == match.LeftSide {
				d.number = placeNumber
			}
			d.room = g.room
		}
		d.drops = g.join.Nulls != nil && !g.join.NullAware && !g.join.Keeps[which]
		if !d.whole && (d.drops || g.held != nil) {
			d.nulls = g.join.Nulls
		}
		g.sides[which] = d
	}
	return g.sides[which], nil
}

// PutStore writes the rows of a store to disk and frees it.
func (g *Grace) PutStore(ctx *op.Ctx, which int, s *colstore.Store) error {
	err := g.putBatch(ctx, which, &vec.Batch{Cols: s.Columns(), N: s.Rows()})
	s.Free()
	return err
}

// putBatch writes rows in the stored layout to disk.
func (g *Grace) putBatch(ctx *op.Ctx, which int, b *vec.Batch) error {
	d, err := g.spilled(ctx, which)
	if err != nil {
		return err
	}
	g.countNulls(which, b)
	return d.write(ctx, b)
}

// countNulls updates what a null-aware join with a single operand needs to know about the right
// side as a whole.
func (g *Grace) countNulls(which int, b *vec.Batch) {
	if which != match.RightSide || !g.join.NullAware || g.held != nil {
		return
	}
	_, keyCol := g.join.Sides[match.RightSide].Layout()
	side := &match.Side{Rows: b.N}
	for _, c := range keyCol {
		side.Keys = append(side.Keys, b.Cols[c].Flatten(nil))
	}
	some := g.join.Nulls(side)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nulls.Rows += some.Rows
	if len(some.Nulls) > 0 {
		g.nulls.Nulls = some.Nulls[:1]
	}
}

// Helps reports whether err is a lack of memory that spilling can remedy.
func (g *Grace) Helps(ctx *op.Ctx, err error) bool {
	return g != nil && ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory)
}

// Collect reads a side to its end, like input.Spec.Collect. If it returns no Side, all rows of
// the side are on disk. other holds the other side's rows in memory, or is nil; it may spill to
// free memory.
func (g *Grace) Collect(ctx *op.Ctx, which int, in op.Operator, acct *mem.Account, other *colstore.Store) (*match.Side, *colstore.Store, error) {
	s := g.join.Sides[which]
	ts, keyCol := s.Layout()
	g.mu.Lock()
	g.room = acct.OwnAbove() / int64(blockShare*max(ctx.Workers, 1))
	g.mu.Unlock()
	arbiter := spill.NewArbiter(ctx)
	if other != nil {
		arbiter.Begin()
		arbiter.End(&keeper{ctx: ctx, g: g, which: match.LeftSide + match.RightSide - which, acct: acct, Pile: &input.Pile{Stores: []*colstore.Store{other}}, arbiter: arbiter})
	}
	keepers := make([]*keeper, max(ctx.Workers, 1))
	err := op.Drain(ctx, in, func(w int, stream op.Stream) error {
		k := &keeper{ctx: ctx, g: g, which: which, acct: acct, Pile: input.NewPile(ts, acct), arbiter: arbiter}
		keepers[w] = k
		arbiter.Begin()
		defer arbiter.End(k)
		return s.Read(ctx, stream, keyCol, k.keep)
	})
	var stores []*colstore.Store
	for _, k := range keepers {
		if k != nil {
			stores = append(stores, k.Stores...)
		}
	}
	if err == nil && !g.OnDisk(which) && fits(acct, stores) {
		return s.Concat(ctx, stores, ts, keyCol, acct)
	}
	for i := range stores {
		if err == nil {
			err = g.PutStore(ctx, which, stores[i])
		}
		stores[i].Free()
	}
	return nil, nil, err
}

// Close removes the files. It may be called on nil.
func (g *Grace) Close() error {
	if g == nil {
		return nil
	}
	g.shares.Close()
	var err error
	g.matched.free()
	for _, d := range g.sides {
		if d != nil {
			err = errors.Join(err, d.Close())
		}
	}
	return err
}

// task is a unit of work of a stream: a partition, or blocks of both sides.
type task struct {
	part   int
	blocks [2][]spill.Block
}

// Stream returns the rows of tasks that no other stream has taken. Each stream has a share of the
// join's memory, so that it makes progress regardless of what the others hold.
func (g *Grace) Stream(ctx *op.Ctx, acct *mem.Account) (op.Stream, error) {
	if g.held != nil {
		if err := g.held.begin(ctx, acct, g); err != nil {
			return nil, err
		}
	}
	g.share.Do(func() { g.shares = acct.Divide(max(ctx.Workers, 1)) })
	own := g.shares.Child(acct, "join of a partition")
	alone := ctx.Within(own, nil)
	alone.Workers = 1
	g.queue.Join()
	s := &Stored{Matched: g.matched}
	for which, side := range g.join.Sides {
		s.Sides[which] = side.AsStored()
	}
	if g.matched != nil {
		s.Sides[match.RightSide] = s.Sides[match.RightSide].Numbered()
	}
	if g.join.NullAware && g.held == nil {
		s.Nulls = &g.nulls
	}
	return &graceStream{g: g, ctx: alone, own: own, sides: s}, nil
}

type graceStream struct {
	g         *Grace
	ctx       *op.Ctx
	own       *mem.Account
	sides     *Stored
	join      op.Operator // of the current task, or nil
	stream    op.Stream
	left      bool           // the queue no longer counts this stream
	unmatched *unmatchedRows // for the last stream, after the tasks
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
		t, ok := s.g.queue.Take()
		if !ok {
			s.leave()
			continue
		}
		err := s.begin(t.Work)
		if errors.Is(err, sqlerr.OutOfMemory) && (s.g.divide(t.Work) || s.g.queue.Postpone(t)) {
			err = s.end()
		}
		if err != nil {
			return nil, err
		}
	}
	if s.unmatched == nil {
		return nil, nil
	}
	return s.unmatched.next()
}

// leave ends the stream's tasks. The last stream to leave returns the right rows without
// partners.
func (s *graceStream) leave() {
	var last bool
	if s.left, last = s.g.queue.Leave(); last && s.g.matched != nil {
		s.unmatched = s.g.newUnmatchedRows(s.ctx, s.sides.Sides[match.RightSide])
	}
}

// begin opens the join of a task.
func (s *graceStream) begin(t task) (err error) {
	if s.join, err = s.g.joinOf(s.sides, t); s.join == nil || err != nil {
		return err
	}
	if err = s.join.Open(s.ctx); err == nil {
		s.stream, err = s.join.Stream()
	}
	return err
}

// joinOf makes the join of a task. It returns nil if the task has no output.
func (g *Grace) joinOf(s *Stored, t task) (op.Operator, error) {
	l, r := g.sides[match.LeftSide], g.sides[match.RightSide]
	if g.held != nil {
		return g.held.Make(s, l.source(t.blocks[match.LeftSide]), r.source(t.blocks[match.RightSide]), g.held.left)
	}
	noLeft, noRight := len(l.Blocks(t.part)) == 0, len(r.Blocks(t.part)) == 0
	if (noLeft || !g.join.Keeps[match.LeftSide]) && (noRight || !g.join.Keeps[match.RightSide]) && (noLeft || noRight) {
		return nil, nil
	}
	level := g.level + 1
	if l.skewed(t.part) || r.skewed(t.part) {
		level = MostLevels
	}
	return g.again(s, level, l.source(l.Blocks(t.part)), r.source(r.Blocks(t.part))), nil
}

// divide divides a task that lacks memory into smaller ones. It reports whether that was
// possible.
func (g *Grace) divide(t task) bool { return g.held != nil && g.held.divide(t, &g.queue) }

// Close implements op.Stream.
func (s *graceStream) Close() error {
	err := s.end()
	s.own.End()
	if !s.left {
		s.left = true
		s.g.queue.Abandon()
	}
	return err
}

// end closes the join of a task.
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
