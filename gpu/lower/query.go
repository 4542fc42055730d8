// Package lower makes pipeline programs from physical plans.
package lower

import (
	"gsql/gpu/column"
	"gsql/gpu/pipeline"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Columns describes the columns of tables: by statistics when a plan is made, and by the columns in
// device memory before it runs.
type Columns interface {
	// Rows returns the number of rows of a table.
	Rows(t catalog.Table) int64
	// Column describes a column as it is, or will be, in device memory; addresses are not used. The
	// error is the reason why the column cannot be there. The Dictionary of a text column is nil
	// while only statistics are known: expressions over texts then have bounds, but no tables of
	// constants.
	Column(t catalog.Table, ordinal int) (column.Narrow, error)
	// Raw reports whether the host computes functions of a column, as Derived columns, because the
	// column has too many values for tables of results.
	Raw(t catalog.Table, ordinal int) bool
	// Derived describes a Derived column as Column does.
	Derived(t catalog.Table, d Derived) (column.Narrow, error)
	// Late reports whether the host reads a column that the device does not compute with, for a
	// result of about the given number of rows. The column is then not needed on the device.
	Late(t catalog.Table, ordinal int, rows float64) bool
}

// Query is a subtree of a plan in the form of pipelines.
type Query struct {
	Program   *pipeline.Program
	Relations []Relation // the base relations that Program.Columns refer to
	Outputs   []Output   // one for each column of the subtree's root
}

// Relation is a table that a query reads.
type Relation struct {
	Table    catalog.Table
	Ordinals []int // of the columns read, each once
	// Derived are read like columns: the ordinals of theirs follow those of the table.
	Derived []Derived
}

// Output specifies how a column of the result is computed from columns of Program.Result, which it
// names by their positions there.
type Output struct {
	Type types.Type
	Form Form
	// Value is the column of the value, Valid a column that is 0 where the value is NULL; Valid is
	// pipeline.None if it never is.
	Value, Valid int
	// High is the second column of Wide and Long; Count is that of the number of values of Mean.
	High, Count int
	Scale       int                // decimal digits after the point of the stored integers
	Texts       *column.Dictionary // Text
	// Relation and Ordinal are the column of a Row.
	Relation, Ordinal int
}

// Form is how the values of an output are stored.
type Form uint8

// The forms. Wide values are Value + High * 2^32, NULL if Count is 0. A Mean is the wide or plain sum divided by Count,
// NULL if that is 0.
const (
	Integer  Form = iota // integers, dates and times; decimals scaled by Scale
	Real                 // doubles
	Text                 // codes of Texts
	Wide                 // SumLow and SumHigh of a decimal or integer sum
	Mean                 // integer or decimal mean of a plain sum
	WideMean             // integer or decimal mean of a wide sum
	RealMean             // mean of doubles
	Long                 // integers or decimals of more than 64 bits: Value + High * 2^64
	Row                  // the number of a row, whose column the host reads
)
