// Package agg is hash aggregation in two phases: every worker groups the batches it
// pulls in a table of its own; then the tables are merged, partition by partition of
// the hash when they are large, by all workers. Rows are mapped to group numbers a
// batch at a time, and the states of an aggregate are arrays over group numbers.
package agg

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Operator is the HashAgg operator; without aggregates it gives distinct rows.
type Operator struct {
	in        op.Operator
	drained   bool         // in has given all rows and is closed
	inTypes   []types.Type // of its columns
	inRows    float64      // estimated rows of in
	keys      []*eval.Program
	types     []types.Type      // of the keys, as tables hold them
	shown     []types.Type      // of the keys
	packing   *keytable.Packing // of the keys; nil until the first batch
	choose    sync.Once         // of packing
	aggs      []aggregate
	ctx       *op.Ctx
	account   *mem.Account
	keepsRows bool         // see physical.HashAgg.KeepsRows
	yielding  *mem.Account // tells what is left when others get some
	freezeAt  int          // groups from which a worker's table is frozen where memory is scarce
	splitAt   int          // groups from which a worker's table is split
	buffers   int64        // bytes of a worker's buffers: see splitBytes
	keepFrom  int          // rows that a worker groups before it may keep others
	parts     []*groups
	splits    []*splitter
	chunks    []chunk
	mergers   sync.Pool // of *merger
	cursor    atomic.Int64
	streams   atomic.Int64       // made of partitions
	turns     spill.Turns[piece] // what is to be completed
	later     *mem.Pool          // what completing takes, until it begins
	abreast   int64              // how many of them complete partitions

	spilling  sync.Mutex
	disk      *spill.Partitions // nil unless memory was scarce
	byPart    bool              // partitions are completed as they are given out
	lists     []*state.ByGroup  // with byPart: the groups of parts by partition
	collected bool              // no more rows go to disk
	sets      state.Files       // of DISTINCT
}

// aggregate is one aggregate with its arguments compiled.
type aggregate struct {
	state.Aggregate
	args []*eval.Program // the arguments, then the keys of GROUP_CONCAT's ORDER BY
}

// chunk is a run of groups that make one output batch.
type chunk struct {
	part   *groups
	lo, hi int
}

// New makes the operator of a physical.HashAgg.
func New(n *physical.Node, in op.Operator) (*Operator, error) {
	plan := n.Op.(*physical.HashAgg)
	ids, ts := make([]expr.ColID, len(n.In[0].Cols)), make([]types.Type, len(n.In[0].Cols))
	for i, c := range n.In[0].Cols {
		ids[i], ts[i] = c.ID, c.T
	}
	o := &Operator{in: in, inTypes: ts, keepsRows: plan.KeepsRows(), inRows: n.In[0].Est.Rows, freezeAt: freezeGroups, splitAt: splitGroups, buffers: splitBytes, keepFrom: keepFrom}
	var err error
	if o.keys, o.shown, err = compile(plan.Keys, ids); err != nil {
		return nil, err
	}
	o.types = slices.Clone(o.shown)
	for _, a := range plan.Aggs {
		args := a.Args
		for _, k := range a.OrderBy {
			args = append(args[:len(args):len(args)], k.Expr)
		}
		c := aggregate{Aggregate: state.Aggregate{Agg: a}}
		if c.args, c.Types, err = compile(args, ids); err != nil {
			return nil, err
		}
		if a.Fn == expr.Median || a.Fn.Gathers() {
			o.freezeAt = 1
		}
		o.aggs = append(o.aggs, c)
	}
	return o, nil
}

func compile(es []expr.Expr, ids []expr.ColID) ([]*eval.Program, []types.Type, error) {
	ps, ts := make([]*eval.Program, len(es)), make([]types.Type, len(es))
	for i, e := range es {
		p, err := eval.Compile(e, ids)
		if err != nil {
			return nil, nil, err
		}
		ps[i], ts[i] = p, e.Type()
	}
	return ps, ts, nil
}

