package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/internal/mem"
	"gsql/storage/files/format"
)

// A byte of an Arrow file unpacks to at most mostUnpacked bytes of memory, which exceeds the
// ratios of its compressions. Files of any size may allocate leastBound.
const (
	mostUnpacked = 1 << 12
	leastBound   = 1 << 20
)

// mostFree is the greatest number of bytes in the file of a record for which memory is not charged.
const mostFree = 1 << 20

// boundedAllocator refuses allocations that only a damaged file of its size may request. It
// panics because allocators return no errors. It charges the memory of a record beyond the usual.
type boundedAllocator struct {
	memory.Allocator
	limit int64 // bytes at once

	packed int64 // approximate bytes of the file that a record occupies
	bytes  int64 // allocated for the current record
	held   format.Hold
}

func boundedBy(fileSize int64, account *mem.Account) *boundedAllocator {
	return &boundedAllocator{Allocator: memory.DefaultAllocator, limit: leastBound + fileSize*mostUnpacked, held: format.Hold{Account: account}}
}

// read sets the number of bytes of the file that a record may occupy.
func (a *boundedAllocator) read(n int64) { a.packed = n }

// taken returns the reservation of the current record and starts a new one.
func (a *boundedAllocator) taken() format.Hold {
	h := a.held
	a.bytes, a.held = 0, format.Hold{Account: h.Account}
	return h
}

// Allocate implements memory.Allocator.
func (a *boundedAllocator) Allocate(n int) []byte {
	a.check(n)
	a.charge(n)
	return a.Allocator.Allocate(n)
}

// Reallocate implements memory.Allocator.
func (a *boundedAllocator) Reallocate(n int, b []byte) []byte {
	a.check(n)
	a.charge(n - len(b))
	return a.Allocator.Reallocate(n, b)
}

func (a *boundedAllocator) check(n int) {
	if int64(n) > a.limit {
		panic(format.Fault(fmt.Sprintf("it asks for %d bytes of memory", n)))
	}
}

func (a *boundedAllocator) charge(n int) {
	a.bytes += int64(n)
	if err := a.held.SetUnpacked(a.bytes, min(a.packed, mostFree)); err != nil {
		panic(err)
	}
}
