package main

import (
	"os"
	"runtime/debug"
)

// floorBytes counts as live memory, so that the garbage collector lets as much garbage gather
// between its cycles: short statements leave little alive, and would pay for a cycle every few
// megabytes. It is never written to, so it takes no memory.
const floorBytes = 128 << 20

// heapFloor is that memory while there is room for so much garbage.
type heapFloor []byte

var floor heapFloor

// scarceGarbage is GOGC where memory is limited.
const scarceGarbage = 50

// fit makes room for garbage, or where statements may hold few times as much none, and has it
// collected more often. limit is gsql_memory_limit, 0 for none; GOGC is obeyed where it is set.
func (f *heapFloor) fit(limit int64) {
	room := limit == 0 || limit >= 4*floorBytes
	switch {
	case room && *f == nil:
		*f = make([]byte, floorBytes)
		collectAt(100)
	case !room && *f != nil:
		*f = nil
		collectAt(scarceGarbage)
		debug.FreeOSMemory() // the next cycle would come when as much has gathered as there was room for
	}
}

func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
