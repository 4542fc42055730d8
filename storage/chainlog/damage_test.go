package chainlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// written is a log that was written, one commit for each record.
type written struct {
	history
	starts []Pos // of records
	end    Pos
	point  *crashfs.Point
}

// writeLog writes n records. The log is closed or, if not, everything is left as it is when the
// process dies.
func writeLog(t *testing.T, n int, closed bool) *written {
	t.Helper()
	w := &written{}
	w.seed = 3
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	w.created.Store(true)
	for range n {
		w.starts = append(w.starts, log.Size())
		p, err := w.append(log)
		if err == nil {
			err = log.Commit(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.end = log.Size()
	point := fsys.Point()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if closed {
		point = fsys.Point()
	}
	w.point = point
	return w
}

// change returns the file system with a part of the log replaced.
func (w *written) change(t *testing.T, at int64, b []byte) vfs.FS {
	t.Helper()
	fsys := w.point.Crash(crashfs.All, 0)
	h, err := fsys.OpenWritable("log")
	if err == nil {
		_, err = h.WriteAt(b, at)
	}
	if err == nil {
		err = h.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// checkDamage checks what Scan says of a log that is broken at a place.
func (w *written) checkDamage(t *testing.T, fsys vfs.FS, at int64, closed bool) {
	t.Helper()
	n, end, err := w.read(fsys, 0)
	broken := int64(0) // the record with that place
	for broken < int64(len(w.starts))-1 && int64(w.starts[broken+1]) <= at {
		broken++
	}
	start := int64(w.starts[broken])
	if at < headerSize {
		broken, start = 0, 0
	}
	var damaged *Damaged
	switch {
	case at >= int64(w.end): // behind the records
		if n != int64(len(w.starts)) || err != nil || end.Torn == 0 {
			t.Fatalf("flip at %d: %d records, %d torn bytes, %v", at, n, end.Torn, err)
		}
	case n != broken || end.Pos > Pos(at):
		t.Fatalf("flip at %d: %d records up to %d, %v; want %d", at, n, end.Pos, err, broken)
	case broken == int64(len(w.starts))-1 && !closed && at >= headerSize:
		if err != nil || end.Torn == 0 {
			t.Fatalf("flip at %d: %d torn bytes, %v", at, end.Torn, err)
		}
	case !errors.As(err, &damaged):
		t.Fatalf("flip at %d: not noticed: %v", at, err)
	case damaged.Offset != start || damaged.File != "crashfs/log":
		t.Fatalf("flip at %d: %v; want offset %d", at, damaged, start)
	}
}

// TestFlippedBits flips each bit. Only in the last record, if the log was not closed, can it look
// like a crash.
func TestFlippedBits(t *testing.T) {
	for _, closed := range []bool{false, true} {
		w := writeLog(t, 12, closed)
		step := int64(1)
		if testing.Short() {
			step = 31
		}
		for bit := int64(0); bit < 8*int64(w.end+recordSize); bit += step {
			fsys := w.point.Crash(crashfs.All, 0)
			if err := fsys.Flip("log", bit); err != nil {
				t.Fatal(err)
			}
			w.checkDamage(t, fsys, bit/8, closed)
		}
	}
}

// TestLostSectors zeros parts as a disk does that loses a write.
func TestLostSectors(t *testing.T) {
	w := writeLog(t, 40, true)
	for at := int64(0); at+512 < int64(w.end); at += 512 {
		old := make([]byte, 512)
		h, err := w.point.Crash(crashfs.All, 0).Open("log")
		if err == nil {
			_, err = h.ReadAt(old, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		first := bytes.IndexFunc(old, func(r rune) bool { return r != 0 })
		if first < 0 {
			continue // a long record of zeros
		}
		w.checkDamage(t, w.change(t, at, make([]byte, 512)), at+int64(first), true)
	}
}

// TestFlippedBitsInAGroup flips bits of records that one commit made durable. Nothing proves then
// that they were, unless the log was closed, but the records before stay.
func TestFlippedBitsInAGroup(t *testing.T) {
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{seed: 5}
	h.created.Store(true)
	starts := []Pos{headerSize}
	for range 10 {
		p, err := h.append(log)
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, p)
	}
	if err := log.Sync(); err != nil {
		t.Fatal(err)
	}
	point := fsys.Point()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*crashfs.Point{point, fsys.Point()} {
		broken := int64(0)
		for at := int64(headerSize); at < int64(starts[10]); at += 3 {
			for int64(starts[broken+1]) <= at {
				broken++
			}
			fsys := p.Crash(crashfs.All, 0)
			if err := fsys.Flip("log", at*8+at%8); err != nil {
				t.Fatal(err)
			}
			n, end, err := h.read(fsys, 0)
			var damaged *Damaged
			if n != broken || errors.As(err, &damaged) != (p != point) || (err == nil) != (p == point) {
				t.Fatalf("flip at %d: %d records, %+v, %v", at, n, end, err)
			}
		}
	}
}

// TestProofAcrossSteps breaks a record that is as long as what Scan searches at once: the header of
// the record that proves the damage lies on both sides of the end.
func TestProofAcrossSteps(t *testing.T) {
	for distance := searchStep - 4*align; distance <= searchStep+align; distance += align {
		fsys := crashfs.New()
		log, err := Create(fsys, "log", testKind, Full)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range [][]byte{make([]byte, distance-recordSize), nil} {
			p, err := log.Append(record)
			if err == nil {
				err = log.Commit(p)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		left := fsys.Point().Crash(crashfs.All, 0)
		if err := left.Flip("log", 8*(headerSize+recordSize)); err != nil {
			t.Fatal(err)
		}
		var damaged *Damaged
		if _, err := Scan(left, "log", testKind, func(Pos, []byte) error { return nil }); !errors.As(err, &damaged) {
			t.Errorf("distance %d: %v", distance, err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemainsAreRemoved checks that a record behind a torn one does not come back when the torn one
// is appended again.
func TestRemainsAreRemoved(t *testing.T) {
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte{1}, 5*minAhead) // too long for space ahead of it
	var torn Pos
	for _, record := range [][]byte{[]byte("first"), long, []byte("last")} {
		torn = log.Size()
		if _, err := log.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	torn -= 1000
	if err := log.Sync(); err != nil {
		t.Fatal(err)
	}
	left := fsys.Point().Crash(crashfs.All, 0)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := left.Flip("log", 8*int64(torn)); err != nil {
		t.Fatal(err)
	}
	records, _, end := scanAll(t, left, "log")
	if len(records) != 1 || end.Torn < int64(len(long)) {
		t.Fatalf("%d records, %d torn bytes", len(records), end.Torn)
	}
	if log, err = Continue(left, "log", end, Full); err == nil {
		_, err = log.Append(long)
	}
	if err == nil {
		err = log.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	if records, _, _ := scanAll(t, left, "log"); len(records) != 2 {
		t.Errorf("%d records", len(records))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRecordsInRecords checks that copies of the log's own bytes in records are not taken for
// records, whatever is torn.
func TestRecordsInRecords(t *testing.T) {
	w := writeLog(t, 12, false)
	whole := make([]byte, w.end)
	h, err := w.point.Crash(crashfs.All, 0).Open("log")
	if err == nil {
		_, err = h.ReadAt(whole, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	// This record has the bytes of records, also of this log and of its own place, but a record of
	// an earlier place does not prove that anything was durable.
	for i := range 3 {
		p, err := log.Append(whole, whole[:i], whole)
		if err == nil {
			err = log.Commit(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		own := make([]byte, p)
		h, err := fsys.Open("log")
		if err == nil {
			_, err = h.ReadAt(own, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		whole = own
	}
	last := log.Size()
	if _, err := log.Append(whole); err != nil {
		t.Fatal(err)
	}
	fsys.Watch(func(p *crashfs.Point) {
		if p.Op.Action != crashfs.Write {
			return
		}
		for seed := range uint64(100) {
			end, err := Scan(p.Crash(crashfs.Torn, seed), "log", testKind, func(Pos, []byte) error { return nil })
			if err != nil || end.Pos < last {
				t.Errorf("seed %d: ends at %d, %v", seed, end.Pos, err)
			}
		}
	})
	if err := log.Sync(); err != nil {
		t.Fatal(err)
	}
	fsys.Watch(nil)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLengthsAreChecked scans a header that is valid but for a length far beyond the file's end.
func TestLengthsAreChecked(t *testing.T) {
	w := writeLog(t, 1, false)
	_, end, err := w.read(w.point.Crash(crashfs.All, 0), 1)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, recordSize)
	record{length: math.MaxUint32, typ: typeRecord, synced: w.end, chain: 1}.put(b, end.header, w.end)
	fsys := w.change(t, int64(w.end), b)
	allocs := testing.AllocsPerRun(1, func() {
		if n, end, err := w.read(fsys, 1); n != 1 || end.Torn != recordSize || err != nil {
			t.Errorf("%d records, %d torn bytes, %v", n, end.Torn, err)
		}
	})
	if allocs > 1000 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestHeaders checks other kinds, other versions, and files that are no logs.
func TestHeaders(t *testing.T) {
	w := writeLog(t, 2, true)
	scan := func(fsys vfs.FS, kind Kind) (End, error) {
		return Scan(fsys, "log", kind, func(Pos, []byte) error { return nil })
	}
	var damaged *Damaged
	if _, err := scan(w.point.Crash(crashfs.All, 0), "gsqlothr"); !errors.As(err, &damaged) || damaged.Offset != 0 {
		t.Errorf("another kind: %v", err)
	}
	if _, err := scan(w.point.Crash(crashfs.All, 0), "short"); err == nil || errors.As(err, &damaged) {
		t.Errorf("no kind: %v", err)
	}
	newer := encodeHeader(testKind, 1)
	binary.LittleEndian.PutUint32(newer[8:], Version+1)
	seal(newer)
	if _, err := scan(w.change(t, 0, newer), testKind); err == nil || errors.As(err, &damaged) || !strings.Contains(err.Error(), fmt.Sprint("version ", Version+1)) {
		t.Errorf("a newer version: %v", err)
	}
	// What a crash leaves of a creation.
	for size := range 40 {
		fsys := crashfs.New()
		h, err := fsys.Create("log")
		if err == nil {
			err = h.Truncate(int64(size))
		}
		if err != nil {
			t.Fatal(err)
		}
		end, err := scan(fsys, testKind)
		if err != nil || end.Pos != 0 {
			t.Errorf("%d zeros: %+v, %v", size, end, err)
		}
		log, err := Continue(fsys, "log", end, Full)
		if err == nil {
			_, err = log.Append([]byte("first"))
		}
		if err == nil {
			err = log.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if records, _, _ := scanAll(t, fsys, "log"); len(records) != 1 || string(records[0]) != "first" {
			t.Errorf("%d zeros: %q", size, records)
		}
	}
}
