package main

import "runtime"

// floorBytes counts as live memory, so that the garbage collector lets as much garbage gather
// between its cycles: short statements leave little alive, and would pay for a cycle every few
// megabytes. Nobody writes to it: it takes no memory.
const floorBytes = 128 << 20

// heapFloor is that memory while there is room for so much garbage.
type heapFloor []byte

var floor heapFloor

// fit makes room for garbage, or where statements may hold few times as much none. limit is
// gsql_memory_limit, 0 for none.
func (f *heapFloor) fit(limit int64) {
	room := limit == 0 || limit >= 4*floorBytes
	switch {
	case room && *f == nil:
		*f = make([]byte, floorBytes)
	case !room && *f != nil:
		*f = nil
		runtime.GC() // the next cycle would come when as much has gathered as there was room for
	}
}
