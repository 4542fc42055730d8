package files

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/sql/catalog"
)

// realFile returns the path of a file of the shared data. It skips the test if the file is
// absent.
func realFile(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is absent", path)
	}
	return path
}

// count scans with the given number of readers and returns the number of rows.
func count(tb testing.TB, t catalog.Table, workers int, spec catalog.ScanSpec) int64 {
	src, err := t.Scan(context.Background(), spec)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	var rows atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, err := src.NewReader()
			if err != nil {
				tb.Error(err)
				return
			}
			for {
				b, err := r.Next()
				if err != nil {
					tb.Error(err)
				}
				if b == nil || err != nil {
					return
				}
				rows.Add(int64(b.N))
			}
		}()
	}
	wg.Wait()
	return rows.Load()
}

func BenchmarkParquetFlights(b *testing.B) {
	t, err := Open(context.Background(), realFile(b, "flights-3m.parquet"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	origin, delay := t.Schema().Ordinal("origin"), t.Schema().Ordinal("delay")
	for _, c := range []struct {
		name    string
		workers int
		cols    []int
	}{
		{"origin+delay/1", 1, []int{origin, delay}}, {"origin+delay/2", 2, []int{origin, delay}},
		{"origin/1", 1, []int{origin}}, {"delay/1", 1, []int{delay}}, {"all/2", 2, []int{0, 1, 2, 3, 4}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var rows int64
			for b.Loop() {
				rows += count(b, t, c.workers, catalog.ScanSpec{Columns: c.cols})
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// mixedCSV writes a file of mixed types and returns its path.
func mixedCSV(tb testing.TB, rows int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "mixed.csv")
	var buf bytes.Buffer
	buf.WriteString("id,name,price,day,at,qty,note,flag\n")
	r := rand.New(rand.NewPCG(7, 8))
	for i := range rows {
		fmt.Fprintf(&buf, "%d,customer %d,%.2f,20%02d-%02d-%02d,2024-05-06 %02d:%02d:%02d,%d,\"some, quoted text\",%t\n",
			i, r.IntN(10000), r.Float64()*1000, r.IntN(24), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(100), r.IntN(2) == 0)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func BenchmarkCSV(b *testing.B) {
	path := mixedCSV(b, 1_000_000)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	t := open(b, path, Options{})
	for _, c := range []struct {
		name    string
		workers int
		cols    []int
	}{{"all/1", 1, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {"all/2", 2, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {"two/2", 2, []int{0, 2}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				count(b, t, c.workers, catalog.ScanSpec{Columns: c.cols})
			}
		})
	}
}
