package window

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// sections computes rows that are on disk, in order, where memory has no room for whole
// partitions: as many rows at a time as it has room for, with those before and behind them
// that their frames reach. What functions know of rows that have left goes along in their
// evaluators; single rows that they still need stay in front of the store, without positions.
// What they must know of rows to come was found in a pass before (see totals).
type sections struct {
	o      *Operator
	part   *Operator // has the rows in memory
	in     op.Stream
	enough int64 // bytes of rows to have
	tasks  []task
	later  *vec.Batch // rows that there was no room for
	full   error      // why there is no room for more
	ended  bool

	kept  int // rows in front that have no positions
	base  int // number of the row at position kept, in order
	first int // the first position to compute; those before are for frames
	last  int // rows before it are computed
}

// task is what is done with the rows of a window.
type task interface {
	// limit gives the position up to which rows can be computed.
	limit(first int, ended bool) int
	// compute computes the rows [first, last); last is at most the limit.
	compute(first, last, number int, ended bool) error
	// needs gives the first position that is needed when rows from last on are computed.
	needs(last int) int
	// hold calls f for each row number that must go along when positions before keep leave.
	hold(keep int, f func(row *int32))
	// move makes positions less by by; those before keep leave.
	move(keep, by int)
}

// newSections makes sections of the operator's rows on disk but the first skip ones.
func (o *Operator) newSections(skip int, tasks func(part *Operator) []task) (*sections, error) {
	s := &sections{o: o, base: skip}
	s.part = &Operator{width: o.width, types: o.types, keys: o.keys, specs: o.specs, results: o.results, ctx: o.ctx, account: o.account}
	for range o.types {
		s.part.cols = append(s.part.cols, &vec.Vector{})
	}
	s.part.out = make([]*result, o.results)
	for i := range s.part.out {
		s.part.out[i] = &result{}
	}
	s.part.rows = colstore.New(o.types, o.account)
	s.bind()
	s.tasks = tasks(s.part)
	var err error
	if s.in, s.enough, err = o.openRuns(); err == nil {
		err = s.skip(skip)
	}
	return s, err
}

// skip leaves out rows.
func (s *sections) skip(n int) error {
	for n > 0 {
		b, err := s.in.Next()
		if err != nil || b == nil {
			return err
		}
		if b.N > n {
			s.later = b.Slice(n, b.N)
		}
		n -= b.N
	}
	return nil
}

// bind makes the rows of the store those that evaluators see.
func (s *sections) bind() {
	for i, c := range s.part.rows.Columns() {
		*s.part.cols[i] = *c
	}
	s.part.n = s.part.rows.Rows()
}

// next makes the rows [first, last) ready; there are none at the end.
func (s *sections) next() error {
	if err := s.move(); err != nil {
		return err
	}
	for {
		if err := s.load(); err != nil {
			return err
		}
		s.bind()
		if s.part.n == s.first {
			return nil
		}
		if err := s.findChanges(); err != nil {
			return err
		}
		s.last = s.part.n
		for _, t := range s.tasks {
			s.last = min(s.last, t.limit(s.first, s.ended))
		}
		// Rows that stay for frames are copied: there should be more that leave.
		if s.ended || s.last-s.first >= (s.part.n-s.kept)/4 || s.full != nil && s.last > s.first {
			return s.compute()
		}
		if s.full != nil {
			return s.full
		}
		s.enough *= 2
	}
}

func (s *sections) findChanges() error {
	s.part.levels.Free()
	s.part.levels = nil
	if len(s.part.keys) == 0 {
		return nil
	}
	return s.part.findChanges()
}

// load collects rows until there are enough.
func (s *sections) load() error {
	store := s.part.rows
	for !s.ended && (store.Bytes() < s.enough || store.Rows() == s.first) {
		if err := s.o.ctx.Err(); err != nil {
			return err
		}
		b := s.later
		if b == nil {
			var err error
			if b, err = s.in.Next(); err != nil {
				return err
			}
		}
		s.later = nil
		if b == nil {
			s.ended = true
			return nil
		}
		if err := store.Append(b); errors.Is(err, sqlerr.OutOfMemory) {
			s.later, s.full = b, err
			if store.Rows() > s.first {
				return nil
			}
			return err
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s *sections) compute() error {
	for _, t := range s.tasks {
		if err := t.compute(s.first, s.last, s.base+s.first-s.kept, s.ended); err != nil {
			return err
		}
	}
	return nil
}

// move lets the rows go that are not needed any more.
func (s *sections) move() error {
	if s.last == s.first {
		return nil
	}
	keep := s.last - 1 // to tell whether keys change after it
	for _, t := range s.tasks {
		keep = min(keep, t.needs(s.last))
	}
	keep = max(keep, s.kept)
	var idx []int32
	for _, t := range s.tasks {
		t.hold(keep, func(row *int32) {
			idx = append(idx, *row)
			*row = int32(len(idx) - 1)
		})
	}
	for _, r := range s.part.out {
		r.free()
		*r = result{}
	}
	kept, by := len(idx), keep-len(idx)
	for i := keep; i < s.part.n; i++ {
		idx = append(idx, int32(i))
	}
	store := colstore.New(s.part.types, s.part.account)
	if err := store.Append(vec.Select(&vec.Batch{Cols: s.part.cols, N: s.part.rows.Rows()}, idx)); err != nil {
		store.Free()
		return err
	}
	for _, t := range s.tasks {
		t.move(keep, by)
	}
	s.part.rows.Free()
	s.part.rows, s.full = store, nil
	s.base += keep - s.kept
	s.first, s.last, s.kept = s.last-by, s.last-by, kept
	return nil
}

// batch gives the computed rows at positions [lo, hi).
func (s *sections) batch(lo, hi int) *vec.Batch {
	b := (&vec.Batch{Cols: s.part.cols[:s.part.width], N: s.part.n}).Slice(lo, hi)
	for _, r := range s.part.out {
		b.Cols = append(b.Cols, r.slice(lo, hi))
	}
	return b
}

func (s *sections) close() error {
	if s == nil {
		return nil
	}
	s.part.rows.Free()
	s.part.drop()
	if s.in == nil {
		return nil
	}
	return s.in.Close()
}
