package mem

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"gsql/internal/cputime"
)

// By default, the garbage collector lets garbage grow to a share of what is alive, and the heap
// keeps the pages of what it has collected. Under a limit, garbage may fill the memory that the
// limit leaves unused, plus garbagePart of the limit; then it is collected, and free pages are
// returned to the system if the heap has kept many. Collections pause in between, so that they use
// at most a certain part of the process's processor time, which unlike wall-clock time does not
// advance faster on a busy machine.
const (
	lookBytes    = 1 << 20 // bytes noted between two checks of the heap, at least
	looks        = 64      // checks per limit's worth of noted bytes, at most
	garbagePart  = 8       // of a limit: garbage for which a collection pays
	leastGarbage = 8 << 20 // garbage for which a collection pays, however low the limit
	restFactor   = 2       // multiples of a collection's processor time that the process uses before the next one
	freePart     = 4       // of a limit: free pages that the heap may keep
	leastFree    = 8 << 20 // free pages that the heap may keep, however low the limit
)

// Huge texts, or many workers, may take a process far beyond a limit before the next collection is due. If
// collections are cheap, it is then made at once, and others wait for it instead of making more garbage.
const (
	noted   = 16 << 10              // bytes discarded at once, from which they are noted
	farPart = 4                     // of a limit: garbage and free pages in addition to garbagePart
	cheap   = 50 * time.Millisecond // processor time of a cheap collection, at least
	perMB   = time.Millisecond      // processor time of a cheap collection for each MB of a limit
)

// pacer paces the collections that accounts request: all statements of the process share its heap.
var pacer struct {
	mu   sync.Mutex    // held while collecting
	next time.Duration // processor time of the process before which there is no collection, unless it is far beyond a limit
	cost atomic.Int64  // processor time of the last collection that returned no pages
	dead dead
}

// dead counts the bytes of objects that were discarded since the last collection, at which most of them were
// still alive.
type dead struct {
	mu     sync.Mutex
	cycles uint64 // collections before
	bytes  int64
}

// Discard is Release for objects of the Go heap: it notes them as garbage, unless they are small.
func (a *Account) Discard(n int64) {
	if a == nil {
		return
	}
	a.Release(n)
	if n >= noted {
		cycles := collections()
		pacer.dead.mu.Lock()
		defer pacer.dead.mu.Unlock()
		if pacer.dead.cycles != cycles {
			pacer.dead.cycles, pacer.dead.bytes = cycles, 0
		}
		pacer.dead.bytes += n
	}
}

// since returns the bytes discarded since a number of collections.
func (d *dead) since(cycles uint64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cycles != cycles {
		return 0
	}
	return d.bytes
}

// Pace notes n bytes that were charged to a, or moved to or from disk for lack of memory. Both
// leave garbage behind, such as texts, batches, pages that were read and columns that were
// replaced. If garbage makes the process larger than a limit of a or of an account above it allows,
// it is collected: see the constants. Without a limit nothing happens.
func (a *Account) Pace(n int64) {
	if a == nil || n <= 0 {
		return
	}
	sum := a.paced.Add(n)
	if sum/lookBytes == (sum-n)/lookBytes {
		return
	}
	limit := a.LowestLimit()
	look := max(limit/looks, lookBytes)
	if limit == 0 || sum/look == (sum-n)/look {
		return
	}
	collectIfDue(a)
}

// isFar reports whether the process is far beyond a limit of a or of an account above it, and collections
// are cheap.
func isFar(a *Account) bool {
	heap := readHeap()
	limit := a.passedWith(heap.garbage)
	if pacer.cost.Load() > int64(max(cheap, time.Duration(limit>>20)*perMB)) {
		return false
	}
	return limit > 0 && a.passedWith(heap.garbage+heap.free-limit/farPart) > 0
}

// collectIfDue collects garbage if there is enough for a, and the last collection was long enough ago or the process
// is far beyond a limit. If it is, and another goroutine collects, it waits for that.
func collectIfDue(a *Account) {
	if !pacer.mu.TryLock() {
		if !isFar(a) {
			return
		}
		pacer.mu.Lock()
	}
	defer pacer.mu.Unlock()
	start := cputime.Used()
	if start < pacer.next && !isFar(a) {
		return
	}
	heap := readHeap()
	tight := a.passedWith(heap.garbage)
	if tight == 0 {
		return
	}
	returns := heap.free > max(tight/freePart, leastFree)
	if returns {
		debug.FreeOSMemory() // which also collects
	} else {
		runtime.GC()
	}
	end := cputime.Used()
	pacer.next = end + restFactor*(end-start)
	if !returns {
		pacer.cost.Store(int64(end - start))
	}
}

// LowestLimit returns the lowest limit of a and the accounts above it, or 0 if there is none. a may
// be nil.
func (a *Account) LowestLimit() int64 {
	lowest := int64(0)
	for x := a; x != nil; x = x.parent {
		if limit := x.limit.Load(); limit > 0 && (lowest == 0 || limit < lowest) {
			lowest = limit
		}
	}
	return lowest
}

// passedWith returns the first limit of a and the accounts above it that is exceeded by what they
// hold plus the given garbage, or 0 if there is none or collecting would not pay.
func (a *Account) passedWith(garbage int64) int64 {
	for x := a; x != nil; x = x.parent {
		limit := x.limit.Load()
		if limit > 0 && x.Used()+garbage > limit && garbage > max(limit/garbagePart, leastGarbage) {
			return limit
		}
	}
	return 0
}

// heapState is what pages of the Go heap are used for, in bytes.
type heapState struct {
	garbage int64 // objects that were dead at the last collection, or have been allocated or discarded since
	free    int64 // pages without objects that the process keeps
}

func readHeap() heapState {
	sample := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: cyclesMetric},
	}
	metrics.Read(sample)
	bytes := func(i int) int64 { return int64(sample[i].Value.Uint64()) }
	garbage := bytes(0) - bytes(1) + pacer.dead.since(sample[3].Value.Uint64())
	return heapState{garbage: min(garbage, bytes(0)), free: bytes(2)}
}

const cyclesMetric = "/gc/cycles/total:gc-cycles"

// collections returns the number of collections so far.
func collections() uint64 {
	sample := []metrics.Sample{{Name: cyclesMetric}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
