package database

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gsql/sql/catalog"
	"gsql/storage/files"
)

// writeAged writes a file and makes it so old that it may be remembered.
func writeAged(t *testing.T, path, text string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, c *FileCache, name, dir string) catalog.Table {
	t.Helper()
	table, err := c.Open(context.Background(), name, files.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestFileCache(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	var c FileCache
	writeAged(t, path, "x\n1\n", time.Hour)
	first := mustOpen(t, &c, "a.csv", dir)
	if mustOpen(t, &c, "a.csv", dir) != first {
		t.Error("an unchanged file was opened again")
	}
	if other := mustOpen(t, &c, path, ""); other.Name() != path {
		t.Errorf("the table bears the name %q, the statement wrote %q", other.Name(), path)
	}
	changes := map[string]func(){
		"size": func() { writeAged(t, path, "x,y\n1,2\n", time.Hour) },
		"time": func() { writeAged(t, path, "y,x\n1,2\n", time.Minute) },
		"identity": func() {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(dir, "b.csv")
			writeAged(t, other, "z,x\n1,2\n", time.Minute)
			if err := os.Chtimes(other, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(other, path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for _, what := range []string{"size", "time", "identity"} {
		changes[what]()
		next := mustOpen(t, &c, "a.csv", dir)
		if next == first {
			t.Errorf("a file of another %s was not opened again", what)
		}
		first = next
	}
	if got := first.Schema().Columns[0].Name; got != "z" {
		t.Errorf("the first column is %q, the file says z", got)
	}
}

// TestFileCacheOfFreshFiles overwrites a file within the coarseness of its time.
func TestFileCacheOfFreshFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	var c FileCache
	at := time.Now()
	for _, name := range []string{"x", "y"} {
		if err := os.WriteFile(path, []byte(name+"\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if got := mustOpen(t, &c, path, "").Schema().Columns[0].Name; got != name {
			t.Errorf("the column is %q, the file says %q", got, name)
		}
	}
}

func TestFileCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	var c FileCache
	tables := map[int]catalog.Table{}
	name := func(i int) string { return fmt.Sprintf("%d.csv", i) }
	for i := range cachedFiles + 1 {
		writeAged(t, filepath.Join(dir, name(i)), "x\n1\n", time.Hour)
		tables[i] = mustOpen(t, &c, name(i), dir)
		mustOpen(t, &c, name(0), dir) // used again and again
	}
	if len(c.entries) != cachedFiles {
		t.Errorf("%d files are remembered, want %d", len(c.entries), cachedFiles)
	}
	if mustOpen(t, &c, name(0), dir) != tables[0] {
		t.Error("the file used last was forgotten")
	}
	if mustOpen(t, &c, name(1), dir) == tables[1] {
		t.Error("the file not used for longest is remembered")
	}
}
