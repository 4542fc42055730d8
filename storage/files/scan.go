package files

import (
	"context"
	"errors"
	"slices"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// scan is an open scan over all files of a table. Readers take chunks from it.
type scan struct {
	ctx   context.Context
	spec  catalog.ScanSpec
	table *table
	req   format.Request // its columns are spec.Columns without row numbers and columns from directory names

	mu     sync.Mutex
	part   int         // the next file to open
	source *openSource // nil between files
	open   map[*openSource]struct{}
	chunks int64 // handed out so far
	active int   // chunks being read

	numbered bool  // rows are numbered, so that one reader reads them in order
	size     int64 // of the largest chunk so far
}

// openSource is a file being scanned. It is closed when all its chunks have been handed out and read.
type openSource struct {
	format.Chunks
	part    int   // the number of the file
	rows    int64 // read so far, if the scan numbers them
	readers int
	drained bool
}

// Scan implements catalog.Table.
func (t *table) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	sc := &scan{ctx: ctx, spec: spec, table: t, open: make(map[*openSource]struct{}),
		req: format.Request{Batch: spec.BatchSize, Prune: spec.Prune, Passing: spec.Passing, Mem: spec.Mem}}
	if sc.numbered = t.rowNumber >= 0 && slices.Contains(spec.Columns, t.rowNumber); sc.numbered {
		sc.req.Prune = nil // rows are counted that nobody needs
	}
	if sc.req.Batch <= 0 {
		sc.req.Batch = vec.BatchSize
	}
	for _, c := range spec.Columns {
		if c == catalog.RowID || c >= t.own {
			continue
		}
		sc.req.Columns = append(sc.req.Columns, c)
		if col := t.schema.Columns[c]; col.Type.ID == types.Null && col.Comment != "" {
			return nil, sqlerr.Unsupported(-1, "column '%s' of type %s", col.Name, col.Comment).
				WithHint("Select the other columns of '%s'.", t.name)
		}
	}
	return sc, nil
}

// take returns the next chunk of the scan, its file and its number. It returns nil at the end, and
// if another chunk would take too much memory: the readers that have a chunk read the rest.
func (sc *scan) take() (format.Chunk, *openSource, int64, error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.crowded() {
		return nil, nil, 0, nil
	}
	for {
		if err := sc.ctx.Err(); err != nil {
			return nil, nil, 0, err
		}
		if sc.source == nil {
			if sc.part == len(sc.table.parts) {
				return nil, nil, 0, nil
			}
			if sc.table.dirs.prunes(sc.part, sc.table.own, sc.spec.Prune) {
				sc.part++
				continue
			}
			source, err := sc.table.parts[sc.part].Chunks(sc.ctx, &sc.req)
			if err != nil {
				return nil, nil, 0, err
			}
			sc.source = &openSource{Chunks: source, part: sc.part}
			sc.open[sc.source] = struct{}{}
			sc.part++
		}
		source := sc.source
		c, err := source.Next()
		if err != nil {
			return nil, nil, 0, err
		}
		if c != nil {
			sc.chunks++
			sc.active++
			sc.size = max(sc.size, c.Size())
			source.readers++
			return c, source, sc.chunks - 1, nil
		}
		sc.source, source.drained = nil, true
		if err := sc.closeIdle(source); err != nil {
			return nil, nil, 0, err
		}
	}
}

// readersPart is the fraction of a memory limit, one in this many, that the chunks being read may
// take if there is more than one. They are not charged to the statement's account, or else one that
// reads wide rows could not run within a low limit.
const readersPart = 4

// crowded reports whether one more chunk would take too much memory, or whether a single reader is
// to read the rows.
func (sc *scan) crowded() bool {
	if sc.numbered && sc.active > 0 {
		return true
	}
	limit := sc.req.Mem.LowestLimit()
	return limit > 0 && sc.active > 0 && int64(sc.active+1)*sc.size > limit/readersPart
}

// release records that a chunk of source has been read.
func (sc *scan) release(source *openSource) error {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	source.readers--
	sc.active--
	return sc.closeIdle(source)
}

func (sc *scan) closeIdle(source *openSource) error {
	if _, open := sc.open[source]; !open || !source.drained || source.readers > 0 {
		return nil
	}
	delete(sc.open, source)
	return source.Close()
}

