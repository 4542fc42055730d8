package files

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/files/csv"
)

func compressBytes(tb testing.TB, data []byte, ext string) []byte {
	tb.Helper()
	var buf bytes.Buffer
	if ext == ".gz" {
		z := gzip.NewWriter(&buf)
		z.Write(data)
		z.Close()
		return buf.Bytes()
	}
	z, err := zstd.NewWriter(&buf)
	if err != nil {
		tb.Fatal(err)
	}
	z.Write(data)
	z.Close()
	return buf.Bytes()
}

// small returns the bytes of a small file with every type in the given format.
func small(tb testing.TB, name string) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	writeFile(tb, path, everyType, WriteOptions{}, randomBatch(rand.New(rand.NewPCG(1, 1)), everyType, 300, 4))
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// drain scans a table to its end and evaluates every value.
func drain(t catalog.Table, spec catalog.ScanSpec) error {
	src, err := t.Scan(context.Background(), spec)
	if err != nil {
		return err
	}
	defer src.Close()
	r, err := src.NewReader()
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if b == nil || err != nil {
			return err
		}
		for _, c := range b.Cols {
			c.Flatten(nil)
		}
	}
}

// readAll opens and scans a file. This must not panic.
func readAll(path string, opt Options) error {
	tab, err := Open(context.Background(), path, opt)
	if err != nil {
		return err
	}
	tab.Stats()
	spec := catalog.ScanSpec{}
	for i, c := range tab.Schema().Visible() {
		if c.Comment == "" {
			spec.Columns = append(spec.Columns, i)
		}
	}
	return drain(tab, spec)
}

// TestTruncated cuts files short at every position: the error must be clear.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"x.parquet", "x.arrow", "x.csv.gz", "x.csv.zst"} {
		data := small(t, name)
		for cut := 0; cut < len(data); cut += 1 + len(data)/60 {
			path := tempFile(t, name, string(data[:cut]))
			err := readAll(path, Options{})
			if err == nil {
				t.Errorf("%s cut to %d of %d bytes was read", name, cut, len(data))
				continue
			}
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != sqlerr.FileCorrupt || !strings.Contains(e.Msg, path) || e.Hint == "" {
				t.Errorf("%s cut to %d of %d bytes: %v", name, cut, len(data), err)
			}
		}
	}
}

