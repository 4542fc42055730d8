package chainlog

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/storage/vfs"
)

// countingFS counts the syncs of files.
type countingFS struct {
	vfs.FS
	syncs atomic.Int64
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

func (f *countingFS) Create(name string) (vfs.File, error) {
	h, err := f.FS.Create(name)
	return &countingFile{h, f}, err
}

func (h *countingFile) Sync() error {
	h.fs.syncs.Add(1)
	return h.File.Sync()
}

// realDir returns a temporary folder of the operating system.
func realDir(t testing.TB) vfs.FS {
	t.Helper()
	fsys, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// BenchmarkCommit commits records of 100 bytes in full mode.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d", writers), func(b *testing.B) {
			fsys := &countingFS{FS: realDir(b)}
			log, err := Create(fsys, "log", testKind, Full)
			if err != nil {
				b.Fatal(err)
			}
			record := make([]byte, 100)
			fsys.syncs.Store(0)
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						p, err := log.Append(record)
						if err == nil {
							err = log.Commit(p)
						}
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			b.ReportMetric(float64(fsys.syncs.Load())/float64(b.N), "fdatasyncs/op")
			if err := log.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkScan reads a log of 256 MB in the system's file cache.
func BenchmarkScan(b *testing.B) {
	for _, size := range []int{100, 1000, 100_000, 10_000_000} {
		b.Run(fmt.Sprintf("%d", size), func(b *testing.B) {
			fsys := realDir(b)
			log, err := Create(fsys, "log", testKind, Off)
			if err != nil {
				b.Fatal(err)
			}
			record := make([]byte, size)
			for log.Size() < 256<<20 {
				if _, err := log.Append(record); err != nil {
					b.Fatal(err)
				}
			}
			if err := log.Close(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(log.Size()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Scan(fsys, "log", testKind, func(Pos, []byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
