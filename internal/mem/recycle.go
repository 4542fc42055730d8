package mem

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Freed mappings are kept for a while, because the kernel takes far longer to hand out
// fresh pages (a fault and a cleared page each, in virtual machines often a fault of
// the host too) than a buffer takes to be cleared.
const (
	keepBytes = 1 << 30         // the most that is kept
	keepTime  = 2 * time.Second // without a buffer asked for or freed, all is returned
	pageBytes = 1 << 16         // mappings are multiples of it, so that sizes recur
)

// recycler holds mappings nobody uses, the one freed last at the end.
type recycler struct {
	mu    sync.Mutex
	free  [][]byte
	bytes int
	timer *time.Timer
}

var recycled recycler

// roundUp gives the size of the mapping for n bytes.
func roundUp(n int) int { return (n + pageBytes - 1) &^ (pageBytes - 1) }

// take gives a kept mapping of n bytes or up to a quarter more, nil when there is
// none. Its contents are whatever they were.
func (r *recycler) take(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	best := -1
	for i, m := range r.free {
		if len(m) >= n && len(m) <= n+n/4 && (best < 0 || len(m) <= len(r.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	m := r.free[best]
	r.remove(best)
	return m
}

func (r *recycler) remove(i int) {
	r.bytes -= len(r.free[i])
	r.free = append(r.free[:i], r.free[i+1:]...)
}

// put keeps m, at the cost of those kept longest.
func (r *recycler) put(m []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(m) > keepBytes {
		unmap(m)
		return
	}
	for r.bytes+len(m) > keepBytes {
		unmap(r.free[0])
		r.remove(0)
	}
	r.free = append(r.free, m)
	r.bytes += len(m)
	if r.timer == nil {
		r.timer = time.AfterFunc(keepTime, r.drop)
	} else {
		r.timer.Reset(keepTime)
	}
}

// drop returns all kept mappings to the kernel.
func (r *recycler) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.free {
		unmap(m)
	}
	r.free, r.bytes = nil, 0
}

// mapping gives n zeroed bytes outside the Go heap; n is a multiple of pageBytes and
// the mapping may be longer.
func mapping(n int) ([]byte, error) {
	if m := recycled.take(n); m != nil {
		clear(m[:n])
		return m, nil
	}
	m, err := mapFresh(n)
	if err != nil { // what is kept may be what is missing
		recycled.drop()
		m, err = mapFresh(n)
	}
	return m, err
}

func mapFresh(n int) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		_ = unix.Madvise(m, unix.MADV_HUGEPAGE) // a wish: without it only speed is lost
	}
	return m, err
}

func unmap(m []byte) {
	_ = unix.Munmap(m) // fails only for a mapping that is not ours
}
