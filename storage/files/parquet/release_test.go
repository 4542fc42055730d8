package parquet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql/storage/files/format"
)

// opened writes a column of texts in row groups of the given number of rows and opens the file.
func opened(t *testing.T, n int, rows int64) format.Part {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("text ", i))
	}
	var buf bytes.Buffer
	table := array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
	props := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(rows), parquet.WithCompression(compress.Codecs.Snappy))
	if err := pqarrow.WriteTable(table, &buf, rows, props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(t.Context(), &format.File{Path: path, Size: int64(buf.Len())})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestParquetGroupsEnd checks that the memory of a row group is freed as soon as the row group
// has been read, not when the file has been.
func TestParquetGroupsEnd(t *testing.T) {
	chunks, err := opened(t, 2000, 500).Chunks(t.Context(), &format.Request{Columns: []int{0}, Batch: 100})
	if err != nil {
		t.Fatal(err)
	}
	var groups []*rowGroup
	for {
		c, err := chunks.Next()
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			break
		}
		g := c.(*piece).group
		groups = append(groups, g)
		for {
			b, err := c.Read()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			if g.lent.Len() == 0 {
				t.Fatal("no memory is lent to the row group that is read")
			}
		}
		c.End()
		if g.lent.Len() > 0 {
			t.Fatalf("row group %d still has memory after it has been read", g.num)
		}
	}
	if len(groups) != 4 {
		t.Errorf("%d row groups, want 4", len(groups))
	}
	if err := chunks.Close(); err != nil {
		t.Fatal(err)
	}
}
