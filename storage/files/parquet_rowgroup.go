package files

import (
	"errors"
	"io"
	"sync"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// rowGroup is what the pieces of a row group share.
type rowGroup struct {
	scan *parquetScan
	num  int
	rows int64
	cols []sharedColumn // by the scan's columns
	lent borrowed

	mu     sync.Mutex
	parked map[int64][]*columnReader // readers that finished a piece, by the row they are at
	done   int64                     // rows of pieces that no reader has any more
}

// end gives memory back once no rows are left to be read.
func (g *rowGroup) end(rows int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done += rows; g.done == g.rows {
		g.lent.giveBack()
	}
}

// sharedColumn is a column chunk read into memory, and its dictionary.
type sharedColumn struct {
	once  sync.Once
	pages pages
	err   error

	dictOnce sync.Once
	dict     *vec.Vector
	dictErr  error
}

func newRowGroup(s *parquetScan, num int) *rowGroup {
	return &rowGroup{scan: s, num: num, rows: s.meta.RowGroup(num).NumRows(),
		cols: make([]sharedColumn, len(s.scan.cols)), parked: map[int64][]*columnReader{}}
}

// open gives readers of the columns at row. Those that were left there go on.
func (g *rowGroup) open(row int64) ([]*columnReader, error) {
	g.mu.Lock()
	readers := g.parked[row]
	delete(g.parked, row)
	g.mu.Unlock()
	if readers != nil {
		return readers, nil
	}
	for i, ordinal := range g.scan.scan.cols {
		c, shared := g.scan.cols[ordinal], &g.cols[i]
		shared.once.Do(func() { shared.pages, shared.err = g.scan.loadColumn(g.num, c, &g.lent) })
		if shared.err != nil {
			return nil, shared.err
		}
		r := &columnReader{col: c, pages: shared.pages, shared: shared}
		r.pages.pass = g.scan.scan.spec.Passing
		if err := r.seek(row); err != nil {
			return nil, g.damaged(c, err)
		}
		readers = append(readers, r)
	}
	return readers, nil
}

func (g *rowGroup) park(row int64, readers []*columnReader) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked[row] = readers
}

func (g *rowGroup) damaged(c *parquetColumn, err error) error {
	return corrupt(g.scan.file.path, "column '%s', row group %d: %v", c.Name, g.num+1, err)
}

// piece is the chunk of a Parquet scan: a run of rows of a row group.
type piece struct {
	group    *rowGroup
	from, to int64
	rows     int64
	cols     []*columnReader
	out      vec.Batch
}

func (p *piece) path() string { return p.group.scan.file.path }

// end implements ender.
func (p *piece) end() { p.group.end(p.rows) }

// read implements chunk.
func (p *piece) read() (*vec.Batch, error) {
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
	n := int(min(int64(p.group.scan.scan.batch), p.to-p.from))
	for i, r := range p.cols {
		v, err := r.read(n)
		if err != nil {
			return nil, p.group.damaged(r.col, err)
		}
		p.out.Cols[i] = v
	}
	p.from += int64(n)
	p.out.N = n
	return &p.out, nil
}

// loadColumn reads a column chunk's bytes.
func (s *parquetScan) loadColumn(group int, c *parquetColumn, lent *borrowed) (p pages, err error) {
	chunk, err := s.meta.RowGroup(group).ColumnChunk(c.leaf)
	if err != nil {
		return p, err
	}
	from, size := chunk.DataPageOffset(), chunk.TotalCompressedSize()
	if d := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && d > 0 && d < from {
		from = d
	}
	if from < 0 || size < 0 || from > s.size || size > s.size-from {
		return p, corrupt(s.file.path, "column '%s' of row group %d lies outside the file", c.Name, group+1)
	}
	if chunk.NumValues() != s.meta.RowGroup(group).NumRows() {
		return p, corrupt(s.file.path, "column '%s' of row group %d has a wrong number of values", c.Name, group+1)
	}
	p.keep = c.Type.Kind() == types.KindStr
	var known bool
	if p.codec, known = codecs[chunk.Compression()]; !known {
		return p, sqlerr.Unsupported(-1, "the compression %s of column '%s' in '%s'", chunk.Compression(), c.Name, s.file.path).
			WithHint("Write the file with zstd, snappy, gzip, brotli or lz4_raw, or without compression.")
	}
	p.lent = lent
	data := p.memory(int(size)+padding, p.codec == nil)
	if n, err := s.h.ReadAt(data[:size], from); err != nil && !(errors.Is(err, io.EOF) && int64(n) == size) {
		return p, err
	}
	p.data = data[:size]
	return p, nil
}
