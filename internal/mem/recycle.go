package mem

import (
	"cmp"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// Freed mappings are kept for a while, because the kernel takes far longer to provide fresh pages
// (a fault and a cleared page each, in virtual machines often a fault of the host too) than it
// takes to clear a buffer.
const (
	keepBytes = 1 << 30         // most bytes kept
	keepPart  = 4               // of a limit: most bytes kept
	fullPart  = 16              // of a limit: bytes kept even if it is used up
	keepLeast = 1 << 21         // bytes kept whatever the limit
	keepTime  = 2 * time.Second // all mappings are returned after this time without an allocation or a release
	slabBytes = 1 << 21         // a huge page, from which small mappings are cut
	maxCut    = slabBytes / 4   // the largest mapping that is cut from a slab
	pageBytes = 1 << 12         // of the kernel: mappings are multiples of it
)

// recycler holds unused mappings by their sizes, and those of a size by age.
type recycler struct {
	mu    sync.Mutex
	free  map[int][]kept
	bytes int
	freed uint64 // mappings created so far
	slab  []byte // the unused rest of the last slab
	timer *time.Timer
}

// kept is a mapping and when it was freed.
type kept struct {
	m        []byte
	at       uint64
	poisoned bool // m holds nonsense
}

var recycled recycler

// held counts the mappings of buffers that have not been freed.
var held atomic.Int64

// Mappings returns the number of mappings outside the Go heap in buffers that have not been freed.
// When no query runs, any that remain are leaked.
func Mappings() int64 { return held.Load() }

// roundUp returns the size of the mapping for n bytes, at least offHeap: there are eight
// sizes between powers of two, so that sizes recur.
func roundUp(n int) int {
	step := max(1<<(bits.Len(uint(n-1))-4), pageBytes)
	return (n + step - 1) &^ (step - 1)
}

// take returns a kept mapping of n bytes or up to a quarter more, or nil if there is none. Its
// contents are arbitrary.
func (r *recycler) take(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for size := n; size <= n+n/4; size = roundUp(size + 1) {
		if list := r.free[size]; len(list) > 0 {
			return r.remove(size, len(list)-1)
		}
	}
	return nil
}

func (r *recycler) remove(size, i int) []byte {
	list := r.free[size]
	k := list[i]
	r.free[size] = append(list[:i], list[i+1:]...)
	r.bytes -= size
	k.check()
	return k.m
}

// mostKept returns how many bytes of mappings may be kept: what a's limits leave unused, within
// bounds.
func (a *Account) mostKept() int {
	most := int64(keepBytes)
	for x := a; x != nil; x = cmp.Or(x.parent, x.payer) {
		if limit := x.limit.Load(); limit > 0 {
			most = min(most, max(min(limit/keepPart, limit-x.Used()), limit/fullPart, keepLeast))
		}
	}
	return int(most)
}

// put keeps m and drops the mappings kept longest until at most most bytes remain.
func (r *recycler) put(m []byte, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuseTwice(m)
	Poison(m)
	if len(m) > most {
		unmap(m)
		return
	}
	for r.bytes+len(m) > most {
		unmap(r.remove(r.oldest(), 0))
	}
	if r.free == nil {
		r.free = make(map[int][]kept)
	}
	r.freed++
	r.free[len(m)] = append(r.free[len(m)], kept{m, r.freed, poisoning.Load()})
	r.bytes += len(m)
	r.wait()
}

// wait postpones the time at which all mappings are returned.
func (r *recycler) wait() {
	if r.timer == nil {
		r.timer = time.AfterFunc(keepTime, r.drop)
	} else {
		r.timer.Reset(keepTime)
	}
}

// oldest returns the size of the mapping that has been kept longest.
func (r *recycler) oldest() int {
	size, at := 0, uint64(math.MaxUint64)
	for s, list := range r.free {
		if len(list) > 0 && list[0].at < at {
			size, at = s, list[0].at
		}
	}
	return size
}

// drop returns all kept mappings to the kernel.
func (r *recycler) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, list := range r.free {
		for _, k := range list {
			k.check()
			unmap(k.m)
		}
	}
	r.free, r.bytes = nil, 0
	r.dropSlab()
}

func (r *recycler) dropSlab() {
	if len(r.slab) > 0 {
		unmap(r.slab)
	}
	r.slab = nil
}

// cut returns n fresh bytes, at most maxCut, of a slab: one page fault serves many mappings. They
// are unmapped like any others.
func (r *recycler) cut(n int) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.slab) < n {
		r.dropSlab()
		m, err := mapFresh(slabBytes)
		if err != nil {
			return nil, err
		}
		r.slab = m
	}
	m := r.slab[:n:n]
	r.slab = r.slab[n:]
	r.wait()
	return m, nil
}

// mapping returns n bytes outside the Go heap, zeroed if requested. n comes from roundUp, and the
// mapping may be longer.
func mapping(n int, zeroed bool) ([]byte, error) {
	if m := recycled.take(n); m != nil {
		if zeroed {
			clear(m[:n])
		}
		return m, nil
	}
	m, err := fresh(n)
	if err != nil { // the kept mappings may be what is missing
		recycled.drop()
		m, err = fresh(n)
	}
	return m, err
}

func fresh(n int) ([]byte, error) {
	if n <= maxCut && splittable {
		return recycled.cut(n)
	}
	return mapFresh(n)
}
