package files

import (
	"math/bits"
	"sync"

	"gsql/internal/mem"
)

// freePages keep memory that column chunks and pages were unpacked into, by class: eight
// sizes for each power of two.
var freePages [8 * 64]sync.Pool

// classOf gives the class of buffers for n bytes and their size, at most an eighth more.
func classOf(n int) (class, size int) {
	n = max(n, 1<<10)
	shift := bits.Len(uint(n)) - 4
	size = (n + 1<<shift - 1) &^ (1<<shift - 1)
	shift = bits.Len(uint(size)) - 4
	return shift*8 + size>>shift&7, size
}

// borrowed is memory of a row group that goes back to the pool when its rows have been read.
type borrowed struct {
	mu   sync.Mutex
	bufs [][]byte
}

// take gives n bytes of arbitrary contents.
func (b *borrowed) take(n int) []byte {
	class, size := classOf(n)
	var buf []byte
	if p, ok := freePages[class].Get().(*[]byte); ok {
		buf = *p
	} else {
		buf = make([]byte, size)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bufs = append(b.bufs, buf)
	return buf[:n]
}

// giveBack returns all that was taken.
func (b *borrowed) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, buf := range b.bufs {
		mem.Poison(buf)
		class, _ := classOf(len(buf))
		freePages[class].Put(&buf)
	}
	b.bufs = nil
}
