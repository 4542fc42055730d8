package mem

import (
	"strings"
	"unsafe"
)

// Heap returns n bytes of the Go heap, aligned to words, with arbitrary contents; the collector
// frees them. It is for memory that may be shared for an unknown time, such as the columns of
// tables; an operator uses a Buffer for memory that only it holds.
func Heap(n int) []byte {
	// Unlike make, a builder does not clear its memory.
	var b strings.Builder
	b.Grow(max((n+7)&^7, 16)) // smaller ones would lie among other small objects, unaligned
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:n]
}
