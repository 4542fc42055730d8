package mem

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

var poisoning atomic.Bool

// PoisonFreed makes freed memory hold nonsense from now on, so that tests notice code that reads
// memory it no longer owns: otherwise such memory keeps the right values for a while. Mappings that
// are written to after they were freed, or freed twice, then cause panics, and so do accounts that
// release more than they took.
func PoisonFreed() { poisoning.Store(true) }

// Poison writes nonsense to memory whose owner releases it, if PoisonFreed was called. T has no pointers.
func Poison[T any](s []T) {
	if !poisoning.Load() || len(s) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
	for i := range bytes {
		bytes[i] = nonsense
	}
}

const nonsense = 0xdb

// check panics if a mapping without an owner was written to.
func (k kept) check() {
	if !k.poisoned {
		return
	}
	for i, b := range k.m {
		if b != nonsense {
			panic(fmt.Sprintf("byte %d of a mapping of %d was written after it was freed", i, len(k.m)))
		}
	}
}

// refuseTwice panics if a mapping that is about to be kept is already kept. Only kept mappings of
// the same size are compared. The caller holds r's lock.
func (r *recycler) refuseTwice(m []byte) {
	if !poisoning.Load() {
		return
	}
	for _, k := range r.free[len(m)] {
		if &k.m[0] == &m[0] {
			panic(fmt.Sprintf("a mapping of %d bytes was freed twice", len(m)))
		}
	}
}
