package files

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
)

// numbered returns a table of n rows: their numbers, texts of these with every 7th NULL, and long
// texts.
func numbered(n int) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "long", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%7 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("row ", i))
		}
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("%300d", i))
	}
	return array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
}

// TestSampleOfParquet checks that the previewed rows are the file's, the same for all columns, and
// spread over the file, as is their first quarter, whatever its pages and row groups.
func TestSampleOfParquet(t *testing.T) {
	for _, tt := range []struct {
		rows, group int
		dict        bool
		version     parquet.DataPageVersion
	}{
		{5, 5, true, parquet.DataPageV1}, {300, 100, true, parquet.DataPageV2}, {2500, 13, false, parquet.DataPageV1},
		{20_000, 20_000, true, parquet.DataPageV1}, {20_000, 20_000, false, parquet.DataPageV2}, {20_000, 700, false, parquet.DataPageV1},
	} {
		path := writeParquet(t, numbered(tt.rows), int64(tt.group), parquet.WithDictionaryDefault(tt.dict),
			parquet.WithDataPageVersion(tt.version), parquet.WithDataPageSize(4<<10), parquet.WithMaxRowGroupLength(int64(tt.group)))
		table, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, findings := table.(catalog.Sampler).Sample([]int{1, 0})
		if tt.group < format.PreviewStretch {
			if b != nil {
				t.Errorf("%v: %d rows", tt, b.N)
			}
			continue
		}
		if b == nil || findings == nil || b.N < min(tt.rows, format.PreviewRows)/20 || b.N > format.PreviewRows {
			t.Fatalf("%v: a sample of %v", tt, b)
		}
		least, most, met := tt.rows, 0, map[int]bool{}
		for i := range b.N {
			n, name := int(catalog.DatumAt(b.Cols[1], i).I64), catalog.DatumAt(b.Cols[0], i)
			if name.Null != (n%7 == 0) || !name.Null && name.Str != fmt.Sprint("row ", n) || met[n] {
				t.Fatalf("%v: row %d: %d, %v", tt, i, n, name)
			}
			if met[n] = true; i < b.N/4 {
				least, most = min(least, n), max(most, n)
			}
		}
		if least > tt.rows/4 || most < tt.rows*3/4 {
			t.Errorf("%v: the first quarter is from %d to %d", tt, least, most)
		}
		if b, _ := table.(catalog.Sampler).Sample([]int{2}); b != nil {
			t.Error("a column of long texts is shown")
		}
	}
}

// TestSampleAfterCancellation checks that the next statement reads a column whose reading was
// cancelled.
func TestSampleAfterCancellation(t *testing.T) {
	table, err := Open(t.Context(), writeParquet(t, numbered(5000), 5000), Options{})
	if err != nil {
		t.Fatal(err)
	}
	table.Stats()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	Resume(ctx, table)
	if b, _ := table.(catalog.Sampler).Sample([]int{0}); b != nil {
		t.Errorf("%d rows after the end of the statement", b.N)
	}
	Resume(t.Context(), table)
	if b, _ := table.(catalog.Sampler).Sample([]int{0}); b == nil {
		t.Error("no rows in the next statement")
	}
}
