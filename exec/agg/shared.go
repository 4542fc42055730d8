package agg

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// shared flattens columns that several arguments read, once per batch.
type shared struct {
	cols  []int // of the input
	flat  []vec.Vector
	batch vec.Batch
}

// newShared finds the columns of numbers that several arguments read.
func newShared(aggs []aggregate, in []types.Type) *shared {
	readers := make([]int, len(in))
	for _, a := range aggs {
		for _, p := range a.args {
			p.Columns(func(c int) { readers[c]++ })
		}
	}
	s := &shared{}
	for c, n := range readers {
		if n > 1 && in[c].Kind() != types.KindStr {
			s.cols = append(s.cols, c)
		}
	}
	s.flat = make([]vec.Vector, len(s.cols))
	return s
}

// flatten returns b with the shared columns flat, valid until the next call. Views of
// dictionaries and of runs stay.
func (s *shared) flatten(b *vec.Batch) *vec.Batch {
	if len(s.cols) == 0 {
		return b
	}
	s.batch.N, s.batch.Morsel = b.N, b.Morsel
	s.batch.Cols = append(s.batch.Cols[:0], b.Cols...)
	for i, c := range s.cols {
		if v := b.Cols[c]; v.Form == vec.View && !v.Base.Dict && !v.InRuns() {
			s.batch.Cols[c] = v.Tighten(&s.flat[i])
		}
	}
	return &s.batch
}
