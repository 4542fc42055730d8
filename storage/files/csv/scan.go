package csv

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage/files/format"
)

// scan cuts one file into chunks of whole records.
type scan struct {
	*Part
	ctx    context.Context // shared by all readers
	cancel context.CancelFunc
	req    *format.Request
	in     io.ReadCloser

	ahead *readAhead  // non-nil for files that are compressed or not UTF-8
	tail  format.Tail // read but not yet handed out
	idle  sync.Pool   // reader states of chunks that have been read
	texts bool        // whether readers may keep requested texts
	line  int64       // line of the next chunk's first record
	at    int64       // offset after the bytes read
	end   bool
	cut   *separators
}

// Chunks implements format.Part.
func (p *Part) Chunks(ctx context.Context, req *format.Request) (format.Chunks, error) {
	ctx, cancel := context.WithCancel(ctx)
	if p.Pipe != nil {
		if err := p.Pipe.Take(ctx); err != nil {
			cancel()
			return nil, err
		}
	}
	in, err := p.Stream(ctx)
	if err != nil {
		cancel()
		return nil, format.ReadError(p.Path, err)
	}
	s := &scan{Part: p, ctx: ctx, cancel: cancel, req: req, in: in, line: p.line, at: p.body, cut: newSeparators(&p.d),
		tail: format.NewTail(req.Mem)}
	s.texts = !req.Passing && slices.ContainsFunc(req.Columns, func(o int) bool { return p.cols[o].Type.Kind() == types.KindStr })
	if !p.Seekable() {
		s.ahead = startReadAhead(ctx, p.Path, in)
	}
	if err := s.skip(p.body); err != nil {
		s.Close()
		return nil, format.ReadError(p.Path, err)
	}
	return s, nil
}

func (s *scan) skip(n int64) error {
	if seeker, ok := s.in.(io.Seeker); ok {
		_, err := seeker.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, s.reader(), n)
	return err
}

func (s *scan) reader() io.Reader {
	if s.ahead != nil {
		return s.ahead
	}
	return s.in
}

// Close implements format.Chunks.
func (s *scan) Close() error {
	s.cancel()
	if s.ahead != nil {
		s.ahead.wait()
	}
	s.tail.Free()
	return s.in.Close()
}

// Next implements format.Chunks. A chunk grows if a record is longer than the chunk.
func (s *scan) Next() (format.Chunk, error) {
	if s.end && len(s.tail.Bytes) == 0 {
		return nil, nil
	}
	c := &chunk{scan: s, line: s.line, held: format.Hold{Account: s.req.Mem}}
	n, cut, err := c.fill()
	if err == nil {
		err = s.tail.Keep(c.data[cut:n])
	}
	if err != nil || n == 0 {
		c.End()
		return nil, err
	}
	c.data = c.data[:cut]
	s.line += int64(bytes.Count(c.data, []byte(s.d.lines)))
	return c, nil
}

// step returns the number of bytes to read next for a chunk of n bytes.
func (s *scan) step(n int) int {
	if s.Seekable() { // one byte beyond the rest, to detect the end
		return int(min(int64(n), max(0, s.Size-s.at)+1))
	}
	return n
}

func (s *scan) tooLong() error {
	return sqlerr.New(badQuote, "file '%s', line %d: a record is longer than %d MB", s.Path, s.line, maxRecord>>20).
		WithHint("Probably a quote is never closed; look at the quotes of that line, or set ENCLOSED BY to what the file uses.")
}
