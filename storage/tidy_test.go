package storage

import (
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// loadPairs appends n rows with random numbers and texts in one transaction, whose files take most bytes.
func loadPairs(t testing.TB, s *Store, name string, n int, most int64) {
	t.Helper()
	tx := s.Begin()
	defer tx.Rollback()
	if files := spoolOf(tx); files != nil && most > 0 {
		files.most = most
	}
	a, err := NewAppender(tx, lookup(t, tx, name))
	must(t, err)
	w := a.NewWriter()
	rng := rand.New(rand.NewSource(int64(n)))
	for from := 0; from < n; from += 1000 {
		numbers, texts := make([]int64, min(1000, n-from)), make([]string, min(1000, n-from))
		for i := range numbers {
			numbers[i], texts[i] = int64(from+i), fmt.Sprint(rng.Int63(), rng.Int63())
		}
		must(t, w.Append(int64(from), []*vec.Vector{ints(numbers...), strs(texts...)}))
	}
	must(t, w.Close())
	_, err = a.Finish(bg)
	must(t, err)
	must(t, tx.Commit())
}

// segmentBytes returns the number and the bytes of the segment files in a folder.
func segmentBytes(t testing.TB, fs vfs.FS) (files int, bytes int64) {
	t.Helper()
	names, err := fs.List()
	must(t, err)
	for _, name := range names {
		if !strings.HasPrefix(name, "seg-") {
			continue
		}
		f, err := fs.Open(name)
		must(t, err)
		n, err := f.Size()
		must(t, err)
		must(t, f.Close())
		files, bytes = files+1, bytes+n
	}
	return files, bytes
}

// TestSparseFiles drops most of what is in a file, a column or the other tables, and requires that tidying or
// OPTIMIZE and a checkpoint free the space, and that the rest stays what it was.
func TestSparseFiles(t *testing.T) {
	tidy := func(t *testing.T, s *Store) { s.tidy(bg) }
	optimize := func(t *testing.T, s *Store) {
		tx := s.Begin()
		must(t, tx.DDL().Optimize(bg, lookup(t, tx, "keep")))
		must(t, tx.Commit())
	}
	dropColumn := func(t *testing.T, s *Store) {
		tx := s.Begin()
		tbl := lookup(t, tx, "keep")
		schema := *tbl.Schema()
		schema.Columns = schema.Columns[:1]
		must(t, tx.DDL().Alter(bg, tbl, Alteration{Schema: &schema, Columns: []AlteredColumn{{From: 0}}}))
		must(t, tx.Commit())
	}
	dropTable := func(t *testing.T, s *Store) {
		tx := s.Begin()
		must(t, tx.DDL().DropTable(DefaultDB, "gone"))
		must(t, tx.Commit())
	}
	for name, c := range map[string]struct {
		gone, keep int // rows of a transaction
		drop, free func(*testing.T, *Store)
	}{
		"a column, in the background": {10, 450, dropColumn, tidy},
		"a column, at once":           {10, 450, dropColumn, optimize},
		"a table, in the background":  {450, 120, dropTable, tidy},
		"a table, at once":            {450, 120, dropTable, optimize},
	} {
		t.Run(name, func(t *testing.T) {
			fs := crashfs.New()
			s := reopen(t, nil, fs)
			s.segmentRows = 2000
			create(t, s, "gone", pairs())
			create(t, s, "keep", pairs())
			for i := range int64(9) { // small transactions, whose rows a checkpoint writes to one file
				for _, name := range []string{"gone", "keep"} {
					n := c.gone
					if name == "keep" {
						n = c.keep
					}
					numbers, texts := make([]int64, n), make([]string, n)
					for k := range numbers {
						numbers[k], texts[k] = i*1000+int64(k), fmt.Sprint(rand.Int63(), rand.Int63(), rand.Int63())
					}
					commitRows(t, s, name, ints(numbers...), strs(texts...))
				}
			}
			must(t, s.Checkpoint(bg))
			files, before := segmentBytes(t, fs)
			if files != 1 {
				t.Fatalf("there are %d files", files)
			}
			c.drop(t, s)
			must(t, s.Checkpoint(bg))
			if _, now := segmentBytes(t, fs); now < before {
				t.Fatalf("%d bytes became %d without rewriting", before, now)
			}
			tx := s.Begin()
			columns := len(lookup(t, tx, "keep").Schema().Columns)
			spec := catalog.ScanSpec{Columns: []int{0, 1}[:columns]}
			rows, ids := scan(t, lookup(t, tx, "keep"), spec)
			tx.Rollback()
			if len(rows) != 9*c.keep {
				t.Fatalf("%d rows", len(rows))
			}
			c.free(t, s)
			must(t, s.Checkpoint(bg))
			if _, now := segmentBytes(t, fs); now > before/2 {
				t.Errorf("%d bytes became %d", before, now)
			}
			for range 2 {
				tx = s.Begin()
				after, same := scan(t, lookup(t, tx, "keep"), spec)
				tx.Rollback()
				if fmt.Sprint(after, same) != fmt.Sprint(rows, ids) {
					t.Error("the rows or their ids have changed")
				}
				s = reopen(t, s, fs)
			}
			must(t, s.Close())
		})
	}
}

// TestManyFiles has a table in more files than may be open, drops it, and requires that few are open at any
// time and that all are removed, also while a snapshot reads them.
func TestManyFiles(t *testing.T) {
	const rows, most = 2000, 200
	fs := crashfs.New()
	s := reopen(t, nil, fs)
	s.journal.dir.Files.SetLimit(1)
	s.segmentRows = 4
	create(t, s, "t", pairs())
	open := 0
	loadPairs(t, s, "t", rows, 1)
	open = max(open, fs.Handles())
	files, _ := segmentBytes(t, fs)
	if files < 2*most {
		t.Fatalf("%d files", files)
	}
	s = reopen(t, s, fs)
	s.journal.dir.Files.SetLimit(1)
	snapshot := s.Begin()
	read := func() {
		t.Helper()
		if got, _ := scan(t, lookup(t, snapshot, "t"), catalog.ScanSpec{Columns: []int{0, 1}}); len(got) != rows {
			t.Errorf("%d rows", len(got))
		}
		open = max(open, fs.Handles())
	}
	read()
	tx := s.Begin()
	must(t, tx.DDL().DropTable(DefaultDB, "t"))
	must(t, tx.Commit())
	must(t, s.Checkpoint(bg))
	read()
	if n, _ := segmentBytes(t, fs); n == 0 || n == files {
		t.Errorf("%d files are left of %d that a snapshot reads", n, files)
	}
	snapshot.Rollback()
	runtime.GC()
	create(t, s, "u", pairs())
	must(t, s.Checkpoint(bg))
	if n, _ := segmentBytes(t, fs); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if open > most {
		t.Errorf("%d files were open", open)
	}
	must(t, s.Close())
}

// TestFullFilesAreFinished requires that a load keeps only the file open that takes its segments.
func TestFullFilesAreFinished(t *testing.T) {
	fs := crashfs.New()
	s := reopen(t, nil, fs)
	s.segmentRows = 4
	create(t, s, "t", pairs())
	tx := s.Begin()
	files := spoolOf(tx)
	files.most = 1
	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	w := a.NewWriter()
	for i := range int64(100) {
		must(t, w.Append(i, []*vec.Vector{ints(4*i, 4*i+1, 4*i+2, 4*i+3), strs("a", "b", "c", "d")}))
		if len(files.open) > 1 {
			t.Fatalf("%d files are written at once", len(files.open))
		}
	}
	must(t, w.Close())
	fs.Fail(fs.Ops()+1, sqlerr.New(sqlerr.UnknownError, "full"), false)
	_, err = a.Finish(bg)
	if err == nil {
		err = tx.Commit()
	}
	if err == nil {
		t.Error("an error of a file is lost")
	}
	tx.Rollback()
	runtime.GC()
	must(t, s.Checkpoint(bg))
	if n, _ := segmentBytes(t, fs); n != 0 {
		t.Errorf("%d files are left", n)
	}
	must(t, s.Close())
}
