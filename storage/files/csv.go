package files

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// csvPart is a CSV or TSV file whose dialect and types are known.
type csvPart struct {
	*file
	opt   Options
	d     dialect
	names []string
	masks []typeMask // by column: the types that all sampled values have
	cols  []csvColumn
	body  int64 // offset of the first record
	line  int64 // its line number
	sample
}

func (p *csvPart) columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = catalog.Column{Name: p.names[i], Type: c.typ}
	}
	return cols
}

// chunkSize is how much of a file a reader takes at once.
const chunkSize = 1 << 20

// csvScan cuts one file into chunks of whole records.
type csvScan struct {
	*csvPart
	scan  *scan
	in    io.ReadCloser
	ahead *readAhead // of files that are compressed or not UTF-8
	tail  []byte     // read, but not yet handed out
	idle  sync.Pool  // csvReaders of chunks that have been read
	texts bool       // whether text is read that may be kept
	line  int64      // of the next chunk's first record
	at    int64      // offset behind what has been read
	end   bool
	cut   *separators
}

func (p *csvPart) chunks(sc *scan) (chunkSource, error) {
	in, err := p.stream()
	if err != nil {
		return nil, readError(p.path, err)
	}
	s := &csvScan{csvPart: p, scan: sc, in: in, line: p.line, at: p.body, cut: newSeparators(&p.d)}
	s.texts = !sc.spec.Passing && slices.ContainsFunc(sc.cols, func(o int) bool { return p.cols[o].typ.Kind() == types.KindStr })
	if !p.asItIs() {
		s.ahead = startReadAhead(sc.ctx, in)
	}
	if err := s.skip(p.body); err != nil {
		s.close()
		return nil, readError(p.path, err)
	}
	return s, nil
}

func (s *csvScan) skip(n int64) error {
	if seeker, ok := s.in.(io.Seeker); ok {
		_, err := seeker.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, s.reader(), n)
	return err
}

func (s *csvScan) reader() io.Reader {
	if s.ahead != nil {
		return s.ahead
	}
	return s.in
}

func (s *csvScan) close() error {
	if s.ahead != nil {
		s.ahead.stop()
	}
	return s.in.Close()
}

// next implements chunkSource. A record longer than a chunk makes the chunk grow.
func (s *csvScan) next() (chunk, error) {
	size := chunkSize
	if s.opt.chunk > 0 {
		size = s.opt.chunk
	}
	for !s.end || len(s.tail) > 0 {
		if s.asItIs() { // one byte more than is left, to see the end
			size = int(min(int64(size), max(0, s.size-s.at)+1))
		}
		c := &csvChunk{scan: s, line: s.line}
		buf := c.memory(len(s.tail) + size)
		copy(buf, s.tail)
		n := len(s.tail)
		if !s.end {
			m, err := io.ReadFull(s.reader(), buf[n:])
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return nil, readError(s.path, err)
			}
			s.end = err != nil
			n += m
			s.at += int64(m)
		}
		buf = buf[:n]
		cut := n
		if !s.end {
			cut = s.cut.recordEnd(buf)
		}
		s.tail = append(s.tail[:0], buf[cut:]...)
		if cut == 0 {
			c.end()
			if n > maxRecord {
				return nil, s.tooLong()
			}
			size = max(n, size)
			continue
		}
		c.data = buf[:cut]
		s.line += int64(bytes.Count(buf[:cut], []byte(s.d.lines)))
		return c, nil
	}
	return nil, nil
}

func (s *csvScan) tooLong() error {
	return sqlerr.New(badQuote, "file '%s', line %d: a record is longer than %d MB", s.path, s.line, maxRecord>>20).
		WithHint("Probably a quote is never closed; look at the quotes of that line, or set ENCLOSED BY to what the file uses.")
}

// csvChunk is a run of whole records.
type csvChunk struct {
	scan *csvScan
	data []byte
	lent borrowed
	line int64
	*csvReader
}

// csvReader is what chunks that are read one after the other share.
type csvReader struct {
	tokens *tokenizer
	cols   []csvColumn // the scan's
	vecs   []vec.Vector
	null   [][]bool
	bad    []badRow
	out    vec.Batch
}

