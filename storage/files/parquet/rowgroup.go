package parquet

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// rowGroup holds what the pieces of a row group share.
type rowGroup struct {
	scan *scan
	req  *format.Request
	num  int // number of the row group in the file
	rows int64
	cols []sharedColumn // by the request's columns
	sole bool           // a single piece is read
	lent format.Buffers

	mu     sync.Mutex
	parked map[int64][]vectorReader // readers of finished pieces, by their next row
	done   int64                    // rows of finished pieces
}

// bytes returns the size of the columns in the file plus their size when unpacked.
func (g *rowGroup) bytes() (sum int64) {
	for i := range g.cols {
		if leaf := g.column(i).node.leaf; leaf >= 0 { // not nested
			chunk := &g.scan.meta.groups[g.num].chunks[leaf]
			sum += chunk.size + chunk.unpacked
		}
	}
	return sum
}

// end records that rows have been read, and frees the memory after the last one.
func (g *rowGroup) end(rows int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done += rows; g.done == g.rows {
		g.lent.Free()
	}
}

// sharedColumn is a column chunk in memory with its dictionary, shared by the readers of all
// pieces.
type sharedColumn struct {
	once  sync.Once
	pages pages
	err   error

	dictOnce sync.Once
	dict     *vec.Vector
	dictErr  error
	badCodes []bool // by code: the text is not UTF-8, or not JSON as it should be; nil if all texts are valid
}

func newRowGroup(s *scan, num int) *rowGroup {
	g := &rowGroup{scan: s, req: s.req, num: num, rows: s.meta.groups[num].rows,
		cols: make([]sharedColumn, len(s.req.Columns)), parked: map[int64][]vectorReader{}}
	g.lent.Held.Account = s.req.Mem
	return g
}

// open returns readers of the columns at row. It reuses readers parked at that row.
func (g *rowGroup) open(row int64) ([]vectorReader, error) {
	g.mu.Lock()
	readers := g.parked[row]
	delete(g.parked, row)
	g.mu.Unlock()
	if readers != nil {
		return readers, nil
	}
	for i := range g.cols {
		r, err := g.reader(g.column(i), &g.cols[i], row)
		if err != nil {
			return nil, err
		}
		readers = append(readers, r)
	}
	return readers, nil
}

// column returns the file's column for column i of the request.
func (g *rowGroup) column(i int) *column { return g.scan.cols[g.req.Columns[i]] }

// reader returns a reader of a column at row.
func (g *rowGroup) reader(c *column, shared *sharedColumn, row int64) (vectorReader, error) {
	switch {
	case c.nested:
		return g.nestedReader(c)
	case c.Type.ID == types.Null:
		return nullReader{}, nil
	}
	shared.once.Do(func() { shared.pages, shared.err = g.scan.loadFlat(g.num, c, &g.lent) })
	if shared.err != nil {
		return nil, shared.err
	}
	r := &columnReader{col: c, pages: shared.pages, shared: shared, text: c.isText()}
	r.pages.brief, r.pages.sole = g.req.Passing, g.sole
	if err := r.seek(row); err != nil {
		return nil, g.damaged(c, err)
	}
	return r, nil
}

// vectorReader decodes a column of a row group batch by batch. Its vectors are valid until the
// next read.
type vectorReader interface {
	read(n int) (*vec.Vector, error)
}

// nullReader reads columns without values.
type nullReader struct{}

func (nullReader) read(n int) (*vec.Vector, error) {
	return &vec.Vector{Type: types.T(types.Null), N: n}, nil
}

func (g *rowGroup) park(row int64, readers []vectorReader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked[row] = readers
}

func (g *rowGroup) damaged(c *column, err error) error {
	if format.IsFinal(err) {
		return err
	}
	if bad := (*badText)(nil); errors.As(err, &bad) {
		return format.NotText(bad.value, c.Name, bad.row, fmt.Sprintf("row group %d of '%s'", g.num+1, g.scan.Path))
	}
	if bad := (*badJSON)(nil); errors.As(err, &bad) {
		return format.NotJSON(bad.err, c.Name, bad.row, fmt.Sprintf("row group %d of '%s'", g.num+1, g.scan.Path))
	}
	if errors.Is(err, errWide) {
		return sqlerr.Wrap(sqlerr.WarnDataOutOfRange, err, "Out of range value for column '%s' of row group %d in '%s'", c.Name, g.num+1, g.scan.Path)
	}
	return format.Corrupt(g.scan.Path, "column '%s', row group %d: %v", c.Name, g.num+1, format.Reason(err))
}

