package durable_test

import (
	"strings"
	"testing"

	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// creating calls a function before it creates a file.
type creating struct {
	*crashfs.FS
	before func(name string)
}

func (c *creating) Create(name string) (vfs.File, error) {
	c.before(name)
	return c.FS.Create(name)
}

// TestCheckpointBesideCommits has a table filled and changed while a checkpoint runs, which must not
// remove the table's file if it may still be needed after a crash.
func TestCheckpointBesideCommits(t *testing.T) {
	t.Run("dropped by a commit that is lost", func(t *testing.T) { checkpointBeside(t, "off", "DROP TABLE t") })
	t.Run("deleted rows, and segments rewritten", func(t *testing.T) { checkpointBeside(t, "full", "DELETE FROM t WHERE a <> 17") })
}

// checkpointBeside runs a statement in a mode of gsql_sync after the table has been filled.
func checkpointBeside(t *testing.T, mode, sql string) {
	fs := &creating{FS: crashfs.New(), before: func(string) {}}
	w, err := open(fs, settings{})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE u (a INT)"))
	for range 60 { // the checkpoint makes a segment of them
		must(t, s.exec("INSERT INTO u VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)"))
	}
	w.db.Store.SetSegmentRows(4)
	must(t, s.exec("CREATE TABLE t (a INT)"))
	done := false
	fs.before = func(name string) {
		if done || !strings.HasPrefix(name, "seg-") {
			return
		}
		done = true
		other := w.session()
		var rows [][]any
		for i := range 50 {
			rows = append(rows, []any{i})
		}
		must(t, other.append("t", rows))
		w.db.SetSync(mode)
		must(t, other.exec(sql))
	}
	must(t, s.exec("FLUSH LOGS"))
	if !done {
		t.Fatal("the checkpoint has written no segments")
	}
	for _, keep := range crashfs.Keeps {
		again, err := open(fs.Point().Crash(keep, 1), settings{})
		must(t, err)
		if _, err := again.look(); err != nil {
			t.Errorf("with %v kept: %v", keep, err)
		}
		must(t, again.db.Close())
	}
	must(t, w.db.Close())
}
