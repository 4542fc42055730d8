// Package column describes columns in device memory and moves columns there.
package column

import "gsql/gpu"

// Kind is the layout of values in device memory, always little-endian.
type Kind uint8

// The kinds. Integers, dates and times whose values all fit may be I32 whatever their
// SQL type is; both operands of a join condition have the same kind.
const (
	I32 Kind = iota
	I64      // also BIGINT UNSIGNED, where it must be with the top bit flipped: see Format
	F64      // without negative zeros
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

// Column is one column in device memory, which its maker owns and keeps until the task
// that uses it has ended. It is read only.
type Column struct {
	Kind   Kind
	Rows   int64
	Values gpu.Ptr // Rows values; those of NULL rows are any
	Valid  gpu.Ptr // a byte a row, 0 where the row is NULL and else 1; 0: no row is NULL

	// Bounded means that all values that are not NULL are in [Min, Max] (I32 and I64).
	Bounded  bool
	Min, Max int64

	// Flipped means that the top bit of each value is flipped (and of Min and Max): sums,
	// minima and maxima are of such values.
	Flipped bool
}

// Format is the format of the values.
func (c *Column) Format() Format { return Format{Kind: c.Kind, Flipped: c.Flipped} }

// Bytes is the device memory that the column takes.
func (c *Column) Bytes() int64 {
	n := c.Rows * c.Kind.Width()
	if c.Valid != 0 {
		n += c.Rows
	}
	return n
}
