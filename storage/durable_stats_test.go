package storage

import (
	"fmt"
	"testing"

	"gsql/storage/vfs"
)

// TestDirectoryKeepsStats checks that a checkpoint computes and records statistics that no query has used,
// so that planning after opening reads no column.
func TestDirectoryKeepsStats(t *testing.T) {
	dir, err := vfs.Dir(t.TempDir())
	must(t, err)
	s := reopen(t, nil, dir)
	s.segmentRows = 1000
	create(t, s, "t", pairs())
	const rows = 3000
	ids, names := make([]int64, rows), make([]string, rows)
	for i := range ids {
		ids[i], names[i] = int64(i), fmt.Sprint("name ", i%7)
	}
	commitRows(t, s, "t", ints(ids...), strs(names...))
	s = reopen(t, s, dir)
	tx := s.Begin()
	defer tx.Rollback()
	st := lookup(t, tx, "t").Stats()
	if got := s.journal.dir.Files.Cached(); got != 0 {
		t.Errorf("the statistics of an opened table have loaded %d bytes of columns", got)
	}
	id, name := &st.Columns[0], &st.Columns[1]
	if st.Rows != rows || id.NDV != rows || id.Min.I64 != 0 || id.Max.I64 != rows-1 || name.NDV != 7 || len(name.MCV) != 7 {
		t.Errorf("statistics after opening: %+v", st)
	}
	must(t, s.Close())
}