// Open implements op.Operator: it aggregates the whole input.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account, o.sets.Ctx = ctx, o.newAccount(ctx), ctx
	o.sets.Account = o.account
	o.yielding = o.account.Child("HashAggregate").Yielding()
	op.AllowNarrow(o.in)
	if err := o.in.Open(ctx); err != nil {
		return err
	}
	o.leaveRoom()
	locals, err := o.collect()
	o.account.Lift()
	for _, l := range locals {
		if l != nil && l.split != nil {
			o.splits = append(o.splits, l.split)
		}
		if l != nil && l.groups != nil && (l.split == nil || l.frozen) {
			o.parts = append(o.parts, l.groups)
		}
	}
	if err != nil {
		return err
	}
	if err := o.closeInput(); err != nil {
		return err
	}
	return o.finish()
}

// newAccount returns an account, which has a share of the query's memory where memory grows with the
// rows: the pool has shares for no other aggregates.
func (o *Operator) newAccount(ctx *op.Ctx) *mem.Account {
	if o.keepsRows {
		return ctx.Account("HashAggregate")
	}
	return ctx.Mem.Child("HashAggregate")
}

// closeInput closes the input once: when all rows were taken, as what it holds is memory for the
// operators above, or with the operator.
func (o *Operator) closeInput() error {
	if o.drained {
		return nil
	}
	o.drained = true
	return o.in.Close()
}

// collect has each worker aggregate what it gets of the input.
func (o *Operator) collect() ([]*local, error) {
	locals := make([]*local, o.ctx.Workers)
	room := o.sets.Begin()
	defer o.sets.End()
	err := op.Drain(o.ctx, o.in, func(w int, s op.Stream) error {
		l := o.newLocal()
		locals[w] = l
		room.Begin()
		defer room.End(&l.held)
		for {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			b, err := s.Next()
			if err != nil || b == nil {
				return err
			}
			if err := l.add(b); err != nil {
				return err
			}
		}
	})
	return locals, err
}

// finish merges the workers' groups.
func (o *Operator) finish() error {
	if o.disk == nil && len(o.splits) == 0 && o.allBare() {
		o.collected = true
		if err := o.mergeAscending(); err != nil {
			return err
		}
		return o.layOut()
	}
	if o.byPart = o.mustPart(); o.byPart {
		return o.settle()
	}
	if err := o.prepareMerge(); err != nil {
		return err
	}
	o.collected = true
	if len(o.splits) > 0 {
		if err := o.mergeSplit(); err != nil {
			return err
		}
		return o.layOut()
	}
	if len(o.parts) == 0 && len(o.keys) == 0 {
		g, err := o.newGroups()
		if err != nil {
			return err
		}
		o.parts = append(o.parts, g)
	}
	if len(o.parts) > 1 {
		if err := o.merge(); err != nil {
			return err
		}
	}
	return o.layOut()
}

// mustPart reports whether partitions have to be completed as they are given out: some rows are on
// disk or kept, or there may be no room for the groups beside those that they are merged from.
func (o *Operator) mustPart() bool {
	if o.disk != nil || slices.ContainsFunc(o.splits, func(s *splitter) bool { return s.kept != nil }) {
		return true
	}
	return len(o.parts)+len(o.splits) > 1 && o.scarce(mergePart)
}

