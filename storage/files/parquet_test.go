package files

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// writeParquet writes a table with the library's own writer.
func writeParquet(tb testing.TB, tab arrow.Table, rows int64, opts ...parquet.WriterProperty) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "x.parquet")
	h, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := pqarrow.WriteTable(tab, h, rows, parquet.NewWriterProperties(opts...), pqarrow.DefaultWriterProps()); err != nil {
		tb.Fatal(err)
	}
	return path
}

// variedTable returns n rows of many Arrow types; if low is set, they have few distinct values.
func variedTable(r *rand.Rand, n int, nulls, low bool) arrow.Table {
	fields := []arrow.Field{
		{Name: "bool", Type: arrow.FixedWidthTypes.Boolean}, {Name: "i32", Type: arrow.PrimitiveTypes.Int32},
		{Name: "u32", Type: arrow.PrimitiveTypes.Uint32}, {Name: "i64", Type: arrow.PrimitiveTypes.Int64},
		{Name: "f32", Type: arrow.PrimitiveTypes.Float32}, {Name: "f64", Type: arrow.PrimitiveTypes.Float64},
		{Name: "f16", Type: arrow.FixedWidthTypes.Float16}, {Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "fsb", Type: &arrow.FixedSizeBinaryType{ByteWidth: 5}}, {Name: "d9", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}},
		{Name: "d18", Type: &arrow.Decimal128Type{Precision: 18, Scale: 3}}, {Name: "d38", Type: &arrow.Decimal128Type{Precision: 38, Scale: 4}},
		{Name: "date", Type: arrow.FixedWidthTypes.Date32}, {Name: "ms", Type: &arrow.TimestampType{Unit: arrow.Millisecond}},
		{Name: "us", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}}, {Name: "ns", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}},
		{Name: "t32", Type: arrow.FixedWidthTypes.Time32ms}, {Name: "t64", Type: arrow.FixedWidthTypes.Time64ns},
	}
	for i := range fields {
		fields[i].Nullable = nulls
	}
	sc := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range fields {
		for range n {
			if nulls && r.IntN(4) == 0 {
				b.Field(i).AppendNull()
				continue
			}
			x := r.Int64N(2_000_000) - 1_000_000
			if low {
				x = r.Int64N(9) - 4
			}
			appendValue(b.Field(i), x)
		}
	}
	return array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
}

func appendValue(b array.Builder, x int64) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(x%2 == 0)
	case *array.Float32Builder:
		b.Append(float32(x) / 8)
	case *array.Float64Builder:
		b.Append(float64(x) / 8)
	case *array.StringBuilder:
		b.Append(strings.Repeat("ab", int(x&7)) + fmt.Sprint(x))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%05d", x&0xffff)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(x))
	case *array.Time32Builder:
		b.Append(arrow.Time32(x & 0xffffff))
	case *array.Time64Builder:
		b.Append(arrow.Time64(x & 0xffffff * 1000))
	case *array.Uint32Builder:
		b.Append(uint32(x))
	default:
		if err := b.AppendValueFromString(fallbackText(b, x)); err != nil {
			panic(err)
		}
	}
}

func fallbackText(b array.Builder, x int64) string {
	switch b.Type().ID() {
	case arrow.DATE32:
		return arrow.Date32(x % 20000).FormattedString()
	case arrow.TIMESTAMP:
		t := arrow.Timestamp(x * 1_000_003).ToTime(b.Type().(*arrow.TimestampType).Unit)
		return t.UTC().Format("2006-01-02 15:04:05.999999999")
	case arrow.FLOAT16:
		return fmt.Sprint(float64(x%1000) / 8)
	}
	return fmt.Sprint(x)
}

// oracleRows formats the table through arrowvec, which has its own tests.
func oracleRows(tb testing.TB, tab arrow.Table) []string {
	tb.Helper()
	b := &vec.Batch{N: int(tab.NumRows())}
	for i := range int(tab.NumCols()) {
		arr := tab.Column(i).Data().Chunk(0)
		t, _ := types.FromArrow(arr.DataType())
		v := &vec.Vector{}
		if err := arrowvec.FromArray(arr, t, 0, arr.Len(), v); err != nil {
			tb.Fatal(err)
		}
		b.Cols = append(b.Cols, v)
	}
	rows := make([]string, b.N)
	for i := range rows {
		rows[i] = rowText(b, i)
	}
	return rows
}

