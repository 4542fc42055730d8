package window

import (
	"errors"

	"gsql/exec/op"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// topStream returns the rows of a stream that may be among the first ones of their partition,
// once it has seen all. Where memory has no room for these, or there are hardly any others, it
// returns those it has and passes on what comes behind.
type topStream struct {
	in   op.Stream
	o    *Operator
	top  *top       // nil before the first row is wanted and after the last one was returned
	at   int        // in top's rows: where to go on
	rest *vec.Batch // read and not taken by top
	read bool       // all rows that top was to see were read
	end  bool       // in has no more rows
}

// Next implements op.Stream.
func (s *topStream) Next() (*vec.Batch, error) {
	if !s.read {
		s.top, s.read = s.o.newTop(), true
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	if s.top != nil {
		if s.at < s.top.store.Rows() {
			b := s.top.store.Batch(s.at, s.o.ctx.Rows())
			s.at += b.N
			return b, nil
		}
		s.top.free()
		s.top = nil
	}
	if b := s.rest; b != nil {
		s.rest = nil
		return b, nil
	}
	if s.end {
		return nil, nil
	}
	return s.in.Next()
}

// fill reads rows as long as that pays and there is memory.
func (s *topStream) fill() error {
	for !s.top.useless() && !s.top.scarce() {
		b, err := s.in.Next()
		if err != nil {
			return err
		}
		if s.end = b == nil; s.end {
			break
		}
		taken, err := s.top.add(b)
		if err != nil && !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		if !taken {
			s.rest = b
		}
		if err != nil {
			break
		}
	}
	s.top.settle()
	return nil
}

// Close implements op.Stream.
func (s *topStream) Close() error {
	if s.top != nil {
		s.top.free()
	}
	return s.in.Close()
}
