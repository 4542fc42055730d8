package tables_test

import (
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

var (
	_ lower.Columns = tables.Statistics{}
	_ lower.Columns = tables.Loaded{}
)

// described is a table of one column with statistics.
func described(c catalog.Column, stats ...catalog.ColumnStats) *table {
	t := newTable(1, &vec.Batch{N: 1000, Cols: []*vec.Vector{{Type: c.Type}}})
	t.schema.Columns[0], t.stats.Columns = c, stats
	return t
}

func number(x int64) *catalog.Datum { d := catalog.Int(x); return &d }

func decimal(x int64, high int64) *catalog.Datum {
	return &catalog.Datum{Type: types.Dec(30, 0), Dec: decimal128.New(high, uint64(x))}
}

func TestStatistics(t *testing.T) {
	str, uint64s := types.T(types.String), types.T(types.Uint64)
	for i, test := range []struct {
		column catalog.Column
		stats  []catalog.ColumnStats
		want   column.Narrow
		why    column.Refusal
	}{
		{catalog.Column{Type: types.T(types.Int8)}, nil, column.Narrow{Width: 1, Bias: -128, Min: -128, Max: 127, Valid: 1}, ""},
		{catalog.Column{Type: types.T(types.Int64), NotNull: true}, nil, column.Narrow{Width: 8, Min: math.MinInt64, Max: math.MaxInt64}, ""},
		{catalog.Column{Type: types.T(types.Int64)}, []catalog.ColumnStats{{Min: number(5), Max: number(300)}}, column.Narrow{Width: 2, Min: 5, Max: 300}, ""},
		{catalog.Column{Type: types.T(types.Date)}, []catalog.ColumnStats{{Nulls: 1, Min: number(9000), Max: number(9100)}}, column.Narrow{Width: 1, Bias: 9000, Min: 9000, Max: 9100, Valid: 1}, ""},
		{catalog.Column{Type: uint64s, NotNull: true}, nil, column.Narrow{Width: 8, Max: math.MaxInt64}, ""},
		{catalog.Column{Type: types.T(types.Uint16), NotNull: true}, nil, column.Narrow{Width: 2, Max: 65535}, ""},
		{catalog.Column{Type: uint64s}, []catalog.ColumnStats{{Min: number(0), Max: number(-1)}}, column.Narrow{}, "unsigned values beyond the range of BIGINT"},
		{catalog.Column{Type: types.T(types.Float32), NotNull: true}, nil, column.Narrow{Float: true, Width: 8}, ""},
		{catalog.Column{Type: types.Dec(3, 1), NotNull: true}, nil, column.Narrow{Width: 2, Bias: -999, Min: -999, Max: 999}, ""},
		{catalog.Column{Type: types.Dec(30, 0)}, []catalog.ColumnStats{{Min: decimal(-7, -1), Max: decimal(7, 0)}}, column.Narrow{Width: 1, Bias: -7, Min: -7, Max: 7}, ""},
		{catalog.Column{Type: types.Dec(30, 0)}, []catalog.ColumnStats{{Min: decimal(-7, -1), Max: decimal(7, 1)}}, column.Narrow{}, "values of more than 18 digits"},
		{catalog.Column{Type: str, NotNull: true}, nil, column.Narrow{Width: 2, Max: 999}, ""},
		{catalog.Column{Type: str}, []catalog.ColumnStats{{NDV: 4, AvgLen: 9}}, column.Narrow{Width: 1, Max: 3}, ""},
		{catalog.Column{Type: str}, []catalog.ColumnStats{{NDV: 900, AvgLen: 2 << 20}}, column.Narrow{}, "too many distinct texts"},
		{catalog.Column{Type: types.T(types.JSON)}, nil, column.Narrow{}, "values of type JSON"},
	} {
		c, err := tables.Statistics{}.Column(described(test.column, test.stats...), 0)
		test.want.Rows = 1000
		var why column.Refusal
		if errors.As(err, &why); why != test.why || (err == nil) != (why == "") || err == nil && c != test.want {
			t.Errorf("%d: %+v, %v, want %+v", i, c, err, test.want)
		}
	}
}

func TestLoadedColumns(t *testing.T) {
	known := tables.Loaded{}
	a, b := described(catalog.Column{Type: types.T(types.Int64)}), described(catalog.Column{Type: types.T(types.Int64)})
	known.Add(a, []int{0}, []column.Narrow{{Rows: 7, Max: 3}})
	if c, err := known.Column(a, 0); err != nil || c.Max != 3 || known.Rows(a) != 7 || known.Rows(b) != 1000 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := known.Column(b, 0); err == nil {
		t.Error("a column that was not loaded")
	}
}
