package merge

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// span is a join by range comparisons with one column: once sorted, the column has a run of
// partners for each row of the other side, the driving side.
type span struct {
	sortLeft bool // the column is the left side's
	column   column.Column
	rows     int64 // of the driving side
	bounds   []bound
}

// bound is a comparison of a driving row's operand with the sorted column.
type bound struct {
	operand column.Column
	places  uint64 // the positions that it sets: see kernels/run_bounds.cu
}

// Positions of the sorted column's items, by their comparison with a driving value.
const (
	fromFirst  = 1
	fromBeyond = 2
	toFirst    = 4
	toBeyond   = 8
)

// placesOf returns the bounds of value op item.
func placesOf(op join.Op) uint64 {
	return [...]uint64{join.LT: fromBeyond, join.LE: fromFirst, join.GT: toFirst, join.GE: toBeyond}[op]
}

// newSpan chooses, for an input without equalities, the column that the most conditions compare
// with, of the smaller side if there are several; rest are the other conditions. ok is false if all
// are <>.
func newSpan(in join.Input) (s span, rest []join.Condition, ok bool) {
	most := 0
	for _, c := range in.Conditions {
		for _, left := range []bool{in.Left <= in.Right, in.Left > in.Right} {
			operand := operandOf(c, left)
			if n := ranges(in.Conditions, left, operand); n > most {
				most, s.sortLeft, s.column = n, left, operand
			}
		}
	}
	s.rows = in.Left
	if s.sortLeft {
		s.rows = in.Right
	}
	for _, c := range in.Conditions {
		if c.Op == join.NE || operandOf(c, s.sortLeft) != s.column {
			rest = append(rest, c)
			continue
		}
		op := c.Op
		if s.sortLeft {
			op = op.Mirror()
		}
		s.bounds = append(s.bounds, bound{operandOf(c, !s.sortLeft), placesOf(op)})
	}
	return s, rest, most > 0
}

func operandOf(c join.Condition, left bool) column.Column {
	if left {
		return c.Left
	}
	return c.Right
}

// ranges returns how many conditions compare a side's column by an order.
func ranges(conds []join.Condition, left bool, operand column.Column) int {
	n := 0
	for _, c := range conds {
		if c.Op != join.NE && operandOf(c, left) == operand {
			n++
		}
	}
	return n
}

// runs are the driving rows' partners in the sorted column: those of row i are at positions
// starts[i] up to ends[i], of 32 bits.
type runs struct{ starts, ends gpu.Ptr }

func (s *span) runs(t *engine.Task, items sorted) (r runs, err error) {
	if r.starts, err = t.Alloc(4 * s.rows); err != nil {
		return r, err
	}
	if r.ends, err = t.Alloc(4 * s.rows); err != nil {
		return r, err
	}
	first := uint64(1)
	for _, b := range s.bounds {
		err := t.Launch("gsql_run_bounds", items.kind.Suffix(), s.rows, false, uint64(items.keys), uint64(items.n),
			uint64(b.operand.Values), uint64(b.operand.Valid), uint64(s.rows), b.places, first, uint64(r.starts), uint64(r.ends))
		if err != nil {
			return r, err
		}
		first = 0
	}
	return r, nil
}

// lengths returns the runs' lengths, of 64 bits.
func (s *span) lengths(t *engine.Task, r runs) (gpu.Ptr, error) {
	lengths, err := t.Alloc(8 * s.rows)
	if err != nil {
		return 0, err
	}
	return lengths, t.Launch("gsql_run_lengths", "", s.rows, false, uint64(r.starts), uint64(r.ends), uint64(s.rows), uint64(lengths))
}

// pairs writes the runs' pairs, divided into pieces by position.
func (s *span) pairs(t *engine.Task, out join.Output) error {
	items, err := sort(t, s.column)
	if err != nil || items.n == 0 {
		return err
	}
	r, err := s.runs(t, items)
	if err != nil {
		return err
	}
	offsets, err := s.lengths(t, r)
	if err != nil {
		return err
	}
	word, err := t.Alloc(8)
	if err != nil {
		return err
	}
	if err := prim.Scan64(t, offsets, offsets, s.rows, word); err != nil {
		return err
	}
	total, err := t.ReadWord(word)
	for from := int64(0); err == nil && from < int64(total); {
		from, err = s.piece(t, out, items, offsets, r.starts, from, int64(total))
	}
	return err
}

// piece writes the pairs from position from on that fit one piece, and returns the next position.
func (s *span) piece(t *engine.Task, out join.Output, items sorted, offsets, starts gpu.Ptr, from, total int64) (int64, error) {
	driving, partners, room, err := out.Piece()
	if err != nil {
		return 0, err
	}
	if s.sortLeft {
		driving, partners = partners, driving
	}
	to := min(total, from+room)
	err = t.Launch("gsql_expand_pairs", "", to-from, false, uint64(offsets), uint64(starts), uint64(s.rows), 0, uint64(items.rows),
		uint64(from), uint64(to), uint64(driving), uint64(partners))
	if err != nil {
		return 0, err
	}
	return to, out.Emit(to - from)
}
