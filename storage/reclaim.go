package storage

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"gsql/storage/segment"
)

const (
	// reclaimBytes and reclaimPart, of what is alive, are how much must have been dropped for a
	// collection of its own to pay.
	reclaimBytes = 64 << 20
	reclaimPart  = 4
	// reclaimAfter is when it begins: the statement that dropped a table still refers to it
	// while it ends.
	reclaimAfter = 2 * time.Millisecond
	// noticedBytes is how much a commit drops at least to be counted.
	noticedBytes = 1 << 20
)

// dropped counts segments that no committed state has any more. The collector comes of itself
// only when as much garbage has gathered as is alive; until then the next large table would take
// fresh memory in addition to that of the one it replaces.
type dropped struct {
	bytes   atomic.Int64 // as far as the collector has not freed them
	handled atomic.Int64 // of these, at most: there was a collection for them
}

// count records that now, or nothing if it is nil, has replaced was.
func (d *dropped) count(was, now *version) {
	if was == nil {
		return
	}
	n := was.memoryBeside(now)
	if n < noticedBytes {
		return
	}
	d.bytes.Add(n)
	runtime.AddCleanup(was, func(n int64) { d.bytes.Add(-n) }, n)
}

// memoryBeside returns the bytes of the segments and the tail that v has and now, a later version or
// nil, has not.
func (v *version) memoryBeside(now *version) int64 {
	var kept []segment.Sealed
	if now != nil {
		kept = now.segs
	}
	n := int64(0)
	for i := range v.segs {
		s := &v.segs[i]
		for len(kept) > 0 && kept[0].Base < s.Base {
			kept = kept[1:]
		}
		if len(kept) == 0 || kept[0].Segment != s.Segment {
			n += s.Bytes
		}
	}
	if now == nil || now.tail.Base != v.tail.Base {
		n += v.tail.Memory()
	}
	return n
}

// Reclaim has the garbage collector free, in the background, the segments that commits have
// dropped, if they are many. It is for the end of a statement: what still refers to them, such
// as another transaction's snapshot, keeps them.
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

// liveBytes returns what the last collection left.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
