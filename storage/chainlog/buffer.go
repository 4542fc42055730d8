package chainlog

import "gsql/internal/mem"

// keptBuffer is the size above which an empty buffer is freed.
const keptBuffer = 1 << 20

// buffer collects the bytes of records outside the Go heap.
type buffer struct {
	mem *mem.Buffer[byte]
	n   int
}

// extend returns n more bytes, with arbitrary contents.
func (b *buffer) extend(account *mem.Account, n int) ([]byte, error) {
	if err := mem.Room(account, &b.mem, b.n+n); err != nil {
		return nil, err
	}
	b.n += n
	return b.mem.S[b.n-n : b.n], nil
}

// bytes returns what the buffer contains.
func (b *buffer) bytes() []byte {
	if b.n == 0 {
		return nil
	}
	return b.mem.S[:b.n]
}

// reset empties the buffer and frees a large one.
func (b *buffer) reset() {
	b.n = 0
	if b.mem != nil && len(b.mem.S) > keptBuffer {
		b.free()
	}
}

// free returns the buffer's memory.
func (b *buffer) free() {
	b.mem.Free()
	*b = buffer{}
}
