package parquetfile

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// everyType has a nullable and a NOT NULL column of each type that can be written.
func everyType() *arrow.Schema {
	list := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time64us,
		&arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	}
	for _, p := range []int32{1, 9, 10, 18, 19, 21, 33, 38} {
		list = append(list, &arrow.Decimal128Type{Precision: p, Scale: p / 3})
	}
	var fields []arrow.Field
	for _, dt := range list {
		fields = append(fields, arrow.Field{Name: dt.String(), Type: dt}, arrow.Field{Name: dt.String() + " or NULL", Type: dt, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// TestSchema compares the types that are stored with those of arrow-go's own mapping.
func TestSchema(t *testing.T) {
	s := everyType()
	got, err := groupNode(s)
	if err != nil {
		t.Fatal(err)
	}
	props := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST), parquet.WithStoreDecimalAsInteger(true))
	want, err := pqarrow.ToParquet(s, props, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.NumFields() {
		if got, want := schema.NewSchema(got).Column(i), want.Column(i); !got.Equals(want) {
			t.Errorf("%v, not %v", got, want)
		}
	}
	for _, dt := range []arrow.DataType{arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.FixedWidthTypes.Timestamp_ns, arrow.FixedWidthTypes.Float16} {
		if _, err := groupNode(arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil)); err == nil {
			t.Errorf("%v was accepted", dt)
		}
	}
}

// TestRoundTrip writes records, some of them slices, over several row groups, and reads them with
// arrow-go.
func TestRoundTrip(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(strconv.Itoa(workers), func(t *testing.T) { roundTrip(t, workers) })
	}
}

func roundTrip(t *testing.T, workers int) {
	const rows, groupRows = 5000, 700
	s := everyType()
	rec := randomRecord(s, rows)
	defer rec.Release()
	var out bytes.Buffer
	w, err := NewWriter(&out, s, Options{Codec: compress.Codecs.Zstd, GroupRows: groupRows, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for from := int64(0); from < rows; {
		to := min(from+r.Int64N(1000), rows)
		part := rec.NewSlice(from, to)
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		part.Release()
		from = to
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.NumRows() != rows || f.NumRowGroups() != (rows+groupRows-1)/groupRows {
		t.Errorf("%d rows in %d groups", f.NumRows(), f.NumRowGroups())
	}
	reader, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := reader.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	for i, f := range s.Fields() {
		want := rec.Column(i)
		got, err := array.Concatenate(table.Column(i).Data().Chunks(), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		if !array.Equal(got, want) {
			t.Errorf("%s: other values: %v", f.Name, got)
		}
	}
}

// TestRefusals writes what the schema does not allow.
func TestRefusals(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32}}, nil)
	w, err := NewWriter(new(bytes.Buffer), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewInt32Builder(memory.DefaultAllocator)
	b.AppendNull()
	if err := w.Write(array.NewRecord(s, []arrow.Array{b.NewArray()}, 1)); err == nil {
		t.Error("NULL in a column without NULLs was written")
	}
	b.Append(1)
	other := arrow.NewSchema([]arrow.Field{{Name: "m", Type: arrow.PrimitiveTypes.Int32}}, nil)
	if err := w.Write(array.NewRecord(other, []arrow.Array{b.NewArray()}, 1)); err == nil {
		t.Error("a record of another schema was written")
	}
}

// randomRecord returns rows of random values, with NULLs in nullable columns.
func randomRecord(s *arrow.Schema, rows int) arrow.Record {
	r := rand.New(rand.NewPCG(1, 2))
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i, f := range s.Fields() {
		for range rows {
			if f.Nullable && r.IntN(3) == 0 {
				b.Field(i).AppendNull()
			} else {
				appendRandom(r, b.Field(i), f.Type)
			}
		}
	}
	return b.NewRecord()
}

func appendRandom(r *rand.Rand, b array.Builder, dt arrow.DataType) {
	x := r.Uint64()
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(x%2 == 0)
	case *array.Int8Builder:
		b.Append(int8(x))
	case *array.Int16Builder:
		b.Append(int16(x))
	case *array.Int32Builder:
		b.Append(int32(x))
	case *array.Int64Builder:
		b.Append(int64(x))
	case *array.Uint8Builder:
		b.Append(uint8(x))
	case *array.Uint16Builder:
		b.Append(uint16(x))
	case *array.Uint32Builder:
		b.Append(uint32(x))
	case *array.Uint64Builder:
		b.Append(x)
	case *array.Float32Builder:
		b.Append(float32(r.NormFloat64()))
	case *array.Float64Builder:
		b.Append(math.Ldexp(r.NormFloat64(), int(x%600)-300))
	case *array.StringBuilder:
		b.Append("text äöü 日本"[:x%8])
	case *array.BinaryBuilder:
		b.Append([]byte{byte(x), byte(x >> 8), 0, 255}[:x%5])
	case *array.Date32Builder:
		b.Append(arrow.Date32(int32(x) % 3e6))
	case *array.Time64Builder:
		b.Append(arrow.Time64(x % 86_400_000_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(int64(x) % 1e17))
	case *array.Decimal128Builder:
		b.Append(randomDecimal(r, dt.(*arrow.Decimal128Type).Precision))
	}
}

// randomDecimal returns a number of at most that many digits; often of all nines.
func randomDecimal(r *rand.Rand, digits int32) decimal128.Num {
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	n.Sub(n, big.NewInt(1))
	if r.IntN(4) > 0 {
		n.Rsh(n, uint(r.IntN(int(digits)*3)))
	}
	if r.IntN(2) == 0 {
		n.Neg(n)
	}
	return decimal128.FromBigInt(n)
}
