package files

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// nestedTable builds a table of one column from Arrow's JSON.
func nestedTable(t *testing.T, dt arrow.DataType, rows string) arrow.Table {
	t.Helper()
	arr, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(rows), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: true}}, nil)
	return array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{arr}, int64(arr.Len()))})
}

var (
	listOfInts = arrow.ListOf(arrow.PrimitiveTypes.Int32)
	pointType  = arrow.StructOf(arrow.Field{Name: "yy", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true})
)

// nestedCases are nested values in the form of Arrow's JSON reader and in MySQL's normal form.
var nestedCases = []struct {
	dt   arrow.DataType
	json string
	want []string
}{
	{listOfInts, `[[1, 2], null, [], [null], [3]]`, []string{"[1, 2]", "<null>", "[]", "[null]", "[3]"}},
	{arrow.ListOf(listOfInts), `[[[1], []], [null, [2, null]], null, []]`, []string{"[[1], []]", "[null, [2, null]]", "<null>", "[]"}},
	{pointType, `[{"yy": 1.5, "x": "a\"b"}, null, {"yy": null, "x": null}]`, []string{`{"x": "a\"b", "yy": 1.5}`, "<null>", `{"x": null, "yy": null}`}},
	{arrow.ListOf(pointType), `[[{"yy": 1, "x": "p"}, null], []]`, []string{`[{"x": "p", "yy": 1.0}, null]`, "[]"}},
	{arrow.StructOf(arrow.Field{Name: "l", Type: listOfInts, Nullable: true}), `[{"l": [1]}, {"l": null}, {"l": []}, null]`,
		[]string{`{"l": [1]}`, `{"l": null}`, `{"l": []}`, "<null>"}},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[[{"key": "bb", "value": 1}, {"key": "a", "value": null}], null, []]`,
		[]string{`{"a": null, "bb": 1}`, "<null>", "{}"}},
	{arrow.MapOf(arrow.PrimitiveTypes.Int32, listOfInts), `[[{"key": 7, "value": [1, 2]}, {"key": 5, "value": null}]]`, []string{`{"5": null, "7": [1, 2]}`}},
	{arrow.ListOf(arrow.FixedWidthTypes.Date32), `[["2024-02-29"]]`, []string{`["2024-02-29"]`}},
	{arrow.ListOf(&arrow.TimestampType{Unit: arrow.Millisecond}), `[["2024-02-29 10:11:12.5"]]`, []string{`["2024-02-29 10:11:12.500000"]`}},
	{arrow.ListOf(&arrow.Decimal128Type{Precision: 20, Scale: 2}), `[["123.45", "-0.05"]]`, []string{"[123.45, -0.05]"}},
	{arrow.ListOf(arrow.FixedWidthTypes.Boolean), `[[true, false, null]]`, []string{"[true, false, null]"}},
	{arrow.ListOf(arrow.BinaryTypes.Binary), `[["AAEC"]]`, []string{`["AAEC"]`}},
	{arrow.ListOf(arrow.PrimitiveTypes.Uint64), `[[18446744073709551615]]`, []string{"[18446744073709551615]"}},
}

// plainTexts returns the texts of the first column.
func plainTexts(t *testing.T, tab catalog.Table) []string {
	t.Helper()
	return textsOf(t, tab, 0)
}

// textsOf returns the texts of a column.
func textsOf(t *testing.T, tab catalog.Table, column int) (out []string) {
	t.Helper()
	eachRow(t, tab, catalog.ScanSpec{Columns: []int{column}}, func(b *vec.Batch, i int) {
		if b.Cols[0].IsNull(i) {
			out = append(out, "<null>")
		} else {
			out = append(out, catalog.DatumAt(b.Cols[0], i).Str)
		}
	})
	return out
}

// TestParquetNested reads lists, maps and structures as JSON in MySQL's normal form.
func TestParquetNested(t *testing.T) {
	for _, c := range nestedCases {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			path := writeParquet(t, nestedTable(t, c.dt, c.json), 2, parquet.WithDataPageVersion(version))
			tab := open(t, path, Options{})
			if got := schemaText(tab); got != "x:json" {
				t.Errorf("%s is %s", c.dt, got)
			}
			if got := plainTexts(t, tab); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s: %q, want %q", c.dt, got, c.want)
			}
		}
	}
}

// TestParquetNestedPages reads lists of lists over many pages, batches and row groups, together
// with a column that is not nested.
func TestParquetNestedPages(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows = 9000
	inner := arrow.ListOf(arrow.BinaryTypes.String)
	sc := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(inner), Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	outer := b.Field(0).(*array.ListBuilder)
	middle := outer.ValueBuilder().(*array.ListBuilder)
	text := middle.ValueBuilder().(*array.StringBuilder)
	var want []string
	for i := range rows {
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if r.IntN(9) == 0 {
			outer.AppendNull()
			want = append(want, fmt.Sprintf("<null>|\"%d\"|", i))
			continue
		}
		outer.Append(true)
		var lists []string
		for range r.IntN(4) {
			if r.IntN(7) == 0 {
				middle.AppendNull()
				lists = append(lists, "null")
				continue
			}
			middle.Append(true)
			var texts []string
			for range r.IntN(5) {
				if r.IntN(6) == 0 {
					text.AppendNull()
					texts = append(texts, "null")
					continue
				}
				s := fmt.Sprint("t", r.IntN(3000))
				text.Append(s)
				texts = append(texts, `"`+s+`"`)
			}
			lists = append(lists, "["+strings.Join(texts, ", ")+"]")
		}
		want = append(want, fmt.Sprintf("%q|\"%d\"|", "["+strings.Join(lists, ", ")+"]", i))
	}
	tab := array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
	for name, opts := range map[string][]parquet.WriterProperty{
		"dictionary": {parquet.WithDataPageSize(700)},
		"fallback":   {parquet.WithDataPageSize(700), parquet.WithDictionaryPageSizeLimit(4000)},
		"plain":      {parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(900), parquet.WithCompression(compress.Codecs.Zstd)},
		"v2":         {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithDataPageSize(700), parquet.WithCompression(compress.Codecs.Snappy)},
		"delta":      {parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("l.list.element.list.element", parquet.Encodings.DeltaByteArray)},
	} {
		file := open(t, writeParquet(t, tab, 4000, opts...), Options{})
		compareRows(t, name, rowsOf(t, file, catalog.ScanSpec{}), want)
		if n := count(t, file, 3, catalog.ScanSpec{Columns: []int{0}}); n != rows {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}
