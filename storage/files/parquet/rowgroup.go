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
	parked map[int64][]lateColumn // columns of finished pieces, by their next row
	done   int64                  // rows of finished pieces
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
		cols: make([]sharedColumn, len(s.req.Columns)), parked: map[int64][]lateColumn{}}
	g.lent.Held.Account = s.req.Mem
	return g
}

// open returns the columns for a piece that begins at row: those parked there, or new ones.
func (g *rowGroup) open(row int64) []lateColumn {
	g.mu.Lock()
	defer g.mu.Unlock()
	cols := g.parked[row]
	delete(g.parked, row)
	if cols == nil {
		cols = make([]lateColumn, len(g.cols))
	}
	return cols
}

// column returns the file's column for column i of the request.
func (g *rowGroup) column(i int) *column { return g.scan.cols[g.req.Columns[i]] }

// reader returns a reader of a column at its first row.
func (g *rowGroup) reader(c *column, shared *sharedColumn) (vectorReader, error) {
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
	return r, nil
}

// vectorReader decodes a column of a row group batch by batch. Its vectors are valid until the
// next read.
type vectorReader interface {
	read(n int) (*vec.Vector, error)
	// skip passes over rows.
	skip(rows int64) error
}

// nullReader reads columns without values.
type nullReader struct{}

func (nullReader) read(n int) (*vec.Vector, error) {
	return &vec.Vector{Type: types.T(types.Null), N: n}, nil
}

// skip implements vectorReader.
func (nullReader) skip(int64) error { return nil }

func (g *rowGroup) park(row int64, cols []lateColumn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked[row] = cols
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
