package crashfs

import (
	"bytes"
	"sync/atomic"
)

// chunkSize is the unit in which contents are shared between the states of a file.
const chunkSize = 4096

// generation is a number that no other file system has. Chunks that carry a file system's
// generation belong to it alone; others are shared and copied before they are changed.
type generation uint64

var lastGeneration atomic.Uint64

// newGeneration returns a fresh one, which disowns whatever was owned under the one before.
func newGeneration() generation { return generation(lastGeneration.Add(1)) }

// chunk is a part of a content.
type chunk struct {
	owner generation
	bytes [chunkSize]byte
}

// content is the bytes of a file. A copy of it shares the chunks, so the generation must change
// after it was copied. Chunks that are nil are zero.
type content struct {
	size   int64
	owner  generation // of the slice
	chunks []*chunk
}

// own makes the slice of chunks n long and the content's own.
func (c *content) own(gen generation, n int) {
	if c.owner == gen && n <= cap(c.chunks) {
		c.chunks = c.chunks[:n]
		return
	}
	chunks := make([]*chunk, n, n+n/4)
	copy(chunks, c.chunks)
	c.chunks, c.owner = chunks, gen
}

// chunk returns the i-th chunk, made writable.
func (c *content) chunk(gen generation, i int) *chunk {
	switch old := c.chunks[i]; {
	case old == nil:
		c.chunks[i] = &chunk{owner: gen}
	case old.owner != gen:
		fresh := *old
		fresh.owner = gen
		c.chunks[i] = &fresh
	}
	return c.chunks[i]
}

// write puts data at a place.
func (c *content) write(gen generation, data []byte, at int64) {
	if len(data) == 0 {
		return
	}
	c.own(gen, max(len(c.chunks), int((at+int64(len(data))+chunkSize-1)/chunkSize)))
	c.size = max(c.size, at+int64(len(data)))
	for len(data) > 0 {
		i, from := int(at/chunkSize), int(at%chunkSize)
		n := min(len(data), chunkSize-from)
		if c.chunks[i] != nil || !isZero(data[:n]) {
			copy(c.chunk(gen, i).bytes[from:], data[:n])
		}
		data, at = data[n:], at+int64(n)
	}
}

// truncate changes the size.
func (c *content) truncate(gen generation, size int64) {
	n := int((size + chunkSize - 1) / chunkSize)
	if size < c.size {
		c.own(gen, len(c.chunks))
		clear(c.chunks[min(n, len(c.chunks)):]) // what the slice may regain is zero
		if rest := size % chunkSize; rest != 0 && c.chunks[n-1] != nil {
			clear(c.chunk(gen, n-1).bytes[rest:])
		}
	}
	c.own(gen, n)
	c.size = size
}

// read copies bytes from a place and returns how many there were.
func (c *content) read(b []byte, at int64) int {
	if at >= c.size {
		return 0
	}
	n := int(min(int64(len(b)), c.size-at))
	for done := 0; done < n; {
		i, from := int((at+int64(done))/chunkSize), int((at+int64(done))%chunkSize)
		part := b[done:min(n, done+chunkSize-from)]
		if c.chunks[i] == nil {
			clear(part)
		} else {
			copy(part, c.chunks[i].bytes[from:])
		}
		done += len(part)
	}
	return n
}

// isZero reports whether all bytes of a part of a chunk are zero.
func isZero(b []byte) bool { return bytes.Equal(b, zeros[:len(b)]) }

var zeros [chunkSize]byte
