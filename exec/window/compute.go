package window

import (
	"sync/atomic"

	"gsql/exec/op"
)

const (
	chunkRows = 1 << 15 // positions that a worker takes at once: it computes the partitions that start there
	blockRows = 1 << 10 // rows whose frames are computed at once
	checkRows = 1 << 16 // rows between checks for cancellation
)

// evaluator computes one function, partition by partition, for one goroutine.
type evaluator interface {
	// begin prepares for a partition.
	begin(p *partition) error
	// rows computes positions [lo, hi) of the partition. Blocks come in ascending order, or in
	// descending order if backwards returns true. f holds their frames, or is nil for functions
	// without a frame.
	rows(p *partition, lo, hi int, f *frames) error
	backwards() bool
	free()
}

// compute evaluates all functions. The workers take windows and ranges of partitions.
func (o *Operator) compute() error {
	n := o.n
	o.out = make([]*result, o.results)
	for _, s := range o.specs {
		for _, f := range s.funcs {
			r, err := newResult(f, o.cols, o.account, n)
			o.out[f.out] = r
			if err != nil {
				return err
			}
		}
	}
	chunks := (n + chunkRows - 1) / chunkRows
	workers := min(o.ctx.Workers, chunks*len(o.specs))
	var next atomic.Int64
	return op.Parallel(o.ctx, workers, func(int) error {
		walkers := make([]*walker, len(o.specs))
		defer func() {
			for _, w := range walkers {
				w.free()
			}
		}()
		for {
			task := int(next.Add(1)) - 1
			if task >= chunks*len(o.specs) {
				return nil
			}
			i, lo := task/chunks, task%chunks*chunkRows
			if walkers[i] == nil {
				walkers[i] = newWalker(o, o.specs[i])
			}
			if err := walkers[i].chunk(lo, min(lo+chunkRows, n)); err != nil {
				return err
			}
		}
	})
}

// walker computes the functions of one window for one goroutine.
type walker struct {
	o       *Operator
	s       *spec
	p       partition
	framers []*framer
	evals   []evaluator // by function
	since   int         // rows since the last check for cancellation
}

func newWalker(o *Operator, s *spec) *walker {
	w := &walker{o: o, s: s}
	for _, f := range s.frames {
		w.framers = append(w.framers, newFramer(o, f))
	}
	for _, f := range s.funcs {
		var frame *frame
		if f.frame >= 0 {
			frame = s.frames[f.frame]
		}
		w.evals = append(w.evals, newEvaluator(o, f, frame))
	}
	return w
}

func (w *walker) free() {
	if w == nil {
		return
	}
	for _, e := range w.evals {
		e.free()
	}
}

// chunk computes the partitions that start at positions [lo, hi).
func (w *walker) chunk(lo, hi int) error {
	for lo < hi && !w.o.starts(w.s, lo) {
		lo++
	}
	for lo < hi {
		w.o.nextPartition(w.s, &w.p, lo)
		if err := w.partition(); err != nil {
			return err
		}
		lo = w.p.hi
	}
	return nil
}

func (w *walker) partition() error {
	p := &w.p
	for _, f := range w.framers {
		f.begin(p)
	}
	forth, back := false, false
	for _, e := range w.evals {
		if err := e.begin(p); err != nil {
			return err
		}
		back, forth = back || e.backwards(), forth || !e.backwards()
	}
	if forth {
		for lo := p.lo; lo < p.hi; lo += blockRows {
			if err := w.block(lo, min(lo+blockRows, p.hi), false); err != nil {
				return err
			}
		}
	}
	if back {
		for hi := p.hi; hi > p.lo; hi -= blockRows {
			if err := w.block(max(hi-blockRows, p.lo), hi, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// block computes rows [lo, hi) for the functions of one direction.
func (w *walker) block(lo, hi int, backwards bool) error {
	if w.since += hi - lo; w.since >= checkRows {
		w.since = 0
		if err := w.o.ctx.Err(); err != nil {
			return err
		}
	}
	for _, f := range w.framers {
		f.stale = true
	}
	for i, e := range w.evals {
		if e.backwards() != backwards {
			continue
		}
		var f *frames
		if k := w.s.funcs[i].frame; k >= 0 {
			f = w.framers[k].fill(&w.p, lo, hi)
		}
		if err := e.rows(&w.p, lo, hi, f); err != nil {
			return err
		}
	}
	return nil
}
