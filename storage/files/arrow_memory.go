package files

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Of a byte in an Arrow file no more than mostUnpacked bytes of memory can come, which is
// more than its compressions reach; a small file may take leastBound all the same.
const (
	mostUnpacked = 1 << 12
	leastBound   = 1 << 20
)

// boundedAllocator refuses what no file of that size can want, but a damaged one may ask for.
// It panics, as decoders have no errors for that.
type boundedAllocator struct {
	memory.Allocator
	limit int64 // bytes at once
}

func boundedBy(fileSize int64) *boundedAllocator {
	return &boundedAllocator{memory.DefaultAllocator, leastBound + fileSize*mostUnpacked}
}

// Allocate implements memory.Allocator.
func (a *boundedAllocator) Allocate(n int) []byte {
	a.check(n)
	return a.Allocator.Allocate(n)
}

// Reallocate implements memory.Allocator.
func (a *boundedAllocator) Reallocate(n int, b []byte) []byte {
	a.check(n)
	return a.Allocator.Reallocate(n, b)
}

func (a *boundedAllocator) check(n int) {
	if int64(n) > a.limit {
		panic(fmt.Sprintf("it asks for %d bytes of memory", n))
	}
}
