package main

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// floorBytes counts as live memory, so that the garbage collector lets as much garbage gather
// between its cycles: short statements leave little alive, and would pay for a cycle every few
// megabytes. It is never written to, so it takes no memory.
const floorBytes = 128 << 20

// heapFloor is that memory while there is room for so much garbage.
type heapFloor []byte

var floor heapFloor

const (
	// scarceGarbage is GOGC while memory is limited.
	scarceGarbage = 50
	// headroom is the garbage that the heap may hold, as long as the collector keeps up, beyond what
	// lives on it and what a statement may take.
	headroom = 16 << 20
)

// fit makes room for garbage, or none if statements may take only a few times as much: then garbage
// is collected more often, and at once where the heap would outgrow what is alive, the limit and
// headroom. limit is gsql_memory_limit, 0 for none. GOGC and GOMEMLIMIT are obeyed where they are set.
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
		debug.FreeOSMemory() // the next cycle would come when as much has gathered as there was room for
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
