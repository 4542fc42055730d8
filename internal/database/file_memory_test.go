package database

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gsql/storage/files"
)

// TestCachedFilesCountAndGiveWay checks that an opened file is charged to the database with the rows
// that it previews, that a reservation that does not fit beside a cached file drops it, and that
// files in use stay charged.
func TestCachedFilesCountAndGiveWay(t *testing.T) {
	const limit = 8 << 20
	db, err := Open(Options{MemoryLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var text strings.Builder
	const columns = 40
	for row := range 1000 {
		for c := range columns {
			if c > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "c%d%024d", c, row)
		}
		text.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "wide.csv")
	writeAged(t, path, text.String(), time.Hour)
	table, err := db.Files.Open(context.Background(), path, files.Options{Tables: db.FileMem})
	if err != nil {
		t.Fatal(err)
	}
	table.Stats()
	used := db.FileMem.Used()
	if least := int64(text.Len()) / 2; used < least || used > limit/2 {
		t.Fatalf("the file of %d bytes counts %d", text.Len(), used)
	}
	other := db.Mem.Child("a load")
	need := limit - used + 1
	if err := other.Reserve(need); err == nil {
		t.Errorf("%d bytes were reserved beside a file in use that counts %d", need, used)
	}
	if got := db.FileMem.Used(); got != used {
		t.Errorf("the file in use counts %d after the refusal, %d before", got, used)
	}
	runtime.KeepAlive(table)
	if table, err = db.Files.Open(context.Background(), path, files.Options{Tables: db.FileMem}); err != nil {
		t.Fatal(err)
	}
	table.Stats()
	table = nil
	if err := other.Reserve(need); err != nil {
		t.Errorf("a cached file that no statement reads did not give way: %v", err)
	}
	other.ReleaseAll()
}
