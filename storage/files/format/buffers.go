package format

import (
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"gsql/internal/mem"
)

// freeBuffers recycles buffers by size class: eight sizes for each power of two.
var freeBuffers [8 * 64]sync.Pool

// classOf returns the size class of buffers for n bytes, and the buffer size of that class, which
// exceeds n by at most an eighth.
func classOf(n int) (class, size int) {
	n = max(n, 1<<10)
	shift := bits.Len(uint(n)) - 4
	size = (n + 1<<shift - 1) &^ (1<<shift - 1)
	shift = bits.Len(uint(size)) - 4
	return shift*8 + size>>shift&7, size
}

// Buffers is recycled memory in which some rows of a file are decoded. It returns to the pool
// once they have been read. It is safe for concurrent use.
type Buffers struct {
	Held Hold // charge for unpacked data beyond the usual

	mu       sync.Mutex
	bufs     [][]byte
	packed   int64 // bytes read from the file
	unpacked int64 // bytes of unpacked data held at present
}

// Read records that n bytes of the file have been read.
func (b *Buffers) Read(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.packed += n
}

// Unpack records that n more bytes are about to be unpacked, or, if n is negative, that fewer are
// held. The error is 1037. A nil b counts nothing.
func (b *Buffers) Unpack(n int64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.Held.SetUnpacked(b.unpacked+n, b.packed); err != nil {
		return err
	}
	b.unpacked += n
	return nil
}

// Take returns n bytes with undefined contents.
func (b *Buffers) Take(n int) []byte {
	class, size := classOf(n)
	var buf []byte
	if p, ok := freeBuffers[class].Get().(*[]byte); ok {
		buf = *p
	} else {
		buf = make([]byte, size)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bufs = append(b.bufs, buf)
	return buf[:n]
}

// Return returns a buffer to the pool before the others.
func (b *Buffers) Return(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, x := range b.bufs {
		if unsafe.SliceData(x) == unsafe.SliceData(buf) {
			recycle(x)
			b.bufs = slices.Delete(b.bufs, i, i+1)
			return
		}
	}
}

func recycle(buf []byte) {
	mem.Poison(buf)
	class, _ := classOf(len(buf))
	freeBuffers[class].Put(&buf)
}

// Free returns all buffers to the pool and releases the reservation.
func (b *Buffers) Free() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, buf := range b.bufs {
		recycle(buf)
	}
	b.bufs, b.packed, b.unpacked = nil, 0, 0
	_ = b.Held.Set(0) // releasing never fails
}

// Len returns the number of buffers taken.
func (b *Buffers) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.bufs)
}