// memory gives n bytes, which live until the chunk has been read, or as strings need them where
// those point into them.
func (c *csvChunk) memory(n int) []byte {
	if c.scan.texts {
		return mem.Heap(n)
	}
	return c.lent.take(n)
}

func (c *csvChunk) path() string { return c.scan.path }

// end implements ender.
func (c *csvChunk) end() {
	c.lent.giveBack()
	if c.csvReader != nil {
		c.scan.idle.Put(c.csvReader)
	}
}

func (c *csvChunk) open() {
	if idle, ok := c.scan.idle.Get().(*csvReader); ok {
		c.csvReader = idle
	} else {
		c.csvReader = newCSVReader(c.scan)
	}
	c.tokens.reset(c.data)
}

func newCSVReader(s *csvScan) *csvReader {
	r := &csvReader{}
	slots := slices.Repeat([]int32{-1}, len(s.cols))
	var outputs []int
	for _, o := range s.scan.cols {
		if slots[o] < 0 {
			slots[o] = int32(len(outputs))
			outputs = append(outputs, o)
			r.cols = append(r.cols, s.cols[o])
		}
	}
	r.tokens = newTokenizer(&s.d, slots, len(outputs))
	r.vecs, r.null = make([]vec.Vector, len(outputs)), make([][]bool, len(outputs))
	r.out.Cols = make([]*vec.Vector, len(s.scan.cols))
	for i, o := range s.scan.cols {
		r.out.Cols[i] = &r.vecs[slots[o]]
	}
	return r
}

// read implements chunk.
func (c *csvChunk) read() (*vec.Batch, error) {
	if c.csvReader == nil {
		c.open()
	}
	n := c.tokens.block(c.scan.scan.batch)
	if n == 0 {
		return nil, nil
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

// withoutBad reports the rows that do not fit: as the error, or, where errors are to
// be ignored, as rejects, and then gives the rows that are left.
func (c *csvChunk) withoutBad(n int) (*vec.Batch, error) {
	slices.SortStableFunc(c.bad, func(a, b badRow) int { return a.row - b.row })
	good := make([]int32, 0, n)
	next := 0
	for row := range n {
		if next == len(c.bad) || c.bad[next].row != row {
			good = append(good, int32(row))
			continue
		}
		r := c.reject(c.bad[next])
		if !c.scan.opt.IgnoreErrors {
			return nil, r.err("Set the column's type or another dialect, load into a table whose column can take it, or skip such lines (IGNORE).")
		}
		if err := c.scan.scan.rejects.add(r, c.scan.opt.MaxErrors); err != nil {
			return nil, err
		}
		for next < len(c.bad) && c.bad[next].row == row {
			next++
		}
	}
	return vec.Select(&c.out, good), nil
}

// maxText bounds the offending text that errors show.
const maxText = 80

func (c *csvChunk) reject(b badRow) Reject {
	t := c.tokens
	start := t.records[b.row].start
	r := Reject{File: c.scan.path, Code: b.code, Reason: b.reason,
		Line: c.line + int64(bytes.Count(c.data[:start], []byte(c.scan.d.lines)))}
	text := c.data[start:]
	if end := bytes.Index(text, []byte(c.scan.d.lines)); end >= 0 {
		text = bytes.TrimRight(text[:end], "\r")
	}
	switch {
	case b.code == badValue:
		r.Column = c.columnName(b.field)
		r.Reason = "Incorrect " + kindName(c.cols[b.field].typ) + " value"
		text = t.raw(t.spans[b.field][b.row])
	case b.code == badQuote && b.field < len(c.scan.names):
		r.Column = c.scan.names[b.field]
	}
	if len(text) > maxText {
		text = append(text[:maxText:maxText], "..."...)
	}
	r.Text = string(bytes.ToValidUTF8(text, []byte("?")))
	return r
}

// columnName names the column whose values go to an output.
func (c *csvChunk) columnName(output int) string {
	for field, slot := range c.tokens.slots {
		if int(slot) == output {
			return c.scan.names[field]
		}
	}
	return ""
}

// kindName is what MySQL calls a type in error 1366.
func kindName(t types.Type) string {
	switch {
	case t.IsInteger():
		return "integer"
	case t.ID == types.Float32 || t.ID == types.Float64:
		return "double"
	}
	return t.String()
}