// NewReader implements catalog.Source.
func (sc *scan) NewReader() (catalog.Reader, error) { return &reader{scan: sc}, nil }

// Close implements catalog.Source.
func (sc *scan) Close() error {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.part, sc.source = len(sc.table.parts), nil
	var err error
	for source := range sc.open {
		err = errors.Join(err, source.Close())
	}
	clear(sc.open)
	return err
}

// A morsel number combines a chunk's number and a batch's number within it. A row number combines a
// chunk's number and a row's number within it.
const (
	morselBits = 20
	rowBits    = 32
)

type reader struct {
	scan   *scan
	chunk  format.Chunk // nil between chunks
	source *openSource
	number int64 // of chunk
	batch  int64 // of the next batch in chunk
	row    int64 // of the next row in chunk
	rowIDs vec.Vector
	dirs   []vec.Vector // columns from paths

	numbers vec.Vector // of rows in the file
}

// Next implements catalog.Reader.
func (r *reader) Next() (*vec.Batch, error) {
	for {
		if err := r.scan.ctx.Err(); err != nil {
			return nil, err
		}
		if r.chunk == nil {
			c, source, n, err := r.scan.take()
			if err != nil || c == nil {
				return nil, err
			}
			r.chunk, r.source, r.number, r.batch, r.row = c, source, n, 0, 0
		}
		var b *vec.Batch
		err := format.Guard(r.chunk.Path(), func() (err error) {
			b, err = r.chunk.Read()
			return err
		})
		if err != nil {
			return nil, format.ReadError(r.chunk.Path(), err)
		}
		if b == nil {
			if err := r.Close(); err != nil {
				return nil, err
			}
			continue
		}
		if b.N > 0 {
			return r.finish(b), nil
		}
	}
}

// finish numbers the batch and adds the requested row numbers and columns from directory names.
func (r *reader) finish(b *vec.Batch) *vec.Batch {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(r.scan.spec.Columns)), N: b.N, Morsel: r.number<<morselBits + r.batch}
	next := 0
	for i, c := range r.scan.spec.Columns {
		if c == r.scan.table.rowNumber && c >= 0 {
			out.Cols[i] = r.numbersOf(b.N)
			continue
		}
		if c >= r.scan.table.own {
			out.Cols[i] = r.directory(c-r.scan.table.own, b.N)
			continue
		}
		if c != catalog.RowID {
			out.Cols[i] = b.Cols[next]
			next++
			continue
		}
		r.rowIDs.Type = types.T(types.Int64)
		r.rowIDs.Resize(b.N)
		for j := range r.rowIDs.I64 {
			r.rowIDs.I64[j] = r.number<<rowBits + r.row + int64(j)
		}
		out.Cols[i] = &r.rowIDs
	}
	r.batch++
	r.row += int64(b.N)
	if r.scan.spec.Progress != nil {
		r.scan.spec.Progress(int64(b.N))
	}
	return out
}

// directory returns n rows of a column from directory names.
func (r *reader) directory(c, n int) *vec.Vector {
	if r.dirs == nil {
		r.dirs = make([]vec.Vector, len(r.scan.table.dirs.cols))
	}
	r.scan.table.dirs.fill(c, r.source.part, n, &r.dirs[c])
	return &r.dirs[c]
}

// Close implements catalog.Reader. It releases the current chunk.
func (r *reader) Close() error {
	if r.chunk == nil {
		return nil
	}
	r.chunk.End()
	r.chunk = nil
	return r.scan.release(r.source)
}

// numbersOf returns the numbers of the next n rows of the file, from 1.
func (r *reader) numbersOf(n int) *vec.Vector {
	r.numbers.Type = types.T(types.Int64)
	r.numbers.Resize(n)
	for i := range r.numbers.I64 {
		r.source.rows++
		r.numbers.I64[i] = r.source.rows
	}
	return &r.numbers
}

// Rejected returns the lines that a scan has skipped so far, sorted by file and line. Scans of
// tables that are not files have none.
func Rejected(src catalog.Source) []format.Reject {
	if sc, ok := src.(*scan); ok {
		return sc.req.Rejects.Sorted()
	}
	return nil
}
