package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestHeapFollowsTheMemoryLimit checks that the heap has a limit near a low gsql_memory_limit, and
// none afterwards. It uses the command's floor, since one of its own would count as live memory.
func TestHeapFollowsTheMemoryLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const limit = 64 << 20
	floor.fit(0)
	for _, step := range []struct{ limit, least, most int64 }{
		{limit, limit + headroom, limit + headroom + floorBytes/2}, // the floor is no longer alive
		{0, math.MaxInt64, math.MaxInt64},
		{limit, limit + headroom, limit + headroom + floorBytes/2},
		{1 << 40, math.MaxInt64, math.MaxInt64},
	} {
		floor.fit(step.limit)
		if got := debug.SetMemoryLimit(-1); got < step.least || got > step.most {
			t.Errorf("gsql_memory_limit %d: the heap's limit is %d, not within %d and %d", step.limit, got, step.least, step.most)
		}
	}
}
