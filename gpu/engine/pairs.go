package engine

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// pairBytes is the size of a row pair: two int32.
const pairBytes = 8

// Pieces of output are as large as memory allows, up to many staging buffers: they cross the link
// in parts, and an algorithm is faster the fewer pieces it makes.
const (
	mostPiecePairs  = 16 * downloadBytes / pairBytes
	leastPiecePairs = 1 << 10
)

// Pairs are the row pairs of a join on their way to the host. The join runs in its own goroutine,
// to which the task belongs until Close; while one piece of its output is copied out, part by part
// through pinned buffers, it computes the next. The consumer, another goroutine, takes the parts;
// while it takes none, the join waits.
type Pairs struct {
	t       *Task
	outer   context.Context // the task's
	ctx     context.Context // ends with an error of either goroutine
	cancel  context.CancelCauseFunc
	mark    gpu.Mark
	slots   [2]slot
	next    int // slot of the next piece
	pieces  chan piece
	parts   chan part
	taken   *gpu.Staging // what the consumer reads
	running sync.WaitGroup
}

// slot is device memory for one piece.
type slot struct {
	left, right gpu.Ptr
	capacity    int64
	written     gpu.Event     // recorded after the kernels that write the piece
	copied      gpu.Event     // recorded after the copies that read it
	free        chan struct{} // holds a token while its copies are queued
}

type piece struct {
	slot *slot
	n    int64
}

// part is pairs in a staging buffer: left rows in front, right rows from its middle on.
type part struct {
	buffer *gpu.Staging
	n      int
}

// Pairs starts run, which joins into out with this task and at most reserve bytes of its memory.
// The caller takes the pairs with Next and finishes with Close; until then it does nothing else
// with the task.
func (t *Task) Pairs(reserve int64, run func(out *Pairs) error) (*Pairs, error) {
	p := &Pairs{
		t: t, outer: t.Ctx, mark: t.Mark(),
		pieces: make(chan piece, len(Pairs{}.slots)), parts: make(chan part, downloadBuffers),
	}
	if err := p.reserve(reserve); err != nil {
		return nil, errors.Join(err, p.release())
	}
	p.ctx, p.cancel = context.WithCancelCause(t.Ctx)
	t.Ctx = p.ctx
	p.running.Add(2)
	go func() {
		defer p.running.Done()
		defer close(p.pieces)
		p.fail(sqlerr.Guard(func() error { return run(p) }))
	}()
	go func() {
		defer p.running.Done()
		defer close(p.parts)
		p.fail(sqlerr.Guard(p.copyOut))
	}()
	return p, nil
}

// reserve allocates the slots in half of the memory that the join leaves free.
func (p *Pairs) reserve(others int64) (err error) {
	capacity := (p.t.Free() - others) / 2 / int64(len(p.slots)) / pairBytes
	capacity = min(max(capacity, leastPiecePairs), mostPiecePairs)
	for i := range p.slots {
		s := &p.slots[i]
		s.capacity, s.free = capacity, make(chan struct{}, 1)
		s.free <- struct{}{}
		if s.left, err = p.t.Alloc(capacity * pairBytes / 2); err != nil {
			return err
		}
		if s.right, err = p.t.Alloc(capacity * pairBytes / 2); err != nil {
			return err
		}
		if s.written, err = p.t.Device.NewEvent(); err != nil {
			return err
		}
		if s.copied, err = p.t.Device.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// Piece implements join.Output, for the join's goroutine.
func (p *Pairs) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	s := &p.slots[p.next]
	select {
	case <-s.free:
		s.free <- struct{}{}
	case <-p.ctx.Done():
		return 0, 0, 0, p.ctx.Err()
	}
	return s.left, s.right, s.capacity, p.t.Device.Wait(p.t.Compute, s.copied)
}

// Emit implements join.Output, for the join's goroutine.
func (p *Pairs) Emit(n int64) error {
	if n == 0 {
		return nil
	}
	s := &p.slots[p.next]
	if err := p.t.Device.Record(s.written, p.t.Compute); err != nil {
		return err
	}
	<-s.free
	p.next = (p.next + 1) % len(p.slots)
	p.pieces <- piece{s, n}
	return nil
}

// fail ends the join with the error of one of its goroutines, if there is one.
func (p *Pairs) fail(err error) {
	if err != nil {
		p.cancel(err)
	}
}

// copyOut queues the copies of each piece.
func (p *Pairs) copyOut() error {
	for next := range p.pieces {
		if err := p.copyPiece(next); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pairs) copyPiece(next piece) error {
	dev, s := p.t.Device, next.slot
	if err := dev.Wait(p.t.Copy, s.written); err != nil {
		return err
	}
	half := p.t.e.downloads.Size() / 2
	for from := int64(0); from < next.n; from += half / 4 {
		b, err := p.t.e.downloads.Get(p.ctx)
		if err != nil {
			return err
		}
		n := min(next.n-from, half/4)
		err = dev.CopyToHost(b.Bytes[:4*n], s.left+gpu.Ptr(4*from), p.t.Copy)
		if err == nil {
			err = dev.CopyToHost(b.Bytes[half:half+4*n], s.right+gpu.Ptr(4*from), p.t.Copy)
		}
		err = errors.Join(err, p.t.e.downloads.Behind(b, p.t.Copy))
		p.parts <- part{b, int(n)}
		if err != nil {
			return err
		}
	}
	if err := dev.Record(s.copied, p.t.Copy); err != nil {
		return err
	}
	s.free <- struct{}{}
	return nil
}

// Next returns the next pairs: row numbers of the left and of the right side, valid until the next
// call. At the end it returns no pairs.
func (p *Pairs) Next() (left, right []int32, err error) {
	p.giveBack()
	next, ok := <-p.parts
	if !ok {
		return nil, nil, context.Cause(p.ctx)
	}
	p.taken = next.buffer
	if err := p.t.e.downloads.Await(next.buffer); err != nil {
		p.cancel(err)
		return nil, nil, err
	}
	half := len(next.buffer.Bytes) / 2
	return rows(next.buffer.Bytes, next.n), rows(next.buffer.Bytes[half:], next.n), nil
}

// rows views a pinned buffer as n row numbers.
func rows(b []byte, n int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func (p *Pairs) giveBack() {
	if p.taken != nil {
		p.t.e.downloads.Put(p.taken)
		p.taken = nil
	}
}

// Close stops a running join and releases its memory. It returns the join's error if the join had
// failed before.
func (p *Pairs) Close() error {
	failed := context.Cause(p.ctx)
	p.cancel(context.Canceled)
	p.giveBack()
	for rest := range p.parts {
		p.t.e.downloads.Put(rest.buffer)
	}
	p.running.Wait()
	p.t.Ctx = p.outer
	return errors.Join(failed, p.release())
}

// release waits for all copies and kernels and releases what Pairs and the join took.
func (p *Pairs) release() error {
	errs := []error{p.t.Device.Sync(p.t.Copy), p.t.Device.Sync(p.t.Compute)}
	p.t.e.downloads.Settled()
	for i := range p.slots {
		for _, e := range []gpu.Event{p.slots[i].written, p.slots[i].copied} {
			if e != 0 {
				errs = append(errs, p.t.Device.FreeEvent(e))
			}
		}
	}
	return errors.Join(append(errs, p.t.Release(p.mark))...)
}
