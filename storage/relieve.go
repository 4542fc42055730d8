package storage

import (
	"sync"
	"sync/atomic"
)

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
