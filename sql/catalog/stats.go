package catalog

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
)

// Stats holds statistics about a table's contents.
type Stats struct {
	Rows    int64
	Exact   bool          // Rows is exact
	Bytes   int64         // size in memory or in the file, 0 if unknown
	Columns []ColumnStats // by ordinal; empty if nothing is known
}

// ColumnStats describes one column. Zero values mean unknown.
type ColumnStats struct {
	Nulls    int64
	NDV      int64  // estimated number of distinct non-NULL values
	Min, Max *Datum // bounds on which plans rely: no value is outside, though they need not occur
	Hist     *Histogram
	MCV      []ValueCount // most common values, most frequent first
	AvgLen   float64      // average bytes per value, for strings
	Sorted   bool         // ascending in the table's order, NULLs first if any
}

// ValueCount is a value and the number of rows that contain it.
type ValueCount struct {
	Value Datum
	Rows  int64
}

// Histogram is an equi-depth histogram: bucket i holds the rows in (Bounds[i], Bounds[i+1]]; the
// first bucket includes its lower bound. Each bucket holds about Rows/(len(Bounds)-1) rows.
type Histogram struct {
	Bounds []float64 // ascending, at least 2; see Datum.Float
	Rows   int64     // rows described
}

// Datum is a single value of any type.
type Datum struct {
	Type types.Type
	Null bool
	I64  int64 // KindI64, and KindU64 as bits
	F64  float64
	Dec  decimal128.Num
	Str  string
}

// Float maps the value to a number that preserves the type's order, for interpolation: numbers
// are unchanged, temporal values become their integers, strings their first eight bytes, and NULL
// becomes 0.
func (d Datum) Float() float64 {
	switch d.Type.Kind() {
	case types.KindI64:
		return float64(d.I64)
	case types.KindU64:
		return float64(uint64(d.I64))
	case types.KindF64:
		return d.F64
	case types.KindDec:
		return d.Dec.ToFloat64(int32(d.Type.Scale))
	case types.KindStr:
		var x uint64
		for i := 0; i < 8; i++ {
			x <<= 8
			if i < len(d.Str) {
				x |= uint64(d.Str[i])
			}
		}
		return float64(x)
	}
	return 0
}

// Compare orders two non-NULL values of the same kind (and scale): -1, 0 or 1.
func (d Datum) Compare(o Datum) int {
	switch d.Type.Kind() {
	case types.KindU64:
		return cmp(uint64(d.I64), uint64(o.I64))
	case types.KindF64:
		return cmp(d.F64, o.F64)
	case types.KindDec:
		return d.Dec.Cmp(o.Dec)
	case types.KindStr:
		return strings.Compare(d.Str, o.Str)
	}
	return cmp(d.I64, o.I64)
}

func cmp[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// EqualFold compares identifiers as MySQL compares column names: ignoring case.
func EqualFold(a, b string) bool { return strings.EqualFold(a, b) }

// SQL formats the value as a literal.
func (d Datum) SQL() string {
	if d.Null || d.Type.ID == types.Null {
		return "NULL"
	}
	s := d.Text()
	if d.Type.IsString() || d.Type.IsTemporal() {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}
