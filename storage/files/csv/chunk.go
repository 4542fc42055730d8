package csv

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gsql/internal/mem"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// chunk is a run of whole records.
type chunk struct {
	scan *scan
	data []byte
	lent format.Buffers
	held format.Hold // charge for data beyond format.FreeChunk
	line int64
	*reader
}

// reader is the state that is reused between chunks read one after the other.
type reader struct {
	tokens *tokenizer
	cols   []column // those of the scan
	vecs   []vec.Vector
	null   [][]bool
	bad    []badRow
	out    vec.Batch
}

// Path implements format.Chunk.
func (c *chunk) Path() string { return c.scan.Path }

// Size implements format.Chunk.
func (c *chunk) Size() int64 { return int64(len(c.data)) }

// End implements format.Chunk.
func (c *chunk) End() {
	c.lent.Free()
	_ = c.held.Set(0) // releasing does not fail
	if c.reader != nil {
		c.scan.idle.Put(c.reader)
	}
}

func (c *chunk) open() {
	if idle, ok := c.scan.idle.Get().(*reader); ok {
		c.reader = idle
	} else {
		c.reader = newReader(c.scan)
	}
	c.tokens.reset(c.data)
	c.tokens.ctx = c.scan.ctx
}

func newReader(s *scan) *reader {
	r := &reader{}
	slots := slices.Repeat([]int32{-1}, len(s.cols))
	var outputs []int
	for _, o := range s.req.Columns {
		if slots[o] < 0 {
			slots[o] = int32(len(outputs))
			outputs = append(outputs, o)
			r.cols = append(r.cols, s.cols[o])
		}
	}
	r.tokens = newTokenizer(&s.d, slots, len(outputs))
	r.vecs, r.null = make([]vec.Vector, len(outputs)), make([][]bool, len(outputs))
	r.out.Cols = make([]*vec.Vector, len(s.req.Columns))
	for i, o := range s.req.Columns {
		r.out.Cols[i] = &r.vecs[slots[o]]
	}
	return r
}

// Read implements format.Chunk.
func (c *chunk) Read() (*vec.Batch, error) {
	if c.reader == nil {
		c.open()
	}
	n := c.tokens.block(c.scan.req.Batch)
	if n == 0 {
		return nil, c.cutError()
	}
	if c.tokens.rewrites > 0 { // copies of fields with doubled quotes or escapes
		if err := c.held.Set(2*int64(len(c.data)) - format.FreeChunk); err != nil {
			return nil, err
		}
	}
	c.bad = append(c.bad[:0], c.tokens.bad...)
	for i := range c.cols {
		c.null[i] = c.cols[i].convert(c.tokens, c.tokens.spans[i], n, &c.vecs[i], c.null[i], func(row int) {
			c.bad = append(c.bad, badRow{row, i, badValue, ""})
		})
	}
	c.out.N = n
	if len(c.bad) == 0 {
		return &c.out, nil
	}
	return c.withoutBad(n)
}

// cutError returns the reason why there are no more records, or nil at the end of the chunk.
func (c *chunk) cutError() error {
	if c.tokens.err == errFields {
		line := c.line + int64(bytes.Count(c.data[:c.tokens.current], []byte(c.scan.d.lines)))
		return format.TooManyColumns(c.scan.Path, maxFields, fmt.Sprintf(" in line %d", line))
	}
	return c.tokens.err
}

// fill reads n bytes into data, of which the first cut bytes are whole records.
func (c *chunk) fill() (n, cut int, err error) {
	s, size := c.scan, format.ChunkSize
	if s.opt.ChunkBytes > 0 {
		size = s.opt.ChunkBytes
	}
	if err := c.grow(len(s.tail.Bytes) + s.step(size)); err != nil {
		return 0, 0, err
	}
	n = copy(c.data, s.tail.Bytes)
	for {
		if !s.end {
			m, err := io.ReadFull(s.reader(), c.data[n:])
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return 0, 0, format.ReadError(s.Path, err)
			}
			s.end = err != nil
			n += m
			s.at += int64(m)
		}
		if s.end {
			return n, n, nil
		}
		if cut = s.cut.recordEnd(s.ctx, c.data[:n]); cut > 0 {
			return n, cut, nil
		}
		if err := s.ctx.Err(); err != nil {
			return 0, 0, err
		}
		if n > maxRecord {
			return 0, 0, s.tooLong()
		}
		if err := c.grow(n + s.step(max(n, size))); err != nil {
			return 0, 0, err
		}
	}
}

// grow extends data to n bytes.
func (c *chunk) grow(n int) error {
	old := c.data
	if err := c.held.Set(int64(len(old)+n) - format.FreeChunk); err != nil {
		return err
	}
	switch {
	case c.scan.texts, n > format.FreeChunk: // the pool keeps no buffers of unusual sizes
		c.data = mem.Heap(n)
	default:
		c.data = c.lent.Take(n)
	}
	copy(c.data, old)
	return c.held.Set(int64(n) - format.FreeChunk)
}
