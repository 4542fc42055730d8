package files

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// TestDistinctOfLargeDictionaries checks the estimate for values drawn from few and from many,
// and for row groups with disjoint values.
func TestDistinctOfLargeDictionaries(t *testing.T) {
	const groups, rows = 6, 20_000
	r := rand.New(rand.NewPCG(1, 1))
	cases := map[string]func(i int) int64{
		"drawn from 8000":    func(int) int64 { return r.Int64N(8000) },
		"drawn from 40000":   func(int) int64 { return r.Int64N(40_000) },
		"drawn from 2^60":    func(int) int64 { return r.Int64N(1 << 60) },
		"ascending in pairs": func(i int) int64 { return int64(i / 2) },
	}
	for name, value := range cases {
		t.Run(name, func(t *testing.T) {
			b := array.NewInt64Builder(memory.DefaultAllocator)
			exact := map[int64]bool{}
			for i := range groups * rows {
				x := value(i)
				exact[x] = true
				b.Append(x)
			}
			path := writeGroups(t, b.NewArray(), rows)
			table, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := float64(table.Stats().Columns[0].NDV), float64(len(exact))
			if math.Abs(got-want) > 0.1*want {
				t.Errorf("estimated %g distinct values, there are %g", got, want)
			}
		})
	}
}

// writeGroups writes one column in row groups of the given number of rows, with dictionaries of
// unlimited size.
func writeGroups(t *testing.T, col arrow.Array, rows int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: col.DataType()}}, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{col}, int64(col.Len()))})
	props := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(rows), parquet.WithDictionaryPageSizeLimit(1<<30))
	if err := pqarrow.WriteTable(table, f, rows, props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	return path
}
