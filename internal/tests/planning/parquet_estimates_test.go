package planning_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql"
	"gsql/internal/sqltest"
)

// TestBandsOfParquetFiles checks that bands of two correlated columns are estimated from rows of the
// files. Each file has every number below rows once, so that a band to both sides of a number has
// width+1+width partners, fewer at the ends.
func TestBandsOfParquetFiles(t *testing.T) {
	const rows, width = 100_000, 100
	dir := t.TempDir()
	for name, step := range map[string]int64{"ascending": 1, "sorted": 1, "mixed": 7919} {
		writeNumbers(t, filepath.Join(dir, name+".parquet"), rows, step)
	}
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	const found = rows*(2*width+1) - width*(width+1)
	for _, files := range [][2]string{{"ascending", "mixed"}, {"mixed", "sorted"}, {"ascending", "sorted"}} {
		query := fmt.Sprintf("EXPLAIN SELECT a.x, b.x FROM `%s.parquet` a JOIN `%s.parquet` b ON b.x BETWEEN a.x - %d AND a.x + %d AND b.y BETWEEN a.y - %d AND a.y + %d",
			files[0], files[1], width, width, width, width)
		row := sqltest.Rows(t, s, query)[0]
		expected, err := strconv.ParseFloat(row[2], 64)
		if err != nil || max(expected/found, found/expected) > 3 {
			t.Errorf("%v: %.0f rows expected, there are %d: %s", files, expected, found, row)
		}
	}
}

// writeNumbers writes x and y, both i*step modulo rows, with the Arrow library.
func writeNumbers(t *testing.T, path string, rows, step int64) {
	t.Helper()
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range rows {
		b.Append(i * step % rows)
	}
	col := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: col.DataType()}, {Name: "y", Type: col.DataType()}}, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{col, col}, rows)})
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	props := parquet.NewWriterProperties(parquet.WithDataPageSize(16<<10), parquet.WithMaxRowGroupLength(30_000))
	if err := pqarrow.WriteTable(table, f, 30_000, props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
}
