package input

import (
	"gsql/planner/logical"
	"gsql/sql/types"
)

// NumberType is the type of row numbers.
var NumberType = types.T(types.Int64)

// AsStored returns the Spec of the same side after its rows were written in the stored layout.
func (s *Spec) AsStored() *Spec {
	_, keyCol := s.Layout()
	out := *s
	out.Columns, out.At = make([]logical.Column, len(s.At)), make([]int, len(s.At))
	for i, at := range s.At {
		out.Columns[i], out.At[i] = s.Columns[at], i
	}
	out.keyAt = keyCol
	return &out
}

// Numbered returns the Spec of a side with an additional last column of row numbers, which is set
// when the rows are read from disk.
func (s *Spec) Numbered() *Spec {
	ts, _ := s.Layout()
	out := *s
	out.Columns = append(s.Columns[:len(s.Columns):len(s.Columns)], make([]logical.Column, len(ts)+1-len(s.Columns))...)
	out.Columns[len(ts)].T = NumberType
	out.At = append(s.At[:len(s.At):len(s.At)], len(ts))
	return &out
}