// prepareMerge makes groups ready to be merged.
func (o *Operator) prepareMerge() error {
	for _, p := range o.parts {
		if p.table != nil {
			if err := p.table.Index(); err != nil {
				return err
			}
			continue
		}
		if err := o.makeRoom(p); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom moves the rows that a worker's states keep to disk where there may be no room for them
// beside those that they are merged to.
func (o *Operator) makeRoom(g *groups) error {
	if o.ctx.Spill == nil || !state.Scarce(o.account, mergePart) {
		return nil
	}
	return g.putAway()
}

// allBare reports whether there are groups and all are in bare tables.
func (o *Operator) allBare() bool {
	for _, p := range o.parts {
		if p.table == nil || !p.table.Bare {
			return false
		}
	}
	return len(o.parts) > 0
}

// layOut finishes the states and cuts the groups into output batches.
func (o *Operator) layOut() error {
	if err := o.finishStates(); err != nil {
		return err
	}
	for _, p := range o.parts {
		o.chunks = append(o.chunks, chunksOf(p, o.ctx.Rows())...)
	}
	o.cursor.Store(0)
	return nil
}

func (o *Operator) finishStates() error {
	var next atomic.Int64
	room := o.sets.Begin()
	defer o.sets.End()
	ctx, workers := o.ctx, min(o.ctx.Workers, len(o.parts))
	if workers > 1 {
		ctx = alone(ctx)
	}
	return op.Parallel(o.ctx, workers, func(int) error {
		room.Begin()
		defer room.End(nil)
		for {
			i := int(next.Add(1)) - 1
			if i >= len(o.parts) {
				return nil
			}
			if err := o.parts[i].apart().finish(ctx); err != nil {
				return err
			}
			room.Made()
		}
	})
}

// alone returns what one worker among others works under.
func alone(ctx *op.Ctx) *op.Ctx {
	one := *ctx
	one.Workers = 1
	return &one
}

// finish finishes the states.
func (g *groups) finish(ctx *op.Ctx) error {
	for _, s := range g.states {
		if err := s.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return false }

// Close implements op.Operator.
func (o *Operator) Close() error {
	o.freeParts()
	o.chunks = nil
	o.later.Close()
	o.account.End()
	err := o.sets.Close()
	if o.disk != nil {
		err = errors.Join(err, o.disk.Close())
	}
	return errors.Join(err, o.closeInput())
}

// freeParts frees the groups.
func (o *Operator) freeParts() {
	for _, p := range o.parts {
		p.free()
	}
	o.parts = nil
	o.freeSplits()
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	if o.byPart {
		if o.streams.Add(1) > o.abreast {
			return nothing{}, nil
		}
		o.turns.Join()
		return &partStream{output: output{o: o}}, nil
	}
	return &stream{output{o: o}}, nil
}

// nothing is a stream that leaves all to others.
type nothing struct{}

// Next implements op.Stream.
func (nothing) Next() (*vec.Batch, error) { return nil, nil }

// Close implements op.Stream.
func (nothing) Close() error { return nil }

// stream gives the chunks that no other stream has taken.
type stream struct{ output }

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	if err := s.o.ctx.Err(); err != nil {
		return nil, err
	}
	i := s.o.cursor.Add(1) - 1
	if i >= int64(len(s.o.chunks)) {
		return nil, nil
	}
	return s.batch(s.o.chunks[i], i)
}

// output makes batches of groups.
type output struct {
	o         *Operator
	aggs      []*vec.Vector
	texts     []*vec.Vector         // of packed keys
	unpackers []keyenc.TextUnpacker // of packed keys
}

// batch returns some groups, valid until the next call.
func (s *output) batch(c chunk, morsel int64) (*vec.Batch, error) {
	b := &vec.Batch{N: c.hi - c.lo, Morsel: morsel, Cols: make([]*vec.Vector, 0, len(s.o.keys)+len(s.o.aggs))}
	if c.part.table != nil {
		for i, k := range c.part.table.Keys {
			b.Cols = append(b.Cols, s.key(i, k.Slice(c.lo, c.hi)))
		}
	}
	if s.aggs == nil {
		s.aggs = make([]*vec.Vector, len(s.o.aggs))
		for j, a := range s.o.aggs {
			s.aggs[j] = &vec.Vector{Type: a.T}
		}
	}
	for j, st := range c.part.states {
		s.aggs[j].Resize(b.N)
		if err := st.Result(c.lo, c.hi, s.aggs[j]); err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, s.aggs[j])
	}
	return b, nil
}

// key returns the values of a key.
func (s *output) key(i int, k *vec.Vector) *vec.Vector {
	if !s.o.packing.Packs(i) {
		return k
	}
	if s.texts == nil {
		s.texts = make([]*vec.Vector, len(s.o.shown))
		for i, t := range s.o.shown {
			s.texts[i] = &vec.Vector{Type: t}
		}
		s.unpackers = make([]keyenc.TextUnpacker, len(s.texts))
	}
	s.unpackers[i].Unpack(k, s.texts[i], s.o.packing.Texts.List())
	return s.texts[i]
}

// Close implements op.Stream.
func (s *output) Close() error { return nil }
