package mem

import (
	"strings"
	"unsafe"
)

// Heap returns n bytes of the Go heap, which the collector frees, aligned to words; they hold
// anything. It is for what may be shared for an unknown time, such
// as the columns of tables; what an operator holds itself is a Buffer.
func Heap(n int) []byte {
	// A builder's memory, unlike that of make, is not cleared.
	var b strings.Builder
	b.Grow(max((n+7)&^7, 16)) // less would lie among other small things, not aligned
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:n]
}
