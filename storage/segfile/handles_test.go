package segfile

import (
	"errors"
	"math/rand"
	"runtime"
	"sync"
	"testing"

	"gsql/sql/catalog"
	"gsql/storage/segment"
	"gsql/storage/vfs/crashfs"
)

// TestHandles reads many files at the same time with few handles, and removes them while they are still
// read.
func TestHandles(t *testing.T) {
	const most, files, readers = 10, 200, 4
	fs := crashfs.New()
	f := New(fs, nil, 1) // nothing stays in the cache
	f.handles.most = most
	var schema *catalog.Schema
	var segs, wants []*segment.Segment
	for i := range files {
		var seg *segment.Segment
		schema, seg = sealed(t, rand.New(rand.NewSource(int64(i))), shapesOfColumns[i%len(shapesOfColumns)], 20)
		segs, wants = append(segs, written(t, f, uint64(i), schema, seg)), append(wants, seg)
	}
	read := func() {
		t.Helper()
		var wg sync.WaitGroup
		for g := range readers {
			wg.Go(func() {
				rng := rand.New(rand.NewSource(int64(g)))
				for range 3 * files {
					i := rng.Intn(files)
					c := rng.Intn(len(schema.Columns))
					if d, err := segs[i].Cols[c].Data(); err != nil || d.Bytes() != wants[i].Cols[c].Bytes() {
						t.Errorf("column %d of file %d: %v", c, i, err)
					}
					if n := fs.Handles(); n > most+readers {
						t.Errorf("%d files are open", n)
					}
				}
			})
		}
		wg.Wait()
	}
	read()
	kept := 0
	for i := range files {
		err := f.Remove(uint64(i))
		if err != nil && !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
		if err != nil {
			kept++
		}
	}
	if kept != files-most/2 {
		t.Errorf("%d of %d files are kept", kept, files)
	}
	read()
	segs = nil
	runtime.GC()
	for i := range files {
		if err := f.Remove(uint64(i)); errors.Is(err, ErrInUse) {
			t.Fatalf("nothing reads file %d", i)
		}
	}
	if names, err := fs.List(); err != nil || len(names) > 0 {
		t.Errorf("%d files are left, %v", len(names), err)
	}
	must(t, f.Close())
	if n := fs.Handles(); n != 0 {
		t.Errorf("%d files are open after Close", n)
	}
}
