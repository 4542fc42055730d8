package theta

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

// ValueOutput receives values of joined rows piece by piece, as join.Output receives row numbers:
// 4-byte values of one column of the left and of two of the right side.
type ValueOutput interface {
	Piece() (left, rightA, rightB gpu.Ptr, capacity int64, err error)
	Emit(n int64) error
}

// Values writes values of the joined rows instead of row numbers, so that they need not be gathered
// later: of left, and of a and b of the right side, all I32 without NULLs. The left side is the
// owning side. It does not support conditions that require another pass over the pairs.
func Values(t *engine.Task, in join.Input, left, a, b column.Column, out ValueOutput, opt Options) error {
	for _, c := range []column.Column{left, a, b} {
		if c.Kind != column.I32 || c.Valid != 0 {
			return sqlerr.Internal("a theta join puts out a column of kind %s with NULLs: %v", c.Kind.Suffix(), c.Valid != 0)
		}
	}
	if _, rest := split(in); len(rest) > 0 {
		return sqlerr.Internal("a theta join puts out values with %d conditions", len(in.Conditions))
	}
	s := &valueSink{out: out, left: left.Values, a: a.Values, b: b.Values}
	return within(t, func() error {
		return output(t, in, true, valuesBytes, &writer{s, opt})
	})
}

// valuesBytes returns pairsBytes plus the columns of the other side without its NULL rows.
func valuesBytes(p *plan, nOwner, nOther int64) int64 {
	bytes := pairsBytes(p, nOwner, nOther)
	if p.nulls {
		bytes += 2 * padded(4*nOther)
	}
	return bytes
}

// valueSink emits values.
type valueSink struct {
	out              ValueOutput
	left, a, b       gpu.Ptr // columns
	mine, outA, outB gpu.Ptr // the piece

	cellLeft, cellA, cellB gpu.Ptr // columns from the cell's first row on
}

func (s *valueSink) begin(t *engine.Task, o owners, other others) error {
	s.cellLeft = s.left + gpu.Ptr(4*o.first)
	s.cellA, s.cellB = s.a+gpu.Ptr(4*other.first), s.b+gpu.Ptr(4*other.first)
	if other.numbers == 0 {
		return nil
	}
	for _, c := range []*gpu.Ptr{&s.cellA, &s.cellB} {
		kept, err := t.Alloc(4 * other.rows)
		if err == nil {
			err = prim.Gather(t, 4, *c, other.numbers, kept, other.rows)
		}
		if err != nil {
			return err
		}
		*c = kept
	}
	return nil
}

func (s *valueSink) piece() (capacity int64, err error) {
	s.mine, s.outA, s.outB, capacity, err = s.out.Piece()
	return capacity, err
}

func (s *valueSink) emit(n int64) error { return s.out.Emit(n) }

func (s *valueSink) kernel(row int64) (string, []uint64) {
	return "gsql_theta_values", []uint64{uint64(s.cellLeft) + uint64(4*row), uint64(s.mine), uint64(s.cellA), uint64(s.outA), uint64(s.cellB), uint64(s.outB)}
}
