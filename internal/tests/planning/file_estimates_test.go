package planning_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gsql"
	"gsql/internal/sqltest"
)

// TestBandsOfFiles checks that bands of two correlated columns are estimated from rows of the
// tables, for Parquet, Arrow and large CSV files, compressed CSV files, Arrow streams, several files
// and Arrow records. Each table has every number below rows
// once, so that a band to both sides of a number has width+1+width partners, fewer at the ends.
func TestBandsOfFiles(t *testing.T) {
	const rows, width = 100_000, 100
	dir := t.TempDir()
	db, err := gsql.Open(gsql.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, step := range map[string]int64{"ascending": 1, "sorted": 1, "mixed": 7919} {
		writeNumbers(t, filepath.Join(dir, name+".parquet"), rows, step)
		writeArrow(t, filepath.Join(dir, name+".arrow"), rows, step)
		writeLines(t, filepath.Join(dir, name+".csv"), 0, rows, rows, step)
		compress(t, filepath.Join(dir, name+".csv"))
		writeStream(t, filepath.Join(dir, name+".stream.arrow"), rows, step)
		for part := range int64(20) {
			folder := filepath.Join(dir, name, fmt.Sprintf("part=%d", part))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			writeLines(t, filepath.Join(folder, name+".csv"), part*rows/20, (part+1)*rows/20, rows, step)
		}
		schema, all := numbers(rows, step)
		if err := db.RegisterArrow(name, schema, []arrow.Record{all.NewSlice(0, 77_777), all.NewSlice(77_777, 77_780), all.NewSlice(77_780, rows)}); err != nil {
			t.Fatal(err)
		}
	}
	s := db.NewSession()
	defer s.Close()
	const found = rows*(2*width+1) - width*(width+1)
	for _, extension := range []string{".parquet", ".arrow", ".csv", ".csv.gz", ".csv.zst", ".stream.arrow", "/*/*.csv", ""} {
		for _, tables := range [][2]string{{"ascending", "mixed"}, {"mixed", "sorted"}, {"ascending", "sorted"}} {
			query := fmt.Sprintf("EXPLAIN SELECT a.x, b.x FROM `%s%s` a JOIN `%s%s` b ON b.x BETWEEN a.x - %d AND a.x + %d AND b.y BETWEEN a.y - %d AND a.y + %d",
				tables[0], extension, tables[1], extension, width, width, width, width)
			row := sqltest.Rows(t, s, query)[0]
			expected, err := strconv.ParseFloat(row[2], 64)
			if err != nil || max(expected/found, found/expected) > 3 {
				t.Errorf("%v%s: %.0f rows expected, there are %d: %s", tables, extension, expected, found, row)
			}
		}
	}
}

// numbers returns x and y, both i*step modulo rows.
func numbers(rows, step int64) (*arrow.Schema, arrow.Record) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range rows {
		b.Append(i * step % rows)
	}
	col := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: col.DataType()}, {Name: "y", Type: col.DataType()}}, nil)
	return schema, array.NewRecord(schema, []arrow.Array{col, col}, rows)
}

// writeArrow writes numbers as an Arrow file of several record batches.
func writeArrow(t *testing.T, path string, rows, step int64) {
	t.Helper()
	schema, all := numbers(rows, step)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < rows; at += 30_000 {
		if err := w.Write(all.NewSlice(at, min(at+30_000, rows))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeLines writes numbers as a CSV file that is larger than the sample that shows its types. One
// line in seven has a quoted field with a line end. It has the numbers at the places [from, to).
func writeLines(t *testing.T, path string, from, to, rows, step int64) {
	t.Helper()
	var b strings.Builder
	b.WriteString("x,y,note\n")
	for i := from; i < to; i++ {
		note := strings.Repeat("n", 60)
		if i%7 == 0 {
			note = "\"" + note[:30] + "\n" + note[30:] + "\""
		}
		fmt.Fprintf(&b, "%d,%d,%s\n", i*step%rows, i*step%rows, note)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// compress writes a file once more with each compression.
func compress(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for extension, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		".gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		".zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	} {
		f, err := os.Create(path + extension)
		if err != nil {
			t.Fatal(err)
		}
		w, err := open(f)
		if err == nil {
			_, err = w.Write(text)
		}
		if err = errors.Join(err, w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// writeStream writes numbers as an Arrow stream of several record batches.
func writeStream(t *testing.T, path string, rows, step int64) {
	t.Helper()
	schema, all := numbers(rows, step)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := ipc.NewWriter(f, ipc.WithSchema(schema))
	for at := int64(0); at < rows && err == nil; at += 7_000 {
		err = w.Write(all.NewSlice(at, min(at+7_000, rows)))
	}
	if err = errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// writeNumbers writes numbers as a Parquet file, with the Arrow library.
func writeNumbers(t *testing.T, path string, rows, step int64) {
	t.Helper()
	schema, all := numbers(rows, step)
	table := array.NewTableFromRecords(schema, []arrow.Record{all})
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	props := parquet.NewWriterProperties(parquet.WithDataPageSize(16<<10), parquet.WithMaxRowGroupLength(30_000))
	if err := pqarrow.WriteTable(table, f, 30_000, props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
}
