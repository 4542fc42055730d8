package storage

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"gsql/storage/segment"
)

const (
	// A separate collection pays if the dropped bytes amount to reclaimBytes and to 1/reclaimPart
	// of the live bytes.
	reclaimBytes = 64 << 20
	reclaimPart  = 4
	// reclaimAfter is the delay before the collection: the statement that dropped a table still
	// refers to it while it ends.
	reclaimAfter = 2 * time.Millisecond
	// noticedBytes is the least number of bytes for which a commit's drops are counted.
	noticedBytes = 1 << 20
)

// dropped counts the bytes of segments that are no longer in any committed state. The collector
// starts on its own only when there is as much garbage as live data; until then the next large
// table would take fresh memory in addition to that of the table it replaces.
type dropped struct {
	bytes   atomic.Int64 // not yet freed by the collector
	ever    atomic.Int64 // dropped since the start
	handled atomic.Int64 // upper bound for the bytes that a collection was started for
}

// count records that now has replaced was. now is nil if the table was dropped.
func (d *dropped) count(was, now *version) {
	if was == nil {
		return
	}
	n := was.memoryBeside(now)
	if n < noticedBytes {
		return
	}
	d.ever.Add(n)
	d.bytes.Add(n)
	runtime.AddCleanup(was, func(n int64) { d.bytes.Add(-n) }, n)
}

// memoryBeside returns the bytes of the segments and the tail of v that now does not share. now
// is a later version, or nil.
func (v *version) memoryBeside(now *version) int64 {
	var kept []segment.Sealed
	if now != nil {
		kept = now.Segs
	}
	n := int64(0)
	for i := range v.Segs {
		s := &v.Segs[i]
		for len(kept) > 0 && kept[0].Base < s.Base {
			kept = kept[1:]
		}
		if len(kept) == 0 || kept[0].Segment != s.Segment {
			n += s.Bytes
		}
	}
	if now == nil || now.Tail.Base != v.Tail.Base {
		n += v.Tail.Memory()
	}
	return n
}

// Reclaim starts a garbage collection in the background if commits have dropped many segments. It
// is called at the end of a statement. Segments that are still referenced, for example by another
// transaction's snapshot, are kept.
func (s *Store) Reclaim() {
	n, handled := s.dropped.bytes.Load(), s.dropped.handled.Load()
	if n < handled {
		s.dropped.handled.CompareAndSwap(handled, n)
		handled = n
	}
	if n-handled < reclaimBytes || n-handled < liveBytes()/reclaimPart {
		return
	}
	if s.dropped.handled.CompareAndSwap(handled, n) {
		time.AfterFunc(reclaimAfter, runtime.GC)
	}
}

// liveBytes returns the size of the live heap after the last collection.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// reliefBytes is the number of bytes that must have been charged since the last collection for
// another one to pay.
const reliefBytes = 4 << 20

// relief is the state at the last collection that was started because an account was full.
type relief struct {
	mu      sync.Mutex
	held    int64 // bytes ever charged for tables
	dropped int64 // bytes of dropped tables that were still referenced

	undone atomic.Bool // writes have been undone since
}

// relieve makes the garbage collector free memory that was charged for tables and is no longer
// referenced: dropped tables and the rows of failed statements. The account calls it before it
// refuses a reservation.
func (s *Store) relieve() {
	r := &s.relief
	r.mu.Lock()
	defer r.mu.Unlock()
	held, undone := s.mem.Held(), r.undone.Swap(false)
	if held-r.held < reliefBytes && s.dropped.bytes.Load() <= r.dropped && !undone {
		return // nothing new to collect since the last collection
	}
	s.mem.Collect()
	r.held, r.dropped = held, s.dropped.bytes.Load()
}
