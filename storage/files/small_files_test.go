package files

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/files/csv"
)

// hugeText is the unpacked size of the small files, in bytes.
const hugeText = 200 << 20

// hugeRecord returns a record of texts with hugeText bytes in total.
func hugeRecord(rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	text := strings.Repeat("a", hugeText/rows)
	for range rows {
		b.Field(0).(*array.StringBuilder).Append(text)
	}
	noise := make([]byte, 200<<10) // keeps the Arrow file above the size that its bound on unpacking requires
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = 'a' + byte(rng.IntN(26))
	}
	b.Field(0).(*array.StringBuilder).Append(string(noise))
	return b.NewRecord()
}

// smallFiles writes files of a few KB that unpack to hugeText bytes.
func smallFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		paths = append(paths, f.Name())
		return f
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	block := bytes.Repeat([]byte("a"), 1<<20)
	huge := func(write func([]byte) (int, error)) {
		_, err := write([]byte("s\n"))
		for range hugeText >> 20 {
			_, e := write(block)
			err = errors.Join(err, e)
		}
		check(err)
	}
	z, err := zstd.NewWriter(create("x.csv.zst"))
	check(err)
	huge(z.Write)
	check(z.Close())
	g, err := gzip.NewWriterLevel(create("x.csv.gz"), gzip.BestSpeed)
	check(err)
	huge(g.Write)
	check(g.Close())
	g, err = gzip.NewWriterLevel(create("x.parquet.gz"), gzip.BestSpeed)
	check(err)
	huge(g.Write)
	check(g.Close())
	for name, rows := range map[string]int{"one.parquet": 1, "fifty.parquet": 50} {
		rec := hugeRecord(rows)
		w, err := pqarrow.NewFileWriter(rec.Schema(), create(name), parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd),
			parquet.WithDictionaryDefault(false), parquet.WithStats(false)), pqarrow.DefaultWriterProps())
		check(err)
		check(w.Write(rec))
		check(w.Close())
	}
	rec := hugeRecord(10)
	a, err := ipc.NewFileWriter(create("x.arrow"), ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	check(err)
	check(a.Write(rec))
	check(a.Close())
	s := ipc.NewWriter(create("stream.arrow"), ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	check(s.Write(rec))
	check(s.Close())
	return paths
}

// readLimited reads a file in the same way as a query with an account.
func readLimited(path string, account *mem.Account) error {
	tab, err := Open(context.Background(), path, Options{Mem: account.Child("open")})
	if err != nil {
		return err
	}
	tab.Stats()
	return drain(tab, catalog.ScanSpec{Columns: []int{0}, Mem: account.Child("scan")})
}

// highest watches the Go heap until stop is called, which returns the highest use.
func highest() (stop func() uint64) {
	for range 3 { // the contents of pools are freed by the second collection
		runtime.GC()
	}
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(done); <-ended; return most.Load() }
}

func TestSmallFilesObeyTheMemoryLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short runs, which look for races: it unpacks gigabytes")
	}
	paths := smallFiles(t)
	const limit = 64 << 20
	for _, path := range paths {
		name := filepath.Base(path)
		info, err := os.Stat(path)
		if err != nil || info.Size() > 4<<20 {
			t.Fatalf("%s is not small: %d bytes, %v", name, info.Size(), err)
		}
		account := mem.NewRoot("query", limit)
		stop := highest()
		err = readLimited(path, account)
		peak := stop()
		if !errors.Is(err, sqlerr.OutOfMemory) {
			t.Errorf("%s: %v, want error 1037", name, err)
		}
		if account.Peak() > limit || account.Used() != 0 {
			t.Errorf("%s: %d bytes are left of at most %d", name, account.Used(), account.Peak())
		}
		t.Logf("%s (%d bytes): at most %d MB in use", name, info.Size(), peak>>20)
		if peak > 3*limit {
			t.Errorf("%s: %d MB in use under a limit of %d", name, peak>>20, limit>>20)
		}
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "x.parquet.gz" {
			continue // it is text
		}
		plenty := mem.NewRoot("query", 4<<30)
		if err := readLimited(path, plenty); err != nil || plenty.Used() != 0 {
			t.Errorf("%s with enough memory: %v, %d bytes are left", name, err, plenty.Used())
		}
	}
}

func TestTooManyColumns(t *testing.T) {
	many := strings.Repeat("1,", 2_000_000) + "1\n"
	for name, text := range map[string]string{"records.csv": many + many, "header.csv": strings.Repeat("a,", 4096) + "b\n" + strings.Repeat("1,", 4096) + "1\n"} {
		path := tempFile(t, name, text)
		if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, sqlerr.TooManyFields) {
			t.Errorf("%s: %v, want error 1117", name, err)
		}
	}
	path := tempFile(t, "most.csv", strings.Repeat("a,", 4095)+"b\n"+strings.Repeat("1,", 4095)+"1\n")
	tab, err := Open(t.Context(), path, Options{})
	if err != nil || len(tab.Schema().Visible()) != 4096 {
		t.Errorf("4096 columns: %v", err)
	}
	wide := tempFile(t, "wide.csv", "1,2\n3,4\n"+many)
	if err := readAll(wide, Options{Options: csv.Options{Delimiter: ",", Columns: []string{"a", "b"}}}); !errors.Is(err, sqlerr.TooManyFields) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a line of two million fields: %v, want error 1117 that names line 3", err)
	}
}
