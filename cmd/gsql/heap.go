package main

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// floorBytes counts as live memory. It makes the garbage collector wait for that much garbage
// between cycles: short statements keep little alive and would otherwise pay for a cycle every few
// megabytes. It is never written to, so it takes no physical memory.
const floorBytes = 128 << 20

// heapFloor is that memory, or nil while memory is limited.
type heapFloor []byte

var floor heapFloor

const (
	// scarceGarbage is GOGC while memory is limited.
	scarceGarbage = 50
	// headroom is the garbage that the heap may hold beyond its live memory and the memory that a
	// statement may use, as long as the collector keeps up.
	headroom = 4 << 20
)

// fit allocates the floor, or frees it if statements may only use a few times as much. Garbage is
// then collected more often, and at once if the heap would outgrow its live memory plus the limit
// and headroom. limit is gsql_memory_limit, 0 for none. GOGC and GOMEMLIMIT are obeyed if they are
// set.
func (f *heapFloor) fit(limit int64) {
	room := limit == 0 || limit >= 4*floorBytes
	switch {
	case room && *f == nil:
		*f = make([]byte, floorBytes)
		collectAt(100)
		limitHeap(math.MaxInt64)
	case !room && *f != nil:
		*f = nil
		collectAt(scarceGarbage)
		debug.FreeOSMemory() // otherwise the next cycle would wait for as much garbage as the floor allowed
	}
	if !room {
		limitHeap(liveHeap() + limit + headroom)
	}
}

func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func limitHeap(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}

// liveHeap returns the bytes that the last collection found alive, such as tables.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(live[0].Value.Uint64())
}
