package window

import (
	"errors"

	"gsql/exec/op"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// topStream reads a whole stream and then returns the rows that may be among the first of their
// partition. If they do not fit in memory, or hardly any rows can be dropped, it returns those it
// has and passes on the rest of the stream.
type topStream struct {
	in   op.Stream
	o    *Operator
	top  *top       // nil before the first row is requested and after its last row was returned
	at   int        // next of top's rows to return
	rest *vec.Batch // read but not taken by top
	read bool       // top has been filled
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

// fill reads rows as long as that pays and memory suffices.
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
