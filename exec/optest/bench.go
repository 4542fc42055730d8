package optest

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/sql/vec"
)

// Columns is an operator over large vectors, for benchmarks: its batches are slices that are not
// copied, and its streams share a counter of morsels.
type Columns struct {
	Cols []*vec.Vector
	// Shares, if above 0, is a number of streams, each of which gets an equal share of the rows,
	// regardless of which is faster. Tests of the work of each worker rely on it.
	Shares  int
	next    atomic.Int64 // the next morsel
	streams atomic.Int64 // number of streams opened
}

// morselRows is the number of rows that a stream of Columns takes at once.
const morselRows = 32 * vec.BatchSize

// Open implements op.Operator.
func (c *Columns) Open(*op.Ctx) error {
	c.next.Store(0)
	c.streams.Store(0)
	return nil
}

// Ordered implements op.Operator.
func (c *Columns) Ordered() bool { return false }

// Close implements op.Operator.
func (c *Columns) Close() error { return nil }

// Stream implements op.Operator.
func (c *Columns) Stream() (op.Stream, error) {
	s := &columnsStream{c: c, morsel: c.streams.Add(1) - 1}
	if n := c.Cols[0].N; c.Shares > 0 {
		s.at, s.end = int(s.morsel)*n/c.Shares, (int(s.morsel)+1)*n/c.Shares
	}
	return s, nil
}

type columnsStream struct {
	c       *Columns
	at, end int
	morsel  int64
}

// Next implements op.Stream.
func (s *columnsStream) Next() (*vec.Batch, error) {
	n := s.c.Cols[0].N
	if s.at == s.end {
		if s.c.Shares > 0 {
			return nil, nil
		}
		s.morsel = s.c.next.Add(1) - 1
		s.at = int(s.morsel) * morselRows
		s.end = min(s.at+morselRows, n)
		if s.at >= n {
			s.at = s.end
			return nil, nil
		}
	}
	to := min(s.at+vec.BatchSize, s.end)
	b := (&vec.Batch{Cols: s.c.Cols, N: n}).Slice(s.at, to)
	b.Morsel = s.morsel
	s.at = to
	return b, nil
}

// Close implements op.Stream.
func (s *columnsStream) Close() error { return nil }
