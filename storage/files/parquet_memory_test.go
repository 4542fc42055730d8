package files

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestParquetMemory scans files one after another, and one while another scan is abandoned half
// way. The strings of closed scans and the batches of the abandoned one must stay unchanged.
func TestParquetMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, opts := range [][]parquet.WriterProperty{
		{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false)},
		{parquet.WithCompression(compress.Codecs.Snappy)},
		{parquet.WithDictionaryDefault(false)},
		{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false)},
	} {
		tab := variedTable(r, 1000, false, false)
		f := open(t, writeParquet(t, tab, 400, opts...), Options{})
		other := open(t, writeParquet(t, variedTable(r, 1000, false, false), 400, opts...), Options{})
		want := oracleRows(t, tab)
		var all []int
		for i := range f.Schema().Visible() {
			all = append(all, i)
		}
		held, err := f.Scan(t.Context(), catalog.ScanSpec{Columns: all})
		if err != nil {
			t.Fatal(err)
		}
		reader, err := held.NewReader()
		if err != nil {
			t.Fatal(err)
		}
		batch, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := held.Close(); err != nil { // its reader still has a chunk
			t.Fatal(err)
		}
		s := f.Schema().Ordinal("s")
		var texts, kept []string
		eachRow(t, f, catalog.ScanSpec{Columns: []int{s}}, func(b *vec.Batch, i int) {
			d := catalog.DatumAt(b.Cols[0], i)
			texts, kept = append(texts, string([]byte(d.Str))), append(kept, d.Str)
		})
		for range 3 {
			rowsOf(t, other, catalog.ScanSpec{})
		}
		for i := range kept {
			if kept[i] != texts[i] {
				t.Fatalf("string %d changed from %q to %q", i, texts[i], kept[i])
			}
		}
		for i := range batch.N {
			if got := rowText(batch, i); got != want[i] {
				t.Fatalf("row %d of a scan given up is %s, want %s", i, got, want[i])
			}
		}
	}
}

// TestPassingTexts scans with memory that is reused for texts: a batch has the right texts until
// the next one, and those of dictionaries stay valid.
func TestPassingTexts(t *testing.T) {
	mem.PoisonFreed()
	r := rand.New(rand.NewPCG(4, 4))
	for _, opts := range [][]parquet.WriterProperty{
		{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1000)},
		{parquet.WithCompression(compress.Codecs.Snappy)},
		{parquet.WithDictionaryDefault(false)},
		{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false)},
		{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy)},
	} {
		tab := variedTable(r, 3000, true, r.IntN(2) == 0)
		f := open(t, writeParquet(t, tab, 700, opts...), Options{})
		var texts, kept, got []string
		eachRow(t, f, catalog.ScanSpec{Passing: true, BatchSize: 130}, func(b *vec.Batch, i int) {
			got = append(got, rowText(b, i))
			for _, c := range b.Cols {
				if i == 0 && c.Form == vec.View && c.Base.Dict {
					texts, kept = append(texts, strings.Join(c.Base.Str, "|")), append(kept, c.Base.Str...)
				}
			}
		})
		if want := oracleRows(t, tab); !slices.Equal(got, want) {
			t.Errorf("%d rows, or others than the %d in the file", len(got), len(want))
		}
		if strings.Join(texts, "|") != strings.Join(kept, "|") {
			t.Error("texts of a dictionary changed")
		}
	}
}

// TestDamagedFooterIsCharged checks that a footer of row groups that take one byte each in the file,
// and 32 times as much in memory, is charged while it is read.
func TestDamagedFooterIsCharged(t *testing.T) {
	const groups = 2 << 20
	footer := []byte{4<<4 | 9, 15<<4 | 12} // field 4, a list of structures
	footer = binary.AppendUvarint(footer, groups)
	footer = append(footer, make([]byte, groups+1)...) // each ends at once, and so does the footer
	data := append([]byte("PAR1"), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer)))
	data = append(data, "PAR1"...)
	path := filepath.Join(t.TempDir(), "groups.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		limit int64
		want  sqlerr.Code
	}{{16 << 20, sqlerr.OutOfMemory}, {256 << 20, sqlerr.FileCorrupt}} {
		account := mem.NewRoot("test", tt.limit)
		_, err := Open(t.Context(), path, Options{Mem: account})
		if !errors.Is(err, tt.want) {
			t.Errorf("under %d bytes: %v", tt.limit, err)
		}
	}
}
