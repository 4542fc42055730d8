// Package column describes columns in device memory and moves columns there.
package column

import "gsql/gpu"

// Kind is the layout of values in device memory, always little-endian.
type Kind uint8

// The kinds. Integers, dates and times whose values all fit may be I32 whatever their
// SQL type is; both operands of a join condition have the same kind.
const (
	I32 Kind = iota
	I64      // also BIGINT UNSIGNED, with the top bit flipped where necessary: see Format
	F64      // no negative zeros
)

// Width is the number of bytes of a value.
func (k Kind) Width() int64 {
	if k == I32 {
		return 4
	}
	return 8
}

// Suffix returns the part of kernel names that denotes values of the kind.
func (k Kind) Suffix() string { return [...]string{"i32", "i64", "f64"}[k] }

// Bits returns the part of kernel names that denotes values of which only the bytes matter.
func (k Kind) Bits() string { return [...]string{"b4", "b8", "b8"}[k] }

// Column is one column in device memory. Its creator owns it and keeps it until the task that uses
// it has ended. It is read-only.
type Column struct {
	Kind   Kind
	Rows   int64
	Values gpu.Ptr // Rows values; those of NULL rows are undefined
	Valid  gpu.Ptr // one byte per row, 0 if the row is NULL and 1 otherwise; 0 if no row is NULL

	// Bounded means that all non-NULL values are in [Min, Max] (I32 and I64).
	Bounded  bool
	Min, Max int64

	// Flipped means that the top bit of each value, and of Min and Max, is flipped: sums, minima
	// and maxima refer to the flipped values.
	Flipped bool
}

// Format is the format of the values.
func (c *Column) Format() Format { return Format{Kind: c.Kind, Flipped: c.Flipped} }

// Bytes returns the device memory that the column takes.
func (c *Column) Bytes() int64 {
	n := c.Rows * c.Kind.Width()
	if c.Valid != 0 {
		n += c.Rows
	}
	return n
}
