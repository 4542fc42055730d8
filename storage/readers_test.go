package storage

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/vfs"
)

// TestReadersBesideAWriter opens and refreshes a directory for reading while transactions that each
// add one row to two tables, checkpoints and OPTIMIZE go on. Every reader must see both tables with
// the same rows, and never fewer than before.
func TestReadersBesideAWriter(t *testing.T) {
	dir, err := vfs.Dir(t.TempDir())
	must(t, err)
	s := reopen(t, nil, dir)
	create(t, s, "a", pairs())
	create(t, s, "b", pairs())
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		defer close(done)
		rng := rand.New(rand.NewSource(1))
		for i := range int64(400) {
			tx := s.Begin()
			for _, name := range []string{"a", "b"} {
				must(t, tx.Insert(bg, lookup(t, tx, name), [][]*vec.Vector{{ints(i), strs(fmt.Sprint(i))}}))
			}
			must(t, tx.Commit())
			switch rng.Intn(10) {
			case 0:
				must(t, s.Checkpoint(bg))
			case 1:
				tx := s.Begin()
				must(t, tx.DDL().Optimize(bg, lookup(t, tx, "a")))
				must(t, tx.Commit())
			}
		}
	})
	for running := true; running; {
		r, _, err := OpenStore(nil, Directory{FS: dir, ReadOnly: true})
		must(t, err)
		last := -1
		for range 20 {
			n := equalRows(t, r)
			if n < last {
				t.Fatalf("%d rows became %d", last, n)
			}
			last = n
			must(t, r.Refresh())
		}
		must(t, r.Close())
		select {
		case <-done:
			running = false
		default:
		}
	}
	writer.Wait()
	r, _, err := OpenStore(nil, Directory{FS: dir, ReadOnly: true})
	must(t, err)
	if n := equalRows(t, r); n != 400 {
		t.Errorf("%d rows at the end", n)
	}
	must(t, r.Close())
	must(t, s.Close())
}

// equalRows returns the number of rows of two tables, which must be the same.
func equalRows(t *testing.T, s *Store) int {
	t.Helper()
	tx := s.Begin()
	defer tx.Rollback()
	a, _ := scan(t, lookup(t, tx, "a"), catalog.ScanSpec{Columns: []int{0, 1}})
	b, _ := scan(t, lookup(t, tx, "b"), catalog.ScanSpec{Columns: []int{0, 1}})
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("the tables differ:\n%v\n%v", a, b)
	}
	return len(a)
}
