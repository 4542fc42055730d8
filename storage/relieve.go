package storage

import (
	"sync"
	"sync/atomic"
)

// reliefBytes is how much must have been charged since the last collection for another one to be
// worth its time.
const reliefBytes = 4 << 20

// relief is the state when memory was last freed for a full account.
type relief struct {
	mu      sync.Mutex
	held    int64 // ever charged for tables
	dropped int64 // of dropped tables, still referred to

	undone atomic.Bool // writes were taken back since
}

// relieve has the garbage collector free what tables were charged for and nothing refers to any
// more: dropped tables, rows of statements that failed. The account calls it before it refuses
// a reservation.
func (s *Store) relieve() {
	r := &s.relief
	r.mu.Lock()
	defer r.mu.Unlock()
	held, undone := s.mem.Held(), r.undone.Swap(false)
	if held-r.held < reliefBytes && s.dropped.bytes.Load() <= r.dropped && !undone {
		return // what there is was there after the last collection, too
	}
	s.mem.Collect()
	r.held, r.dropped = held, s.dropped.bytes.Load()
}
