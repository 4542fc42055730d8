package parquet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// has been read, not when the file has been, and that packed pages are freed once all are
// unpacked, unless other pieces of the row group need them.
func TestParquetGroupsEnd(t *testing.T) {
	t.Run("whole", func(t *testing.T) { readGroups(t, 2000, 500, 0) })
	t.Run("in pieces", func(t *testing.T) { readGroups(t, 4*pieceRows, 2*pieceRows, 1) })
}

// readGroups reads two or more row groups and compares the buffers held after the first batch of
// each piece.
func readGroups(t *testing.T, n int, rows int64, held int) {
	chunks, err := opened(t, n, rows).Chunks(t.Context(), &format.Request{Columns: []int{0}, Batch: 100})
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
		for i := 0; ; i++ {
			b, err := c.Read()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			if got := g.lent.Len(); i == 0 && got != held {
				t.Fatalf("row group %d holds %d buffers, want %d", g.num, got, held)
			}
		}
		c.End()
		if g.lent.Len() > 0 && g.done == g.rows {
			t.Fatalf("row group %d still has memory after it has been read", g.num)
		}
	}
	if pieces := len(slices.Compact(groups)); int64(pieces) != int64(n)/rows {
		t.Errorf("%d row groups, want %d", pieces, int64(n)/rows)
	}
	if err := chunks.Close(); err != nil {
		t.Fatal(err)
	}
}
