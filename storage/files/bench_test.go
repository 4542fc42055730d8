package files

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/sql/catalog"
)

// realFile gives the path of a file among the shared data, and skips where absent.
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

// count scans with workers readers and gives the rows.
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
