package radix

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// Payload lists the columns that joined rows are to carry.
type Payload struct {
	Left, Right []column.Column
	Key         bool // the key as well
}

// Joined is memory for joined rows: one column for each of the Payload, in its order.
type Joined struct {
	Key         gpu.Ptr
	Left, Right []gpu.Ptr
}

// Rows receives joined rows piece by piece, in no particular order, as join.Output receives their
// numbers.
type Rows interface {
	// Piece returns memory for up to capacity rows.
	Piece() (to Joined, capacity int64, err error)
	// Emit passes on the first n rows of the last Piece.
	Emit(n int64) error
}

// Carries reports whether Columns supports the join: all conditions form one key, and each side
// carries 4 or 8 bytes per row without NULLs, the same number on both sides.
func Carries(in join.Input, p Payload) bool {
	key, ok := join.NewKey(in.Conditions)
	left, okLeft := carryOf(p.Left)
	right, okRight := carryOf(p.Right)
	return ok && len(key.Rest) == 0 && !(p.Key && len(key.Conditions) > 1) && okLeft && okRight && left.width == right.width
}

// carryOf returns what a side carries: one column, or two of 4 bytes as halves.
func carryOf(columns []column.Column) (carry, bool) {
	for _, c := range columns {
		if c.Valid != 0 || c.Kind != columns[0].Kind {
			return carry{}, false
		}
	}
	switch {
	case len(columns) == 1:
		return carry{width: columns[0].Kind.Width(), low: columns[0].Values}, true
	case len(columns) == 2 && columns[0].Kind == column.I32:
		return carry{width: 8, low: columns[0].Values, high: columns[1].Values}, true
	}
	return carry{}, false
}

// Columns returns the joined rows of a join that Carries accepts, with their columns' values, which
// are partitioned together with the keys. Gathering them by row number afterwards would cost a
// sector of memory per value; here they are read and written in order (Wu et al., Efficiently
// Processing Joins and Grouped Aggregations on GPUs, 2024, 4: payloads transformed before they are
// gathered).
func Columns(t *engine.Task, in join.Input, p Payload, out Rows, opt Options) error {
	left, _ := carryOf(p.Left)
	right, _ := carryOf(p.Right)
	build, probe := right, left
	if opt.BuildLeft {
		build, probe = left, right
	}
	s, err := newSides(in, opt.BuildLeft, build, probe, opt)
	if err != nil {
		return err
	}
	return s.joinInto(t, in, out)
}