// TestParquetEncodings reads files that the library writes in all of its encodings, page formats
// and compressions.
func TestParquetEncodings(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	type props = []parquet.WriterProperty
	perColumn := func(enc parquet.Encoding, cols ...string) props {
		p := props{parquet.WithDictionaryDefault(false)}
		for _, c := range cols {
			p = append(p, parquet.WithEncodingFor(c, enc))
		}
		return p
	}
	for _, c := range []struct {
		name string
		opts props
		rows int64
	}{
		{"dictionary", nil, 1 << 20},
		{"row groups", nil, 313},
		{"dictionary given up", props{parquet.WithDictionaryPageSizeLimit(300), parquet.WithDataPageSize(500)}, 1 << 20},
		{"plain", props{parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(900)}, 1 << 20},
		{"pages of version 2", props{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithDataPageSize(700), parquet.WithCompression(compress.Codecs.Snappy)}, 700},
		{"snappy", props{parquet.WithCompression(compress.Codecs.Snappy)}, 500},
		{"gzip", props{parquet.WithCompression(compress.Codecs.Gzip)}, 1 << 20},
		{"zstd", props{parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageSize(700)}, 1 << 20},
		{"brotli", props{parquet.WithCompression(compress.Codecs.Brotli)}, 1 << 20},
		{"delta", perColumn(parquet.Encodings.DeltaBinaryPacked, "i32", "i64", "us", "date", "u32"), 1 << 20},
		{"delta strings", perColumn(parquet.Encodings.DeltaByteArray, "s"), 1 << 20},
		{"delta lengths", perColumn(parquet.Encodings.DeltaLengthByteArray, "s"), 1 << 20},
	} {
		for _, nulls := range []bool{false, true} {
			for _, low := range []bool{false, true} {
				tab := variedTable(r, 1100, nulls, low)
				path := writeParquet(t, tab, c.rows, append(props{parquet.WithVersion(parquet.V2_LATEST)}, c.opts...)...)
				want := oracleRows(t, tab)
				for _, size := range []int{0, 61} {
					got := rowsOf(t, open(t, path, Options{}), catalog.ScanSpec{BatchSize: size})
					compareRows(t, fmt.Sprintf("%s, nulls %t, low %t, batch %d", c.name, nulls, low, size), got, want)
				}
			}
		}
	}
}

func TestParquetDictionaryViews(t *testing.T) {
	tab := variedTable(rand.New(rand.NewPCG(1, 1)), 1000, true, true)
	f := open(t, writeParquet(t, tab, 500), Options{})
	s := f.Schema().Ordinal("s")
	bases := map[*vec.Vector]bool{}
	eachRow(t, f, catalog.ScanSpec{Columns: []int{s}, BatchSize: 100}, func(b *vec.Batch, i int) {
		if b.Cols[0].Form != vec.View {
			t.Fatal("a dictionary column is not delivered as a view")
		}
		bases[b.Cols[0].Base] = true
	})
	if len(bases) != 2 {
		t.Errorf("%d dictionaries for two row groups", len(bases))
	}
}

func TestParquetPruneAndStats(t *testing.T) {
	cols := []catalog.Column{{Name: "i", Type: types.T(types.Int32)}, {Name: "d", Type: types.Dec(9, 2)}, {Name: "s", Type: types.T(types.String)}}
	var batches []*vec.Batch
	const n = 256 << 10 // rows of the row groups that gsql writes
	for g := range 3 {
		b := &vec.Batch{N: n, Cols: []*vec.Vector{vec.NewFlat(cols[0].Type, n), vec.NewFlat(cols[1].Type, n), vec.NewFlat(cols[2].Type, n)}}
		for i := range n {
			b.Cols[0].I64[i] = int64(g*n + i)
			b.Cols[1].Dec[i] = decimal128.FromI64(int64(g*1000 + i%10))
			b.Cols[2].Str[i] = fmt.Sprintf("%c%d", 'a'+g, i%7)
		}
		b.Cols[2].SetNull(g)
		batches = append(batches, b)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	writeFile(t, path, cols, WriteOptions{}, batches...)
	tab := open(t, path, Options{})
	s := tab.Stats()
	if s.Rows != 3*n || !s.Exact || s.Columns[0].Min.I64 != 0 || s.Columns[0].Max.I64 != 3*n-1 || s.Columns[2].Nulls != 3 ||
		s.Columns[2].Min.Str != "a0" || s.Columns[2].Max.Str != "c6" || s.Columns[2].NDV != 21 || s.Columns[1].Max.Text() != "20.09" {
		t.Errorf("stats: %+v", s)
	}
	in := func(d catalog.Datum) *catalog.Datum { return &d }
	dec := func(x int64, scale int) *catalog.Datum {
		return &catalog.Datum{Type: types.Dec(12, scale), Dec: decimal128.FromI64(x)}
	}
	for _, c := range []struct {
		name  string
		prune catalog.Range
		rows  int64
	}{
		{"all", catalog.Range{Column: 0}, 3 * n},
		{"upper", catalog.Range{Column: 0, Lo: in(catalog.Int(2 * n))}, n},
		{"edge", catalog.Range{Column: 0, Lo: in(catalog.Int(2*n - 1)), Hi: in(catalog.Int(2*n - 1))}, n},
		{"none", catalog.Range{Column: 0, Lo: in(catalog.Int(3 * n))}, 0},
		{"text", catalog.Range{Column: 2, Lo: in(catalog.Str("b")), Hi: in(catalog.Str("b9"))}, n},
		{"decimal", catalog.Range{Column: 1, Hi: dec(999, 2)}, n},
		{"another scale is no bound", catalog.Range{Column: 1, Hi: dec(999, 3)}, 3 * n},
		{"another kind is no bound", catalog.Range{Column: 0, Lo: in(catalog.Str("zzz"))}, 3 * n},
	} {
		if got := count(t, tab, 1, catalog.ScanSpec{Prune: []catalog.Range{c.prune}}); got != c.rows {
			t.Errorf("%s: %d rows, want %d", c.name, got, c.rows)
		}
	}
}

// TestParquetInt96 writes the old timestamps by hand because Arrow no longer writes them.
func TestParquetInt96(t *testing.T) {
	node, err := schema.NewPrimitiveNode("t", parquet.Repetitions.Optional, parquet.Types.Int96, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := pqfile.NewParquetWriter(&buf, root)
	col, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	value := parquet.Int96{0xe8, 3} // 1000 ns of Julian day 2440589, that is 1970-01-02
	value[8], value[9], value[10] = 0x8d, 0x3d, 0x25
	if _, err := col.(*pqfile.Int96ColumnChunkWriter).WriteBatch([]parquet.Int96{value}, []int16{1, 0}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := rowsOf(t, open(t, tempFile(t, "x.parquet", buf.String()), Options{}), catalog.ScanSpec{})
	compareRows(t, "int96", got, []string{`"1970-01-02 00:00:00.000001"|`, "<null>|"})
}

// oneRowGroup writes n rows of a number, a text with few values and a number with NULLs as a
// single row group.
func oneRowGroup(tb testing.TB, n int, opts ...parquet.WriterProperty) string {
	tb.Helper()
	sc := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("word", i*7%300))
		if i%3 == 0 {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.Int32Builder).Append(int32(i % 1000))
		}
	}
	return writeParquet(tb, array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()}), int64(n),
		append([]parquet.WriterProperty{parquet.WithMaxRowGroupLength(int64(n))}, opts...)...)
}

