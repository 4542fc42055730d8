package storage

import (
	"context"
	"runtime"
	"testing"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/segment"
)

// within waits until ok holds.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// TestReclaim drops tables that claim to be large enough to be collected.
func TestReclaim(t *testing.T) {
	s := NewStore(nil)
	drop := func(bytes int64) (counted int64) {
		v := &version{Rows: contents.Rows{Segs: []segment.Sealed{{Segment: &segment.Segment{Bytes: bytes}}}}}
		s.dropped.count(v, nil)
		counted = s.dropped.bytes.Load()
		runtime.KeepAlive(v)
		return counted
	}
	if n := drop(noticedBytes - 1); n != 0 {
		t.Errorf("%d bytes of a small table are counted", n)
	}
	if n := drop(max(reclaimBytes, 2*liveBytes())); n < reclaimBytes {
		t.Errorf("%d bytes of a large table are counted", n)
	}
	s.Reclaim()
	within(t, "what was dropped is still there", func() bool { return s.dropped.bytes.Load() == 0 })
	if s.Reclaim(); s.dropped.handled.Load() != 0 {
		t.Error("what was freed still counts as handled")
	}
}

// TestDroppedCounts checks the size of the segments of a version that another version does not
// have.
func TestDroppedCounts(t *testing.T) {
	s := NewStore(nil)
	s.SetSegmentRows(100)
	create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "i", Type: types.T(types.Int64)}}})
	for i := range int64(5) {
		v := vec.NewFlat(types.T(types.Int64), 100)
		for j := range v.I64 {
			v.I64[j] = 1000 + 100*i + int64(j) // two bytes each
		}
		commitRows(t, s, "t", v)
	}
	before := s.Begin()
	was := lookup(t, before, "t").(*version)
	size := was.Segs[0].Bytes
	if n := was.memoryBeside(nil); n != 5*size {
		t.Errorf("%d bytes without a table, want %d", n, 5*size)
	}
	tx := s.Begin()
	var ids []int64
	for i := range int64(160) { // all of one segment, and enough of the next one for it to be rewritten
		ids = append(ids, 100+i)
	}
	_, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids)
	must(t, err)
	must(t, tx.Commit())
	after := s.Begin()
	now := lookup(t, after, "t").(*version)
	if n := was.memoryBeside(now); n != 2*size {
		t.Errorf("%d bytes beside a version without two segments, want %d", n, 2*size)
	}
	if n := now.memoryBeside(now); n != 0 {
		t.Errorf("%d bytes beside itself", n)
	}
}
