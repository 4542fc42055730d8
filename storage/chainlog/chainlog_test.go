package chainlog

import (
	"bytes"
	"slices"
	"testing"

	"gsql/storage/vfs"
)

const testKind Kind = "gsqltest"

// scanAll returns the records of a log.
func scanAll(t testing.TB, fsys vfs.FS, name string) (records [][]byte, ends []Pos, end End) {
	t.Helper()
	end, err := Scan(fsys, name, testKind, func(at Pos, record []byte) error {
		records = append(records, bytes.Clone(record))
		ends = append(ends, at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, ends, end
}

func TestAppendScanContinue(t *testing.T) {
	fsys, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	var wantEnds []Pos
	for round := range 4 {
		for i := range 100 {
			record := bytes.Repeat([]byte{byte(i)}, i*i*round)
			p, err := log.Append(record[:len(record)/3], record[len(record)/3:])
			if err != nil {
				t.Fatal(err)
			}
			want, wantEnds = append(want, record), append(wantEnds, p)
			if i%7 == 0 {
				if err := log.Commit(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		got, ends, end := scanAll(t, fsys, "log")
		if !slices.EqualFunc(got, want, bytes.Equal) || !slices.Equal(ends, wantEnds) {
			t.Fatalf("round %d: %d records at %v; want %d at %v", round, len(got), ends, len(want), wantEnds)
		}
		if end.Torn != 0 {
			t.Fatalf("round %d: %d torn bytes", round, end.Torn)
		}
		if log, err = Continue(fsys, "log", end, Full); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}
