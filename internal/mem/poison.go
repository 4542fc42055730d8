package mem

import (
	"sync/atomic"
	"unsafe"
)

var poisoning atomic.Bool

// PoisonFreed makes freed memory hold nonsense from now on, so that tests notice who still
// reads what is not its own any more: without it that holds the right values for a while.
func PoisonFreed() { poisoning.Store(true) }

// Poison writes nonsense to memory whose owner gives it away, where PoisonFreed was called. T has no pointers.
func Poison[T any](s []T) {
	if !poisoning.Load() || len(s) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
	for i := range bytes {
		bytes[i] = 0xdb
	}
}