// TestDamaged flips bytes: the file may still be readable, but nothing may panic, and errors must
// be gsql's.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, name := range []string{"x.parquet", "x.arrow", "x.csv", "x.csv.gz", "x.csv.zst"} {
		data := small(t, name)
		path := tempFile(t, name, "")
		for range 80 {
			bad := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
			}
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			var e *sqlerr.Error
			if err := readAll(path, Options{}); err != nil && !errors.As(err, &e) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestNotFound(t *testing.T) {
	path := tempFile(t, "flights.csv", "a\n1\n")
	dir := filepath.Dir(path)
	for _, c := range []struct{ name, hint string }{
		{"flight.csv", "flights.csv"}, {"FLIGHTS.CSV", "flights.csv"}, {"other-thing.parquet", "directory"},
	} {
		_, err := Open(context.Background(), filepath.Join(dir, c.name), Options{})
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.FileNotFound || !strings.Contains(e.Msg, c.name) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Open(context.Background(), "*.csv", Options{Dir: t.TempDir()}); !errors.Is(err, sqlerr.FileNotFound) {
		t.Errorf("a pattern without files: %v", err)
	}
	if _, err := Open(context.Background(), dir, Options{}); !errors.Is(err, sqlerr.FileNotFound) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(context.Background(), tempFile(t, "x.xls", "x"), Options{}); !errors.Is(err, sqlerr.NotSupportedYet) {
		t.Errorf("an unknown ending: %v", err)
	}
	if tab := open(t, tempFile(t, "x.tbl", "1|a\n"), Options{Options: csv.Options{Delimiter: "|"}}); schemaText(tab) != "c1:bigint c2:text" {
		t.Errorf("another ending with a delimiter: %s", schemaText(tab))
	}
	if tab := open(t, "flights.csv", Options{Dir: dir}); tab.Name() != "flights.csv" {
		t.Errorf("name %s", tab.Name())
	}
}

// TestNoColumns reads files without columns, which Polars wrote: they are not damaged, but no tables.
func TestNoColumns(t *testing.T) {
	for _, name := range []string{"polars_nocols.parquet", "polars_nocols.arrow"} {
		_, err := Open(context.Background(), "testdata/"+name, Options{})
		if !errors.Is(err, sqlerr.TableMustHaveColumns) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPattern(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("b.csv", "k,v\n3,x\n")
	write("a.csv", "k,v\n1,2.5\n2,\n")
	tab := open(t, "*.csv", Options{Dir: dir})
	compareRows(t, "two files", rowsOf(t, tab, catalog.ScanSpec{}), []string{`"1"|"2.5"|`, `"2"|<null>|`, `"3"|"x"|`})
	if got := schemaText(tab); got != "k:bigint v:text" {
		t.Errorf("types that fit both files: %s", got)
	}
	if s := tab.Stats(); s.Rows != 3 || !s.Exact || s.Columns[0].Max.I64 != 3 || s.Columns[0].Min.I64 != 1 {
		t.Errorf("stats %+v", s)
	}
	var ids []int64
	eachRow(t, tab, catalog.ScanSpec{Columns: []int{catalog.RowID}}, func(b *vec.Batch, i int) { ids = append(ids, b.Cols[0].I64[i]) })
	if len(ids) != 3 || ids[0] >= ids[1] || ids[1] >= ids[2] {
		t.Errorf("row numbers %v", ids)
	}
	version := tab.Version()
	write("c.csv", "k,w\n1,2\n")
	if _, err := Open(context.Background(), "*.csv", Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "c.csv") || !strings.Contains(err.Error(), "`w`") {
		t.Errorf("another name: %v", err)
	}
	write("c.csv", "k\n1\n")
	if _, err := Open(context.Background(), "*.csv", Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "c.csv") {
		t.Errorf("another number of columns: %v", err)
	}
	write("c.csv", "k,v\n4,y\n")
	if tab := open(t, "*.csv", Options{Dir: dir}); tab.Version() == version {
		t.Error("the version did not change")
	}
	for options, want := range map[*Options]bool{
		{Dir: dir}: true, {Dir: dir, OwnColumns: true}: false, {Dir: dir, Options: csv.Options{Delimiter: ","}}: false, {Dir: dir, Options: csv.Options{SkipLines: 1}}: false,
	} {
		if got := open(t, "*.csv", *options).(catalog.Lasting).Lasts(); got != want {
			t.Errorf("the version stands for the contents with %+v: %v", options, got)
		}
	}
}

// TestCancel stops scans of a large file in the middle.
func TestCancel(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,some text\n", 300_000)
	for _, ext := range []string{"", ".gz"} {
		tab := open(t, compressed(t, tempFile(t, "x.csv", text), ext), Options{})
		ctx, cancel := context.WithCancel(context.Background())
		src, err := tab.Scan(ctx, catalog.ScanSpec{Columns: []int{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := src.NewReader()
		if b, err := r.Next(); b == nil || err != nil {
			t.Fatal(err)
		}
		cancel()
		start := time.Now()
		if _, err := r.Next(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after cancellation: %v", ext, err)
		}
		r.Close()
		src.Close()
		if d := time.Since(start); d > 20*time.Second { // 100 ms on a quiet machine
			t.Errorf("%s: ending took %v", ext, d)
		}
	}
}

func TestProgress(t *testing.T) {
	var rows int64
	tab := open(t, tempFile(t, "x.csv", "a\n"+strings.Repeat("1\n", 5000)), Options{})
	got := count(t, tab, 1, catalog.ScanSpec{Progress: func(n int64) { rows += n }})
	if got != 5000 || rows != 5000 {
		t.Errorf("%d rows, progress %d", got, rows)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,\"x\ny\"\n"), 7, false)
	f.Add([]byte("a;b\r\n1,5;'x'\r\n"), 1, true)
	f.Add([]byte("\xef\xbb\xbf\"\\\"\",\n\\N\t"), 3, true)
	path := filepath.Join(f.TempDir(), "x.csv")
	f.Fuzz(func(t *testing.T, data []byte, chunk int, ignore bool) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		opt := Options{Options: csv.Options{ChunkBytes: max(1, chunk%1000), IgnoreErrors: ignore}}
		var e *sqlerr.Error
		if err := readAll(path, opt); err != nil && !errors.As(err, &e) {
			t.Fatalf("not an error of ours: %v", err)
		}
	})
}

func FuzzParquet(f *testing.F) {
	f.Add(small(f, "x.parquet"))
	path := filepath.Join(f.TempDir(), "x.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var e *sqlerr.Error
		if err := readAll(path, Options{}); err != nil && !errors.As(err, &e) {
			t.Fatalf("not an error of ours: %v", err)
		}
	})
}
