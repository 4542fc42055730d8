package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	acsv "github.com/apache/arrow/go/v17/arrow/csv"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// benchCase is a file and the processor time that reading it took, in milliseconds.
type benchCase struct {
	Format  string  `json:"format"`
	Name    string  `json:"name"`
	Rows    int     `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Open    float64 `json:"gsql_open_ms"` // not included in gsql_ms
	Gsql    float64 `json:"gsql_ms"`
	Arrays  float64 `json:"arrow_go_arrays_ms"`
	Vectors float64 `json:"arrow_go_vectors_ms"`

	schema     *arrow.Schema
	columns    []*values
	props      []parquet.WriterProperty
	dictionary bool
}

func (c *benchCase) matches(only string) bool { return strings.Contains(c.Format+" "+c.Name, only) }

func (c *benchCase) file() string { return "t." + c.Format }

// values are the contents of a column.
type values struct {
	name    string
	typ     arrow.DataType
	put     func(b array.Builder, r *rand.Rand, i int)
	notNull bool
}

func integers(name string, value func(r *rand.Rand, i int) int64) *values {
	return &values{name: name, typ: arrow.PrimitiveTypes.Int64, put: func(b array.Builder, r *rand.Rand, i int) { b.(*array.Int64Builder).Append(value(r, i)) }}
}

func texts(name string, value func(r *rand.Rand, i int) string) *values {
	return &values{name: name, typ: arrow.BinaryTypes.String, put: func(b array.Builder, r *rand.Rand, i int) { b.(*array.StringBuilder).Append(value(r, i)) }}
}

var (
	randomInts = integers("random bigint", func(r *rand.Rand, _ int) int64 { return r.Int64() })
	fewInts    = integers("bigint of 1000 values", func(r *rand.Rand, _ int) int64 { return r.Int64N(1000) * 7919 })
	risingInts = integers("rising bigint", func(_ *rand.Rand, i int) int64 { return int64(i) * 3 })
	smallInts  = integers("small bigint", func(r *rand.Rand, _ int) int64 { return r.Int64N(100_000) })
	shortTexts = texts("short text", func(r *rand.Rand, _ int) string { return fmt.Sprintf("customer %06d", r.IntN(1_000_000)) })
	longTexts  = texts("text of 100 bytes", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%0100d", r.Uint64()) })
	wideTexts  = texts("text that is not ASCII", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("Kundin Müller Größe %06d żółw", r.IntN(1_000_000))
	})
	fewTexts    = texts("text of 1000 values", func(r *rand.Rand, _ int) string { return fmt.Sprintf("city number %d", r.IntN(1000)) })
	quotedTexts = texts("quoted text", func(r *rand.Rand, _ int) string { return fmt.Sprintf("some, \"quoted\" text %d", r.IntN(1000)) })
	doubles     = &values{name: "double", typ: arrow.PrimitiveTypes.Float64, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.Float64Builder).Append(float64(r.IntN(10_000_000)) / 100)
	}}
	int32s = &values{name: "int", typ: arrow.PrimitiveTypes.Int32, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.Int32Builder).Append(r.Int32N(1_000_000))
	}}
	booleans = &values{name: "boolean", typ: arrow.FixedWidthTypes.Boolean, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.BooleanBuilder).Append(r.IntN(2) == 0)
	}}
	dates = &values{name: "date", typ: arrow.FixedWidthTypes.Date32, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.Date32Builder).Append(arrow.Date32(8000 + r.Int32N(10_000)))
	}}
	datetimes = &values{name: "datetime", typ: &arrow.TimestampType{Unit: arrow.Microsecond}, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(r.Int64N(1_700_000_000) * 1_000_000))
	}}
	decimals = &values{name: "decimal(12,2)", typ: &arrow.Decimal128Type{Precision: 12, Scale: 2}, put: func(b array.Builder, r *rand.Rand, _ int) {
		b.(*array.Decimal128Builder).Append(decimal128.FromI64(r.Int64N(1_000_000_000)))
	}}
)

// someNull makes every tenth value of a column NULL.
func someNull(v *values) *values {
	return &values{name: v.name + " with NULLs", typ: v.typ, put: func(b array.Builder, r *rand.Rand, i int) {
		if i%10 == 3 {
			b.AppendNull()
			return
		}
		v.put(b, r, i)
	}}
}

// required makes a column NOT NULL. arrow-go 17 panics if a batch ends within a delta-encoded page
// of another column.
func required(v *values) *values {
	r := *v
	r.name, r.notNull = v.name+" NOT NULL", true
	return &r
}

// mixed are the columns of a typical table.
func mixed() []*values {
	return []*values{risingInts, smallInts, doubles, dates, shortTexts, fewTexts}
}

func newCase(format, name string, columns []*values, dictionary bool, props ...parquet.WriterProperty) *benchCase {
	fields := make([]arrow.Field, len(columns))
	for i, v := range columns {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: v.typ, Nullable: !v.notNull}
	}
	return &benchCase{Format: format, Name: name, schema: arrow.NewSchema(fields, nil), columns: columns, dictionary: dictionary,
		props: append([]parquet.WriterProperty{parquet.WithDictionaryDefault(dictionary), parquet.WithVersion(parquet.V2_LATEST)}, props...)}
}

// parquetCases have one column of each type in the encodings that support it, and a table with each
// codec.
func parquetCases() (cases []*benchCase) {
	one := func(v *values, encoding string, dictionary bool, props ...parquet.WriterProperty) {
		cases = append(cases, newCase("parquet", v.name+", "+encoding, []*values{v}, dictionary, props...))
	}
	for _, v := range []*values{randomInts, someNull(randomInts), int32s, doubles, booleans, dates, datetimes, decimals, shortTexts, someNull(shortTexts), longTexts, wideTexts} {
		one(v, "plain", false)
	}
	for _, v := range []*values{fewInts, fewTexts, someNull(fewTexts)} {
		one(v, "dictionary", true)
	}
	one(required(risingInts), "delta", false, parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
	one(required(smallInts), "delta", false, parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
	one(required(shortTexts), "delta length", false, parquet.WithEncoding(parquet.Encodings.DeltaLengthByteArray))
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd, compress.Codecs.Gzip, compress.Codecs.Brotli} {
		cases = append(cases, newCase("parquet", "table, "+strings.ToLower(codec.String()), mixed(), true, parquet.WithCompression(codec)))
	}
	return cases
}

// csvCases have one column of each type, and a table.
func csvCases() (cases []*benchCase) {
	for _, v := range []*values{smallInts, randomInts, doubles, dates, shortTexts, wideTexts} {
		cases = append(cases, newCase("csv", v.name, []*values{v}, false))
	}
	return append(cases, newCase("csv", "small bigint and quoted text", []*values{smallInts, quotedTexts}, false), newCase("csv", "table", mixed(), false),
		newCase("csv", "table with quoted text", append(mixed(), quotedTexts), false))
}

// groupRows is the size of the row groups written.
const groupRows = 256 << 10

// write writes the file with arrow-go.
func (c *benchCase) write(path string, rows int) error {
	r := rand.New(rand.NewPCG(1, 2))
	b := array.NewRecordBuilder(memory.DefaultAllocator, c.schema)
	defer b.Release()
	for i := range rows {
		for k, v := range c.columns {
			v.put(b.Field(k), r, i)
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	h, err := os.Create(path)
	if err != nil {
		return err
	}
	if c.Format == "csv" {
		w := acsv.NewWriter(h, c.schema, acsv.WithHeader(true))
		if err := w.Write(rec); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return h.Close()
	}
	table := array.NewTableFromRecords(c.schema, []arrow.Record{rec})
	defer table.Release()
	return pqarrow.WriteTable(table, h, groupRows, parquet.NewWriterProperties(c.props...), pqarrow.DefaultWriterProps())
}
