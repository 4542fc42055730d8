// Package join defines what the joins on a device share: their inputs, conditions, output and
// aggregates. Each algorithm is a package below.
//
// A join here is inner: it finds the pairs of rows for which all conditions are true. exec/join
// adds outer rows, marks and residual predicates to its row pairs.
package join

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
)

// Op compares a left and a right operand: left Op right.
type Op uint8

// The comparison operators.
const (
	EQ Op = iota
	NE
	LT
	LE
	GT
	GE
)

// Suffix returns the part of kernel names that denotes the comparison.
func (o Op) Suffix() string { return [...]string{"eq", "ne", "lt", "le", "gt", "ge"}[o] }

// Mirror returns the comparison with its operands exchanged.
func (o Op) Mirror() Op { return [...]Op{EQ, NE, GT, GE, LT, LE}[o] }

// Condition is one conjunct. Both operands have the same kind and as many rows as their side; a
// NULL operand matches nothing.
type Condition struct {
	Op          Op
	Left, Right column.Column
}

// Input is the input of a join: the conjunction of Conditions over Left and Right rows, fewer than
// 2^31 each.
type Input struct {
	Left, Right int64 // rows
	Conditions  []Condition
}

// Output receives the row pairs of a join piece by piece, in no particular order. Pieces are
// written by kernels on the task's compute stream.
type Output interface {
	// Piece returns device memory for up to capacity pairs: int32 row numbers of the left and of
	// the right side. It waits until an earlier piece in the same memory has been consumed.
	Piece() (left, right gpu.Ptr, capacity int64, err error)
	// Emit passes on the first n pairs of the last Piece; the work that writes them is queued on
	// the compute stream. It may return before they are consumed.
	Emit(n int64) error
}

var (
	_ Output = (*engine.Pairs)(nil)
	_ Output = (*engine.DevicePairs)(nil)
)

// AggFunc is an aggregate over the joined rows.
type AggFunc uint8

// The aggregates. AVG is Sum and Count of the same column.
const (
	CountRows AggFunc = iota // COUNT(*): no column
	Count                    // rows with non-NULL values
	Sum
	Min
	Max
)

// Agg is an aggregate of one side's column over a join.
type Agg struct {
	Func   AggFunc
	Left   bool // the column is the left side's
	Column column.Column
}

// Value is the result of an aggregate.
type Value struct {
	Null   bool    // no rows, or only NULL values; never for counts
	Lo, Hi uint64  // integers and counts: a signed 128-bit number
	F      float64 // doubles
}