// piece is a chunk of a Parquet scan: a range of rows of a row group.
type piece struct {
	group    *rowGroup
	from, to int64 // remaining rows of the group
	rows     int64 // rows of the whole piece
	size     int64
	cols     []vectorReader
	out      vec.Batch
}

// Size implements format.Chunk.
func (p *piece) Size() int64 { return p.size }

// Path implements format.Chunk.
func (p *piece) Path() string { return p.group.scan.Path }

// End implements format.Chunk.
func (p *piece) End() { p.group.end(p.rows) }

// Read implements format.Chunk.
func (p *piece) Read() (*vec.Batch, error) {
	if p.from == p.to {
		if p.to < p.group.rows && p.cols != nil {
			p.group.park(p.to, p.cols)
		}
		return nil, nil
	}
	if p.out.Cols == nil {
		var err error
		if p.cols, err = p.group.open(p.from); err != nil {
			return nil, err
		}
		p.out.Cols = make([]*vec.Vector, len(p.cols))
	}
	n := int(min(int64(p.group.req.Batch), p.to-p.from))
	for i, r := range p.cols {
		v, err := r.read(n)
		if err != nil {
			return nil, p.group.damaged(p.group.column(i), err)
		}
		p.out.Cols[i] = v
	}
	p.from += int64(n)
	p.out.N = n
	return &p.out, nil
}

// loadFlat reads the chunk of a column with one value per row.
func (s *scan) loadFlat(group int, c *column, lent *format.Buffers) (pages, error) {
	if n := s.meta.groups[group].chunks[c.node.leaf].values; n != s.meta.groups[group].rows {
		return pages{}, format.Corrupt(s.Path, "column '%s' of row group %d has %d values in %d rows", c.Name, group+1, n, s.meta.groups[group].rows)
	}
	return s.loadChunk(group, c, lent)
}

// unpackedMost returns a bound for the size of an unpacked page of a chunk, given the unpacked
// size of all its pages in the footer. Not all writers count exactly.
func unpackedMost(all int64) int {
	const slack, least = 8, 1 << 24
	return int(min(maxPage, max(least, slack*min(all, maxPage))))
}

// place returns where a chunk is in a file of all bytes; ok is false if it lies outside.
func (f *footer) place(chunk *footerChunk, all int64) (from, size int64, ok bool) {
	from, size = chunk.dataPage, chunk.size
	if d := chunk.dictPage; d > 0 && d < from {
		from = d
	}
	if from < 0 || size < 0 || from > all || size > all-from {
		return 0, 0, false
	}
	if f.short() {
		size = min(size+dictionaryHead, all-from)
	}
	return from, size, true
}

// loadChunk reads the bytes of a column chunk into memory of lent.
func (s *scan) loadChunk(group int, c *column, lent *format.Buffers) (p pages, err error) {
	chunk := &s.meta.groups[group].chunks[c.node.leaf]
	switch {
	case chunk.encrypted:
		return p, sqlerr.Unsupported(-1, "the encrypted column '%s' in '%s'", c.Name, s.Path).WithHint("Select the other columns, or write the file without encryption.")
	case chunk.elsewhere:
		return p, sqlerr.Unsupported(-1, "column '%s' in '%s', which is stored in another file", c.Name, s.Path).WithHint("Select the other columns, or write one file.")
	}
	from, size, ok := s.meta.place(chunk, s.size)
	if !ok {
		return p, format.Corrupt(s.Path, "column '%s' of row group %d lies outside the file", c.Name, group+1)
	}
	p.keep = c.Type.Kind() == types.KindStr
	var known bool
	if p.codec, known = codecs[chunk.codec]; !known {
		return p, sqlerr.Unsupported(-1, "the compression %s of column '%s' in '%s'", codecName(chunk.codec), c.Name, s.Path).
			WithHint("Write the file with zstd, snappy, gzip, brotli or lz4_raw, or without compression.")
	}
	p.lent, p.most = lent, unpackedMost(chunk.unpacked)
	data := p.memory(int(size)+padding, p.codec == nil)
	if n, err := s.h.ReadAt(data[:size], from); err != nil && !(errors.Is(err, io.EOF) && int64(n) == size) {
		return p, err
	}
	lent.Read(size)
	p.data, p.all = data[:size], data[:size]
	return p, nil
}
