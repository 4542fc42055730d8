package column_test

import (
	"math"
	"testing"

	"gsql/gpu/column"
	"gsql/sql/types"
)

// operand is a column of type id with values between lo and hi, as a vector holds them.
func operand(id types.ID, lo, hi int64) column.Operand {
	t := types.T(id)
	return column.Operand{Type: t, Bounds: column.Between(t, lo, hi)}
}

func TestFormatOf(t *testing.T) {
	i32, i64 := column.Format{Kind: column.I32}, column.Format{Kind: column.I64}
	flipped, f64 := column.Format{Kind: column.I64, Flipped: true}, column.Format{Kind: column.F64}
	big := int64(-1) // as a uint64, the greatest
	tests := []struct {
		name     string
		operands []column.Operand
		want     column.Format
		none     bool
	}{
		{"small", []column.Operand{operand(types.Int64, -5, 5)}, i32, false},
		{"int32's ends", []column.Operand{operand(types.Int64, math.MinInt32, math.MaxInt32)}, i32, false},
		{"one more", []column.Operand{operand(types.Int64, 0, math.MaxInt32+1)}, i64, false},
		{"one less", []column.Operand{operand(types.Int64, math.MinInt32-1, 0)}, i64, false},
		{"one side is wide", []column.Operand{operand(types.Int64, 0, 1), operand(types.Int64, 0, 1<<40)}, i64, false},
		{"small unsigned", []column.Operand{operand(types.Uint64, 0, 7), operand(types.Int64, -7, 7)}, i32, false},
		{"unsigned beyond int32", []column.Operand{operand(types.Uint64, 0, 1<<32), operand(types.Int64, -7, 7)}, i64, false},
		{"unsigned beyond int64", []column.Operand{operand(types.Uint64, 0, big), operand(types.Int64, 0, 7)}, flipped, false},
		{"unsigned only beyond int64", []column.Operand{operand(types.Uint64, big-1, big)}, flipped, false},
		{"and negative", []column.Operand{operand(types.Uint64, 0, big), operand(types.Int64, -1, 7)}, i64, true},
		{"no values", []column.Operand{{Type: types.T(types.Int64), Bounds: column.None}}, i32, false},
		{"no values beside wide ones", []column.Operand{{Type: types.T(types.Uint64), Bounds: column.None}, operand(types.Int64, -1<<40, 0)}, i64, false},
		{"doubles", []column.Operand{operand(types.Float64, 0, 0), operand(types.Float32, 0, 0)}, f64, false},
		{"doubles and integers", []column.Operand{operand(types.Float64, 0, 0), operand(types.Int8, 0, 0)}, f64, true},
		{"integers and doubles", []column.Operand{operand(types.Int8, 0, 0), operand(types.Float64, 0, 0)}, f64, true},
		{"text", []column.Operand{operand(types.String, 0, 0)}, i32, true},
		{"decimal", []column.Operand{operand(types.Decimal, 0, 0)}, i32, true},
	}
	for _, test := range tests {
		if f, ok := column.FormatOf(test.operands...); ok == test.none || ok && f != test.want {
			t.Errorf("%s: %+v, %v, want %+v, %v", test.name, f, ok, test.want, !test.none)
		}
	}
}

func TestAny(t *testing.T) {
	tests := []struct {
		id     types.ID
		lo, hi int64
	}{
		{types.Int8, -128, 127}, {types.Int32, math.MinInt32, math.MaxInt32}, {types.Int64, math.MinInt64, math.MaxInt64},
		{types.Uint8, 0, 255}, {types.Uint32, 0, math.MaxUint32}, {types.Uint64, 0, -1},
		{types.Date, math.MinInt32, math.MaxInt32}, {types.Datetime, math.MinInt64, math.MaxInt64}, {types.Year, 0, math.MaxUint16},
	}
	for _, test := range tests {
		typ := types.T(test.id)
		if got, want := column.Any(typ), column.Between(typ, test.lo, test.hi); got != want {
			t.Errorf("%s: %+v, want %+v", typ, got, want)
		}
	}
}
