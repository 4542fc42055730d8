package files

import (
	"context"
	"errors"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// chunkSource hands out the chunks of one file in order. Calls never overlap.
type chunkSource interface {
	// next gives the next chunk that may hold needed rows, or nil at the end.
	next() (chunk, error)
	close() error
}

// ender is a chunk that wants to know when no reader has it any more.
type ender interface{ end() }

// chunk is a run of rows that one reader decodes.
type chunk interface {
	// read gives the next batch of the scan's columns (row numbers excepted), valid
	// until the following call, or nil at the end.
	read() (*vec.Batch, error)
	path() string
}

// scan is an open scan over all files of a table. Readers take chunks from it.
type scan struct {
	ctx   context.Context
	spec  catalog.ScanSpec
	table *table
	cols  []int // the columns to decode: spec.Columns without row numbers and directories' names
	batch int

	mu      sync.Mutex
	part    int         // the next file to open
	source  *openSource // nil between files
	open    map[*openSource]struct{}
	chunks  int64 // handed out
	rejects rejectList
}

// openSource is an opened file. It is closed when its chunks have been handed out and
// their readers are done with them.
type openSource struct {
	chunkSource
	part    int // the number of the file
	readers int
	drained bool
}

// Scan implements catalog.Table.
func (t *table) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	sc := &scan{ctx: ctx, spec: spec, table: t, batch: spec.BatchSize, open: make(map[*openSource]struct{})}
	if sc.batch <= 0 {
		sc.batch = vec.BatchSize
	}
	for _, c := range spec.Columns {
		if c == catalog.RowID || c >= t.own {
			continue
		}
		sc.cols = append(sc.cols, c)
		if col := t.schema.Columns[c]; col.Type.ID == types.Null && col.Comment != "" {
			return nil, sqlerr.Unsupported(-1, "column '%s' of type %s", col.Name, col.Comment).
				WithHint("Select the other columns of '%s'.", t.name)
		}
	}
	return sc, nil
}

// take gives the next chunk of the scan, the file it is of and its number, or nil at
// the end.
func (sc *scan) take() (chunk, *openSource, int64, error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
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
			source, err := sc.table.parts[sc.part].chunks(sc)
			if err != nil {
				return nil, nil, 0, err
			}
			sc.source = &openSource{chunkSource: source, part: sc.part}
			sc.open[sc.source] = struct{}{}
			sc.part++
		}
		source := sc.source
		c, err := source.next()
		if err != nil {
			return nil, nil, 0, err
		}
		if c != nil {
			sc.chunks++
			source.readers++
			return c, source, sc.chunks - 1, nil
		}
		sc.source, source.drained = nil, true
		if err := sc.closeIdle(source); err != nil {
			return nil, nil, 0, err
		}
	}
}

// release says that a chunk of source is done with.
func (sc *scan) release(source *openSource) error {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	source.readers--
	return sc.closeIdle(source)
}

func (sc *scan) closeIdle(source *openSource) error {
	if _, open := sc.open[source]; !open || !source.drained || source.readers > 0 {
		return nil
	}
	delete(sc.open, source)
	return source.close()
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
		err = errors.Join(err, source.close())
	}
	clear(sc.open)
	return err
}

// A chunk's number and the batch's number in it make the morsel number; so do the
// chunk's number and the row's in it for row numbers.
const (
	morselBits = 20
	rowBits    = 32
)

type reader struct {
	scan   *scan
	chunk  chunk // nil between chunks
	source *openSource
	number int64 // of chunk
	batch  int64 // of the next batch in chunk
	row    int64 // of the next row in chunk
	rowIDs vec.Vector
	dirs   []vec.Vector // columns of directories' names
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
		err := guard(r.chunk.path(), func() (err error) {
			b, err = r.chunk.read()
			return err
		})
		if err != nil {
			return nil, readError(r.chunk.path(), err)
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

// finish numbers the batch and adds row numbers where they are asked for.
func (r *reader) finish(b *vec.Batch) *vec.Batch {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(r.scan.spec.Columns)), N: b.N, Morsel: r.number<<morselBits + r.batch}
	next := 0
	for i, c := range r.scan.spec.Columns {
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

// directory gives n rows of a column of directories' names.
func (r *reader) directory(c, n int) *vec.Vector {
	if r.dirs == nil {
		r.dirs = make([]vec.Vector, len(r.scan.table.dirs.cols))
	}
	r.scan.table.dirs.fill(c, r.source.part, n, &r.dirs[c])
	return &r.dirs[c]
}

// Close implements catalog.Reader: it gives up the current chunk.
func (r *reader) Close() error {
	if r.chunk == nil {
		return nil
	}
	if e, ok := r.chunk.(ender); ok {
		e.end()
	}
	r.chunk = nil
	return r.scan.release(r.source)
}
