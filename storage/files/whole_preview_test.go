package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
)

// TestSampleOfWholeFile checks that the sampled rows of compressed files and of streams, which are in
// the order of their numbers, are from all over the file. The least and greatest numbers and the
// number of distinct ones are otherwise wrong.
func TestSampleOfWholeFile(t *testing.T) {
	const rows = 60_000
	tab := numbered(rows)
	stream := func(batch int64) []byte {
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(tab.Schema()))
		for r := array.NewTableReader(tab, batch); r.Next(); {
			if err := w.Write(r.Record()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	parquetOf := func(group int64) []byte {
		return read(writeParquet(t, tab, group, parquet.WithMaxRowGroupLength(group), parquet.WithDataPageSize(64<<10)))
	}
	arrowOf := func(batch int64) []byte { return read(writeArrow(t, tab, batch)) }
	var text bytes.Buffer
	text.WriteString("n,name,long\n")
	for i := range rows {
		name := ""
		if i%7 != 0 {
			name = fmt.Sprint("row ", i)
		}
		fmt.Fprintf(&text, "%d,%s,%300d\n", i, name, i)
	}
	small := arrowOf(500)
	for name, data := range map[string][]byte{
		"groups.parquet": parquetOf(1000), "group.parquet": parquetOf(rows),
		"few.arrow": arrowOf(20_000), "many.arrow": small,
		"batch.ipc": stream(30_000), "batches.ipc": stream(1000), "short.ipc": stream(13),
		"t.csv": text.Bytes(),
	} {
		for _, ext := range []string{"", ".gz", ".zst"} {
			path := filepath.Join(t.TempDir(), name+ext)
			packed := data
			if ext != "" {
				packed = compressBytes(t, data, ext)
			}
			if err := os.WriteFile(path, packed, 0o600); err != nil {
				t.Fatal(err)
			}
			table, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := table.(catalog.Sampler).Sample([]int{1, 0})
			if b == nil || b.N < format.PreviewRows/20 || b.N > format.PreviewRows+format.PreviewStretch {
				t.Errorf("%s%s: a sample of %v", name, ext, b)
				continue
			}
			met, parts := map[int]bool{}, [4]int{}
			for i := range b.N {
				n, name := int(catalog.DatumAt(b.Cols[1], i).I64), catalog.DatumAt(b.Cols[0], i)
				if name.Null != (n%7 == 0) || !name.Null && name.Str != fmt.Sprint("row ", n) || met[n] {
					t.Fatalf("%s: row %d: %d, %v", path, i, n, name)
				}
				met[n] = true
				parts[n*4/rows]++
			}
			for _, n := range parts {
				if n < b.N/8 {
					t.Errorf("%s%s: sampled rows by quarter of the file: %v", name, ext, parts)
					break
				}
			}
			if s := table.Stats(); s.Rows < rows/3 || s.Rows > 3*rows {
				t.Errorf("%s%s: %d rows", name, ext, s.Rows)
			}
		}
	}
}

// TestSampleOfDictionaryStream checks that record batches which are not sampled may lie between
// dictionaries that replace one another.
func TestSampleOfDictionaryStream(t *testing.T) {
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "name", Type: kind}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	const batches, rows = 400, 800
	for i := range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for k := range rows {
			b.Field(0).(*array.Int64Builder).Append(int64(i*rows + k))
			if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("text ", i, " ", k%20)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.ipc")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := table.(catalog.Sampler).Sample([]int{0, 1})
	if b == nil {
		t.Fatal("no sample")
	}
	late := 0
	for i := range b.N {
		n := int(catalog.DatumAt(b.Cols[0], i).I64)
		if want, got := fmt.Sprint("text ", n/rows, " ", n%rows%20), catalog.DatumAt(b.Cols[1], i).Str; got != want {
			t.Fatalf("row %d: %s, want %s", n, got, want)
		}
		if n > batches*rows/2 {
			late++
		}
	}
	if late < b.N/4 {
		t.Errorf("%d of %d rows are from the second half", late, b.N)
	}
}
