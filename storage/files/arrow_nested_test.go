package files

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
)

// arrowCases are values of types that only Arrow has, in the form of Arrow's JSON reader, and as
// they are read.
func arrowCases() []struct {
	dt        arrow.DataType
	json, typ string
	want      []string
} {
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	members := []arrow.Field{{Name: "x", Type: i8, Nullable: true}, {Name: "y", Type: arrow.ListOf(text), Nullable: true}}
	codes := []arrow.UnionTypeCode{3, 5}
	return []struct {
		dt        arrow.DataType
		json, typ string
		want      []string
	}{
		{arrow.ListViewOf(i8), `[[1, 2], null, [], [3]]`, "json", []string{"[1, 2]", "<null>", "[]", "[3]"}},
		{arrow.LargeListViewOf(text), `[["a"], null, [], [null]]`, "json", []string{`["a"]`, "<null>", "[]", "[null]"}},
		{arrow.SparseUnionOf(members, codes), `[[3, 1], [5, ["q", null]], [3, null], [5, []]]`, "json", []string{"1", `["q", null]`, "<null>", "[]"}},
		{arrow.DenseUnionOf(members, codes), `[[3, 1], [5, ["q", null]], [3, null], [5, []]]`, "json", []string{"1", `["q", null]`, "<null>", "[]"}},
		{arrow.ListOf(arrow.DenseUnionOf(members, codes)), `[[[3, 1], [5, ["q"]]], null, [[3, null]], []]`, "json", []string{`[1, ["q"]]`, "<null>", "[null]", "[]"}},
		{arrow.FixedWidthTypes.MonthInterval, `[{"months": 14}, null, {"months": -1}, {"months": 0}]`, "text", []string{"P14M0DT0S", "<null>", "P-1M0DT0S", "P0M0DT0S"}},
		{arrow.FixedWidthTypes.DayTimeInterval, `[{"days": 2, "milliseconds": 3500}, null, {"days": 0, "milliseconds": -1}, {"days": 0, "milliseconds": 10000}]`, "text",
			[]string{"P0M2DT3.5S", "<null>", "P0M0DT-0.001S", "P0M0DT10S"}},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": 2, "nanoseconds": 3}, null, {"months": 0, "days": 0, "nanoseconds": -9223372036854775808}, {"months": 0, "days": 0, "nanoseconds": 0}]`,
			"text", []string{"P1M2DT0.000000003S", "<null>", "P0M0DT-9223372036.854775808S", "P0M0DT0S"}},
		{arrow.ListOf(arrow.FixedWidthTypes.MonthInterval), `[[{"months": 1}, null], null, [], []]`, "json", []string{`["P1M0DT0S", null]`, "<null>", "[]", "[]"}},
	}
}

// arrowCase returns a table of one column x of four rows.
func arrowCase(t *testing.T, dt arrow.DataType, rows string) arrow.Table {
	t.Helper()
	arr, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(rows), array.WithUseNumber())
	if err != nil {
		t.Fatal(dt, err)
	}
	_, union := dt.(arrow.UnionType) // has no NULLs of its own
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: !union}}, nil)
	return array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{arr}, 4)})
}

// TestArrowOnly reads list views and unions as JSON, and intervals as texts.
func TestArrowOnly(t *testing.T) {
	for _, c := range arrowCases() {
		tab := open(t, writeArrow(t, arrowCase(t, c.dt, c.json), 4), Options{})
		if got := schemaText(tab); got != "x:"+c.typ {
			t.Errorf("%s is %s", c.dt, got)
		}
		if tab.Schema().Columns[0].NotNull {
			t.Errorf("%s cannot be NULL", c.dt)
		}
		if got := plainTexts(t, tab); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.dt, got, c.want)
		}
		if err := drain(tab, catalog.ScanSpec{Columns: []int{0}, BatchSize: 1}); err != nil {
			t.Errorf("%s, row by row: %v", c.dt, err)
		}
	}
}
