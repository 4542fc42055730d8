package chainlog

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// TestConcurrentCommits has many writers commit, and crashes at some operations: what was
// acknowledged is there, in the order of positions.
func TestConcurrentCommits(t *testing.T) {
	const writers, each = 16, 60
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	log.most = 2000 // so that some wait for room
	var acked [writers]atomic.Int64
	fsys.Watch(func(p *crashfs.Point) {
		if p.Op.Number%5 != 0 {
			return
		}
		var least [writers]int64
		for w := range least {
			least[w] = acked[w].Load()
		}
		for i, keep := range crashfs.Keeps {
			if err := checkCounts(p.Crash(keep, uint64(i)), least[:]); err != nil {
				t.Errorf("%+v, mode %d: %v", p.Op, keep, err)
			}
		}
	})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range int64(each) {
				record := make([]byte, 16+int(i)*w)
				binary.LittleEndian.PutUint64(record, uint64(w))
				binary.LittleEndian.PutUint64(record[8:], uint64(i))
				p, err := log.Append(record)
				if err == nil && i%3 != 0 {
					if err = log.Commit(p); err == nil {
						acked[w].Store(i + 1)
					}
				}
				if err == nil && i%20 == 0 {
					err = log.Sync()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var all [writers]int64
	for w := range all {
		all[w] = each
	}
	if err := checkCounts(fsys, all[:]); err != nil {
		t.Error(err)
	}
}

// checkCounts checks that a log has at least so many records of each writer, each in order.
func checkCounts(fsys vfs.FS, least []int64) error {
	seen := make([]int64, len(least))
	_, err := Scan(fsys, "log", testKind, func(at Pos, record []byte) error {
		w, i := binary.LittleEndian.Uint64(record), int64(binary.LittleEndian.Uint64(record[8:]))
		if i != seen[w] || len(record) != 16+int(i)*int(w) {
			return fmt.Errorf("record %d of writer %d after %d", i, w, seen[w])
		}
		seen[w]++
		return nil
	})
	if err != nil {
		return err
	}
	for w, n := range seen {
		if n < least[w] {
			return fmt.Errorf("%d records of writer %d, of %d acknowledged ones", n, w, least[w])
		}
	}
	return nil
}

// TestScanBesideAWriter reads a log while it grows, in memory and on disk.
func TestScanBesideAWriter(t *testing.T) {
	for _, fsys := range []vfs.FS{crashfs.New(), realDir(t)} {
		log, err := Create(fsys, "log", testKind, Normal)
		if err != nil {
			t.Fatal(err)
		}
		h := &history{seed: 9}
		h.created.Store(true)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 2000 {
				p, err := h.append(log)
				if err == nil && i%5 == 0 {
					err = log.Commit(p)
				}
				if err == nil && i%50 == 0 {
					err = log.Sync()
				}
				if err != nil {
					t.Error(err)
				}
				h.acked.Store(int64(i/5*5) + 1)
			}
		})
		for done := false; !done; {
			least := h.acked.Load()
			done = least == 1996
			if _, _, err := h.read(fsys, max(0, least-5)); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if n, _, err := h.read(fsys, 2000); n != 2000 || err != nil {
			t.Errorf("%d records, %v", n, err)
		}
	}
}

// lateFS shows the first reader of a file zeros in place of the first record.
type lateFS struct{ vfs.FS }

func (f *lateFS) Open(name string) (vfs.File, error) {
	h, err := f.FS.Open(name)
	return &lateFile{File: h}, err
}

type lateFile struct {
	vfs.File
	late bool
}

func (f *lateFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	if !f.late {
		clear(b[headerSize : headerSize+recordSize])
		f.late = true
	}
	return n, err
}

// TestReadsAgain scans a log that is written between the read of a record and that of its successor,
// which looks like damage.
func TestReadsAgain(t *testing.T) {
	w := writeLog(t, 5, false)
	fsys := w.point.Crash(crashfs.All, 0)
	if n, _, err := w.read(&lateFS{fsys}, 0); n != 5 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
}

// TestLongRecords appends records longer than every buffer.
func TestLongRecords(t *testing.T) {
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	log.most = 1 << 20
	want := []int{10, 3 << 20, 20, 5 << 20, windowSize, 30}
	for i, n := range want {
		record := make([]byte, n)
		record[n-1] = byte(i)
		if _, err := log.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	records, _, _ := scanAll(t, fsys, "log")
	if len(records) != len(want) {
		t.Fatalf("%d records", len(records))
	}
	for i, r := range records {
		if len(r) != want[i] || r[want[i]-1] != byte(i) {
			t.Errorf("record %d has %d bytes", i, len(r))
		}
	}
}
