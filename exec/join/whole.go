package join

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/vec"
)

// whole is the operator around a Pairer: both sides are collected before the first
// pair is found. Marks of left rows are shared by all streams.
type whole struct {
	*plan
	l, r   op.Operator
	pairer Pairer
	grace  *grace // nil where the sides have to be in memory
	fill   *fillers
	name   string

	ctx         *op.Ctx
	acct        *mem.Account
	stores      [2]*colstore.Store
	left, right *Side
	tail        *tail
	nulls       nullRows
}

// Open implements op.Operator: it collects both sides and prepares the pairer.
func (w *whole) Open(ctx *op.Ctx) error {
	w.ctx, w.acct = ctx, ctx.Mem.Child(w.name)
	if w.grace != nil {
		w.acct.Yielding()
	}
	var err error
	if err = w.r.Open(ctx); err != nil {
		return err
	}
	if w.right, w.stores[rightSide], err = w.collect(rightSide, w.r); err != nil {
		return err
	}
	if w.right != nil {
		w.fill.fill(ctx, w.acct, w.right, w.nullSafe)
	}
	if err = w.l.Open(ctx); err != nil {
		return err
	}
	if w.grace.onDisk(rightSide) {
		if _, err := w.grace.dealt(ctx, leftSide); err != nil {
			return err
		}
	}
	if w.left, w.stores[leftSide], err = w.collect(leftSide, w.l); err != nil {
		return err
	}
	if w.grace.onDisk(rightSide) {
		w.right = nil // if it was in memory, it made room for left rows
	}
	if w.left != nil && w.right != nil {
		if err = w.prepare(ctx); !w.grace.helps(ctx, err) {
			return err
		}
		w.pairer.Close()
		w.dropTail()
	}
	return w.putRest(ctx)
}

func (w *whole) collect(which int, in op.Operator) (*Side, *colstore.Store, error) {
	if w.grace != nil && w.ctx.Spill != nil {
		return w.grace.collect(w.ctx, which, in, w.acct, w.stores[rightSide])
	}
	if which == leftSide {
		return w.plan.left.collect(w.ctx, in, w.acct)
	}
	return w.plan.right.collect(w.ctx, in, w.acct)
}

// putRest moves the sides that are in memory to disk.
func (w *whole) putRest(ctx *op.Ctx) error {
	for which, s := range w.stores {
		if s == nil {
			continue
		}
		if err := w.grace.put(ctx, which, s); err != nil {
			return err
		}
	}
	w.left, w.right = nil, nil
	return nil
}

// prepare makes ready to find the pairs of two sides in memory.
func (w *whole) prepare(ctx *op.Ctx) (err error) {
	if w.tail, err = newTail(w.plan, w.acct, w.left.Rows); err != nil {
		return err
	}
	if w.nullAware {
		w.nulls = w.findNulls(w.right)
	}
	if w.left.Rows == 0 || w.right.Rows == 0 {
		return nil
	}
	return w.pairer.Build(ctx, w.acct, w.left, w.right)
}

// Ordered implements op.Operator.
func (w *whole) Ordered() bool { return false }

// Stream implements op.Operator.
func (w *whole) Stream() (op.Stream, error) {
	if w.left == nil {
		return w.grace.stream(w.ctx), nil
	}
	s := &wholeStream{w: w, finish: w.finisher(w.ctx, &w.tail.marks)}
	if w.left.Rows > 0 && w.right.Rows > 0 {
		s.pairs = w.pairer.Worker()
	}
	if w.nullAware {
		s.finish.nulls = w.unknownFinder(w.ctx, w.right, w.nulls, &w.tail.marks)
	}
	w.tail.join()
	return s, nil
}

// Close implements op.Operator.
func (w *whole) Close() error {
	w.pairer.Close()
	w.fill.free()
	for _, s := range w.stores {
		s.Free()
	}
	w.dropTail()
	return errors.Join(w.grace.close(), w.l.Close(), w.r.Close())
}

func (w *whole) dropTail() {
	if w.tail != nil {
		w.tail.held.free()
	}
}

// wholeStream gives the pairs of one worker and then its share of the rest.
type wholeStream struct {
	w      *whole
	pairs  PairWorker // nil when there are no more pairs
	finish *finisher
	left   bool // the tail knows that this stream has found its pairs
}

// Next implements op.Stream.
func (s *wholeStream) Next() (*vec.Batch, error) {
	for s.pairs != nil {
		if err := s.w.ctx.Err(); err != nil {
			return nil, err
		}
		p, done, err := s.pairs.Next(s.w.ctx.Rows())
		if err != nil {
			return nil, err
		}
		if done {
			s.pairs = nil
		}
		b, err := s.finish.pairs(s.w.left, s.w.right, p.Probe, p.Build)
		if b != nil || err != nil {
			return b, err
		}
	}
	s.leave(true)
	if s.w.kind == logical.Inner {
		return nil, nil
	}
	return s.w.tail.rest(s.w.ctx, s.finish, s.w.left)
}

func (s *wholeStream) leave(complete bool) {
	if !s.left {
		s.left = true
		s.w.tail.leave(complete)
	}
}

// Close implements op.Stream.
func (s *wholeStream) Close() error {
	s.leave(s.pairs == nil)
	return nil
}
