package files

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// TestParquetMemory scans files one after another, and one while another's scan is given
// up half-way: strings of closed scans, and the batches of the one given up, stay as they
// were.
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
		for i := range f.Schema().Columns {
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

// TestPassingTexts scans with memory of texts that is used again: a batch has the right ones
// until the next, and those of dictionaries stay.
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

// TestClassesOfMemory checks that a class has one size, little above what is asked for.
func TestClassesOfMemory(t *testing.T) {
	sizes := map[int]int{}
	for n := 1; n < 1<<28; n += 1 + n/50 {
		class, size := classOf(n)
		if size < n || n > 1024 && size > n+n/8+1 {
			t.Errorf("%d bytes get %d", n, size)
		}
		if again, same := classOf(size); again != class || same != size {
			t.Errorf("%d bytes are of class %d, the %d bytes that they get of %d", n, class, size, again)
		}
		if old, ok := sizes[class]; ok && old != size {
			t.Errorf("class %d has sizes %d and %d", class, old, size)
		}
		sizes[class] = size
	}
}

// TestUnpack packs values of every width and reads them back in pieces.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for width := range 33 {
		values := make([]int32, 8*50)
		packed := make([]byte, (len(values)*width+7)/8+padding)
		for i := range values {
			values[i] = int32(r.Uint64() & (1<<width - 1))
			for b := range width {
				at := i*width + b
				packed[at/8] |= byte(uint32(values[i])>>b&1) << (at % 8)
			}
		}
		data := append([]byte{byte(50<<1 | 1)}, packed...)
		h, err := newHybrid(data[:len(data)-padding], width)
		if err != nil {
			t.Fatal(err)
		}
		var got []int32
		for len(got) < len(values) {
			part := make([]int32, min(1+r.IntN(30), len(values)-len(got)))
			if _, err := h.read(part); err != nil {
				t.Fatalf("width %d: %v", width, err)
			}
			got = append(got, part...)
		}
		if !slices.Equal(got, values) {
			t.Errorf("width %d: %v, want %v", width, got, values)
		}
	}
}
