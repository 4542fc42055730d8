package join

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// whole runs a Pairer as an operator: both sides are collected before the first pair is found.
// All streams share the marks of rows.
type whole struct {
	*plan
	l, r   op.Operator
	pairer match.Pairer
	grace  *spill.Grace // nil if the sides must be in memory
	fill   *fillers
	name   string

	closed      [2]bool // the sides that have returned all rows and are closed
	ctx         *op.Ctx
	acct        *mem.Account
	stores      [2]*colstore.Store
	left, right *match.Side
	tail        *tail
	nulls       match.NullRows
}

// Open implements op.Operator. It collects both sides and prepares the pairer.
func (w *whole) Open(ctx *op.Ctx) error {
	w.ctx, w.acct = ctx, ctx.Account(w.name)
	if w.grace != nil {
		w.acct.Yielding()
	}
	first := match.RightSide
	if w.leftFirst {
		first = match.LeftSide
	}
	if decided, err := w.readFirst(ctx, first); err != nil || decided {
		return err
	}
	return w.readOther(ctx, other(first))
}

// other returns the side that which is not.
func other(which int) int { return match.LeftSide + match.RightSide - which }

// input returns the input of a side.
func (w *whole) input(which int) op.Operator {
	if which == match.LeftSide {
		return w.l
	}
	return w.r
}

// side returns where the rows of a side are in memory.
func (w *whole) side(which int) **match.Side {
	if which == match.LeftSide {
		return &w.left
	}
	return &w.right
}

// readFirst reads the first side, and reports whether the other one is not needed.
func (w *whole) readFirst(ctx *op.Ctx, first int) (decided bool, err error) {
	in, side := w.input(first), w.side(first)
	if err = in.Open(ctx); err != nil {
		return false, err
	}
	if *side, w.stores[first], err = w.collect(first, in); err != nil {
		return false, err
	}
	if *side == nil && w.grace.Vacant(first) && !w.keeps(other(first)) {
		*side = &match.Side{}
	}
	if *side == nil {
		return false, nil
	}
	if w.decidedBy(*side, first) {
		*w.side(other(first)) = &match.Side{}
		return true, w.prepare(ctx)
	}
	w.fill.fill(ctx, w.acct, *side, w.nullSafe)
	return false, nil
}

// readOther reads the side that is not first, and prepares both.
func (w *whole) readOther(ctx *op.Ctx, which int) (err error) {
	first, in := other(which), w.input(which)
	if err = in.Open(ctx); err != nil {
		return err
	}
	if w.grace.OnDisk(first) {
		if err := w.grace.Spill(ctx, which); err != nil {
			return err
		}
	}
	if *w.side(which), w.stores[which], err = w.collect(which, in); err != nil {
		return err
	}
	if w.grace.OnDisk(first) {
		*w.side(first) = nil // it may have spilled to free memory
	}
	if w.left != nil && w.right != nil {
		if err = w.prepare(ctx); !w.grace.Helps(ctx, err) {
			return err
		}
		w.pairer.Close()
		w.dropTail()
	}
	return w.putRest(ctx)
}

// collect reads a side to its end and then closes it to free its memory.
func (w *whole) collect(which int, in op.Operator) (*match.Side, *colstore.Store, error) {
	side, store, err := w.read(which, in)
	if err == nil {
		err = w.close(which, in)
	}
	return side, store, err
}

// close closes a side once.
func (w *whole) close(which int, in op.Operator) error {
	if w.closed[which] {
		return nil
	}
	w.closed[which] = true
	return in.Close()
}

func (w *whole) read(which int, in op.Operator) (*match.Side, *colstore.Store, error) {
	if w.grace != nil && w.ctx.Spill != nil {
		return w.grace.Collect(w.ctx, which, in, w.acct, w.stores[other(which)])
	}
	if which == match.LeftSide {
		return w.plan.left.Collect(w.ctx, in, w.acct)
	}
	return w.plan.right.Collect(w.ctx, in, w.acct)
}

// putRest spills the sides that are in memory.
func (w *whole) putRest(ctx *op.Ctx) error {
	for which, s := range w.stores {
		if s == nil {
			continue
		}
		if err := w.grace.PutStore(ctx, which, s); err != nil {
			return err
		}
	}
	w.left, w.right = nil, nil
	return nil
}

// prepare makes two sides in memory ready for their pairs to be found.
func (w *whole) prepare(ctx *op.Ctx) (err error) {
	if w.tail, err = newTail(w.plan, w.acct, [2]*match.Side{w.left, w.right}); err != nil {
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
		return w.grace.Stream(w.ctx, w.acct)
	}
	marks := [2]*marks{w.tail.sides[match.LeftSide].marks, w.tail.sides[match.RightSide].marks}
	s := &wholeStream{w: w, finish: w.finisher(w.ctx, marks)}
	if w.left.Rows > 0 && w.right.Rows > 0 {
		s.pairs = w.pairer.Worker()
	}
	if w.nullAware {
		s.finish.nulls = w.unknownFinder(w.ctx, w.right, w.nulls, marks[match.LeftSide])
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
	err := w.grace.Close()
	w.acct.End()
	return errors.Join(err, w.close(match.LeftSide, w.l), w.close(match.RightSide, w.r))
}

func (w *whole) dropTail() {
	if w.tail != nil {
		w.tail.held.Free()
	}
}

// wholeStream returns the pairs of one worker and then its share of the remaining rows.
type wholeStream struct {
	w      *whole
	pairs  match.PairWorker // nil when there are no more pairs
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
	return s.w.tail.rest(s.w.ctx, s.finish)
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
