package window

import (
	"errors"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// runStream computes rows that are on disk, in order: as many whole partitions at a time as fit
// in part of the memory. From the first partition that does not fit, it continues page by page.
type runStream struct {
	o      *Operator
	in     op.Stream
	prefix int   // leading keys of the partitions common to all functions
	enough int64 // bytes of rows to compute together
	part   *Operator
	out    op.Stream // of part
	next   *colstore.Store
	whole  int        // rows of next that belong to whole partitions
	later  *vec.Batch // rows that did not fit in next
	morsel int64
	ended  bool

	done  int     // rows computed so far
	pages *paging // instead of next and part
}

func (o *Operator) newRunStream() (op.Stream, error) {
	s := &runStream{o: o, prefix: o.prefix(), next: colstore.New(o.types, o.account)}
	if s.prefix == 0 {
		return s, s.divide()
	}
	var err error
	s.in, s.enough, err = o.openRuns()
	return s, err
}

// openRuns returns the rows on disk, and how many bytes of them should be in memory at once.
// While it opens them, it reserves part of the memory, so that the merge of the runs leaves it.
func (o *Operator) openRuns() (in op.Stream, enough int64, err error) {
	part := o.account.Left() / 2
	if err := o.account.Reserve(part); err != nil {
		return nil, 0, err
	}
	in, err = o.sorted.Stream()
	o.account.Release(part)
	return in, part / 8, err
}

// divide continues page by page with the rows that have not been computed.
func (s *runStream) divide() error {
	s.next.Free()
	s.later = nil
	if s.in != nil {
		if err := s.in.Close(); err != nil {
			return err
		}
		s.in = nil
	}
	var err error
	s.pages, err = s.o.newPaging(s.done)
	return err
}

// nextPage returns the rows of the next page that the window does not drop.
func (s *runStream) nextPage() (*vec.Batch, error) {
	for {
		b, err := s.pages.page()
		if err != nil || b == nil {
			return nil, err
		}
		b.Morsel = s.morsel
		s.morsel++
		if s.o.top > 0 {
			b = s.o.within(b)
		}
		if b.N > 0 {
			return b, nil
		}
	}
}

// Next implements op.Stream.
func (s *runStream) Next() (*vec.Batch, error) {
	for {
		if s.pages != nil {
			return s.nextPage()
		}
		if s.out != nil {
			b, err := s.out.Next()
			if err != nil {
				return nil, err
			}
			if b != nil {
				b.Morsel = s.morsel
				s.morsel++
				return b, nil
			}
			if err := s.forget(); err != nil {
				return nil, err
			}
		}
		err := s.read()
		if err == nil && s.whole == 0 {
			return nil, nil
		}
		if err == nil {
			n := s.whole
			if err = s.compute(); err == nil {
				s.done += n
			}
		}
		if errors.Is(err, sqlerr.OutOfMemory) {
			if err = s.forget(); err == nil {
				err = s.divide()
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// read collects rows until there are enough or no more.
func (s *runStream) read() error {
	for !s.ended && (s.whole == 0 || s.next.Bytes() < s.enough) {
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
			s.ended, s.whole = true, s.next.Rows()
			return nil
		}
		if err := s.next.Append(b); errors.Is(err, sqlerr.OutOfMemory) && s.whole > 0 {
			s.later = b
			return nil
		} else if err != nil {
			return err
		}
		s.findWhole(b.N)
	}
	return nil
}

// findWhole finds the last start of a partition among the last n rows.
func (s *runStream) findWhole(n int) {
	rows := s.next.Rows()
	cols := s.next.Columns()
	for i := rows - 1; i > 0 && i >= rows-n; i-- {
		for _, k := range s.o.keys[:s.prefix] {
			if sort.Compare(cols[k.col], int32(i-1), cols[k.col], int32(i)) != 0 {
				s.whole = i
				return
			}
		}
	}
}

// compute computes the whole partitions and keeps the rows after them for later.
func (s *runStream) compute() error {
	o := s.o
	all := &vec.Batch{Cols: s.next.Columns(), N: s.next.Rows()}
	rest := colstore.New(o.types, o.account)
	if s.whole < all.N {
		if err := rest.Append(all.Slice(s.whole, all.N)); err != nil {
			rest.Free()
			return err
		}
	}
	rows := s.next
	rows.Truncate(s.whole)
	s.next, s.whole = rest, 0
	s.part = &Operator{width: o.width, types: o.types, keys: o.keys, specs: o.specs, results: o.results, top: o.top, topBy: o.topBy, ctx: o.ctx, account: o.account}
	if err := s.part.over(rows, nil); err != nil {
		return err
	}
	var err error
	s.out, err = s.part.Stream()
	return err
}

// forget frees what was computed last.
func (s *runStream) forget() error {
	if s.part == nil {
		return nil
	}
	rows := s.part.rows
	s.part.drop()
	rows.Free()
	s.part, s.out = nil, nil
	return nil
}

// Close implements op.Stream.
func (s *runStream) Close() error {
	err := s.forget()
	s.next.Free()
	err = errors.Join(err, s.pages.close())
	if s.in != nil {
		err = errors.Join(err, s.in.Close())
	}
	return err
}