// TestParquetPieces reads a row group that is cut into pieces, with one reader and with several.
func TestParquetPieces(t *testing.T) {
	const n = 3*(256<<10) + 1000 // more than three pieces
	for _, pageSize := range []int64{64 << 10, 1 << 30} {
		tab := open(t, oneRowGroup(t, n, parquet.WithDataPageSize(pageSize)), Options{})
		for _, workers := range []int{1, 3} {
			checkPieces(t, tab, workers, n)
		}
	}
}

func checkPieces(t *testing.T, tab catalog.Table, workers int, n int64) {
	t.Helper()
	src, err := tab.Scan(context.Background(), catalog.ScanSpec{Columns: []int{1, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var rows, sum atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, _ := src.NewReader()
			defer r.Close()
			for {
				b, err := r.Next()
				if err != nil {
					t.Error(err)
				}
				if b == nil || err != nil {
					return
				}
				rows.Add(int64(b.N))
				for i := range b.N {
					x := catalog.DatumAt(b.Cols[1], i).I64
					sum.Add(x)
					s, m := catalog.DatumAt(b.Cols[0], i), catalog.DatumAt(b.Cols[2], i)
					if s.Str != fmt.Sprint("word", x*7%300) || m.Null != (x%3 == 0) || !m.Null && m.I64 != x%1000 {
						t.Errorf("row %d holds %s and %s", x, s.Text(), m.Text())
						return
					}
				}
			}
		}()
	}
	wg.Wait()
	if rows.Load() != n || sum.Load() != n*(n-1)/2 {
		t.Errorf("%d workers: %d rows, sum %d", workers, rows.Load(), sum.Load())
	}
}

func BenchmarkParquetOneRowGroup(b *testing.B) {
	t := open(b, oneRowGroup(b, 3_000_000, parquet.WithCompression(compress.Codecs.Zstd)), Options{})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			var rows int64
			for b.Loop() {
				rows += count(b, t, workers, catalog.ScanSpec{Columns: []int{1, 2}})
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// TestReadLZ4 reads a file written by another program: i from 0 to 99, i*7%13, i/4 and a text
// that is NULL for every fifth i.
func TestReadLZ4(t *testing.T) {
	row := 0
	eachRow(t, open(t, "testdata/lz4_raw.parquet", Options{}), catalog.ScanSpec{Columns: []int{0, 1, 2, 3}}, func(b *vec.Batch, i int) {
		n, j, d := catalog.DatumAt(b.Cols[0], i).I64, catalog.DatumAt(b.Cols[1], i).I64, catalog.DatumAt(b.Cols[2], i).F64
		if s := catalog.DatumAt(b.Cols[3], i); n != int64(row) || j != n*7%13 || d != float64(n)/4 ||
			s.Null != (n%5 == 0) || !s.Null && s.Str != fmt.Sprintf("text %d", n%7) {
			t.Errorf("row %d: %d, %d, %g, %v", row, n, j, d, s)
		}
		row++
	})
	if row != 100 {
		t.Errorf("%d rows", row)
	}
}
