package arrowvec

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Recycler is an Arrow allocator on the Go heap that, unlike Arrow's own, reuses the memory of
// released buffers. A stream of records then only takes the memory of a few records and stays in
// the CPU cache. The garbage collector frees buffers that are never released. The zero value is
// ready to use. It is safe for concurrent use.
type Recycler struct {
	free [leastShift + shifts]sync.Pool // by the base-2 logarithm of the size
}

// Sizes of pooled buffers, as powers of two: smaller buffers cost the heap little, and larger
// ones are rare. All are multiples of the 64 bytes to which Arrow aligns.
const (
	leastShift = 12
	shifts     = 12
)

// Allocate implements memory.Allocator. The memory may hold old values.
func (r *Recycler) Allocate(size int) []byte {
	shift := max(leastShift, bits.Len(uint(max(size, 1)-1)))
	if size < 1<<leastShift/2 || shift >= len(r.free) {
		return memory.DefaultAllocator.Allocate(size)
	}
	if old, ok := r.free[shift].Get().(*byteBlock); ok {
		return old.b[:size]
	}
	return make([]byte, size, 1<<shift)
}

// byteBlock holds a buffer's memory, because pools store pointers without allocating.
type byteBlock struct{ b []byte }

// Reallocate implements memory.Allocator.
func (r *Recycler) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	out := r.Allocate(size)
	copy(out, b)
	r.Free(b)
	return out
}

// Free implements memory.Allocator.
func (r *Recycler) Free(b []byte) {
	shift := bits.Len(uint(cap(b))) - 1
	if shift >= leastShift && shift < len(r.free) && cap(b) == 1<<shift {
		r.free[shift].Put(&byteBlock{b[:0]})
	}
}
