package jsonfile

import (
	"bytes"
	"context"
	"io"
	"slices"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage/files/format"
)

// scan cuts a file into chunks of whole values.
type scan struct {
	*Part
	req    *format.Request
	ctx    context.Context
	in     io.ReadCloser
	ends   boundaries
	tail   format.Tail // read but not yet handed out
	texts  bool        // readers may keep texts
	number int         // of the next chunk
	at     int64       // offset of the next chunk
	line   int64
	end    bool
}

// maxValue is the most bytes that a value takes.
const maxValue = 256 << 20

// Chunks implements format.Part.
func (p *Part) Chunks(ctx context.Context, req *format.Request) (format.Chunks, error) {
	if p.Pipe != nil {
		if err := p.Pipe.Take(ctx); err != nil {
			return nil, err
		}
	}
	s, err := p.scan(ctx, req)
	if err != nil {
		return nil, format.ReadError(p.Path, err)
	}
	return s, nil
}

func (p *Part) scan(ctx context.Context, req *format.Request) (*scan, error) {
	in, err := p.Stream(ctx)
	if err != nil {
		return nil, err
	}
	s := &scan{Part: p, req: req, ctx: ctx, in: in, at: p.body, line: p.line, ends: boundaries{array: p.array}, tail: format.NewTail(req.Mem)}
	s.texts = !req.Passing && slices.ContainsFunc(req.Columns, func(o int) bool { return p.cols[o].Type.Kind() == types.KindStr })
	if _, err := io.CopyN(io.Discard, in, p.body); err != nil {
		in.Close()
		return nil, err
	}
	return s, nil
}

// Close implements format.Chunks.
func (s *scan) Close() error {
	s.tail.Free()
	return s.in.Close()
}

// Next implements format.Chunks.
func (s *scan) Next() (format.Chunk, error) {
	c, err := s.next()
	if c == nil || err != nil {
		return nil, err
	}
	return c, nil
}

// next returns the next chunk, or nil at the end.
func (s *scan) next() (*chunk, error) {
	if s.end && len(s.tail.Bytes) == 0 {
		return nil, nil
	}
	c := &chunk{scan: s, number: s.number, at: s.at, line: s.line, after: s.ends.closed, held: format.Hold{Account: s.req.Mem}}
	n, cut, err := c.fill()
	if err == nil {
		err = s.tail.Keep(c.data[cut:n])
	}
	if err != nil || n == 0 && (!s.array || c.after) {
		c.End()
		return nil, err
	}
	c.data, c.last = c.data[:cut], s.end && cut == n
	s.at += int64(cut)
	s.line += int64(bytes.Count(c.data, []byte("\n")))
	s.number++
	return c, nil
}

// fill reads n bytes into data, of which the first cut bytes are whole values.
func (c *chunk) fill() (n, cut int, err error) {
	s, size := c.scan, format.ChunkSize
	if s.opt.ChunkBytes > 0 {
		size = s.opt.ChunkBytes
	}
	if err := c.grow(len(s.tail.Bytes) + size); err != nil {
		return 0, 0, err
	}
	n = copy(c.data, s.tail.Bytes)
	for {
		m, err := io.ReadFull(s.in, c.data[n:])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, 0, format.ReadError(s.Path, err)
		}
		s.end = err != nil
		if s.end {
			if err := s.cutShort(); err != nil {
				return 0, 0, err
			}
			return n + m, n + m, nil
		}
		if cut = s.ends.last(c.data[n : n+m]); cut > 0 {
			return n + m, n + cut, nil
		}
		if n += m; n > maxValue {
			return 0, 0, sqlerr.New(sqlerr.TruncatedWrongValue, "file '%s', line %d: a value is longer than %d MB", s.Path, s.line, maxValue>>20).
				WithHint("Is a bracket or quote missing?")
		}
		if err := s.ctx.Err(); err != nil {
			return 0, 0, err
		}
		if err := c.grow(2 * n); err != nil {
			return 0, 0, err
		}
	}
}

// cutShort returns the error of a compressed file that ends too early.
func (s *scan) cutShort() error {
	if s.Compression == format.Plain {
		return nil
	}
	if _, err := s.in.Read(make([]byte, 1)); err != nil && err != io.EOF {
		return format.ReadError(s.Path, err)
	}
	return nil
}

// grow extends data to n bytes.
func (c *chunk) grow(n int) error {
	old := c.data
	if err := c.held.Set(int64(len(old)+n) - format.FreeChunk); err != nil {
		return err
	}
	if c.scan.texts || n > format.FreeChunk { // the pool keeps no buffers of unusual sizes
		c.data = mem.Heap(n)
	} else {
		c.data = c.lent.Take(n)
	}
	copy(c.data, old)
	return c.held.Set(int64(n) - format.FreeChunk)
}
