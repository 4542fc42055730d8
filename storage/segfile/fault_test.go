package segfile

import (
	"errors"
	"math/rand"
	"syscall"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/storage/segment"
	"gsql/storage/vfs/crashfs"
)

// TestFailedWrites has each operation on files fail: the writer reports it, and nothing is left.
func TestFailedWrites(t *testing.T) {
	schema, seg := sealed(t, rand.New(rand.NewSource(1)), shapesOfColumns[1], 50)
	write := func(f *Files) (*segment.Segment, error) {
		w, err := f.NewWriter(1)
		if err != nil {
			return nil, err
		}
		out, err := w.Add(schema, seg)
		if err == nil {
			if err = w.Finish(); err == nil {
				return out, nil
			}
		}
		return nil, errors.Join(err, w.Abort())
	}
	whole := crashfs.New()
	if _, err := write(New(whole, nil, 0)); err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
		for op := 1; op <= whole.Ops(); op++ {
			fs := crashfs.New()
			fs.Fail(op, cause, false)
			f := New(fs, nil, 0)
			if _, err := write(f); !errors.Is(err, cause) || !errors.Is(err, sqlerr.ErrorOnWrite) {
				t.Errorf("operation %d of %d: %v", op, whole.Ops(), err)
			}
			if list, err := fs.List(); err != nil || len(list) > 0 {
				t.Errorf("operation %d: %v is left, %v", op, list, err)
			}
			if n := f.Cached(); n != 0 {
				t.Errorf("operation %d: %d bytes of no file are cached", op, n)
			}
			out, err := write(f)
			if err != nil {
				t.Fatalf("operation %d: a second time: %v", op, err)
			}
			same(t, schema, out, seg)
			must(t, f.Close())
			if n := fs.Handles(); n != 0 {
				t.Errorf("operation %d: %d files are open", op, n)
			}
		}
	}
}

// TestFailedReads has reading fail for a while.
func TestFailedReads(t *testing.T) {
	schema, seg := sealed(t, rand.New(rand.NewSource(2)), shapesOfColumns[1], 50)
	fs := crashfs.New()
	f := New(fs, nil, 0)
	s := written(t, f, 1, schema, seg)
	before := f.Cached() // what the writer left
	fs.FailReads(fileName(1), syscall.EIO)
	if err := readAll(s); !errors.Is(err, syscall.EIO) || !errors.Is(err, sqlerr.ErrorOnRead) {
		t.Errorf("reading returns %v", err)
	}
	if err := errors.Join(f.Check(t.Context(), 1)...); !errors.Is(err, syscall.EIO) {
		t.Errorf("Check returns %v", err)
	}
	if n := f.Cached(); n != before {
		t.Errorf("%d bytes are cached, before %d were", n, before)
	}
	fs.FailReads(fileName(1), nil)
	same(t, schema, s, seg)
	must(t, f.Close())
	if err := readAll(written(t, New(fs, nil, 0), 2, schema, seg)); err != nil {
		t.Error(err)
	}
	s, _, err := f.Decode(f.Encode(nil, s), schema)
	must(t, err)
	if err := readAll(s); err == nil {
		t.Error("columns are read after Close")
	}
}
