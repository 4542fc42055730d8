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
	// places are the positions of spec.Columns in req.Columns.
	places []int

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
		req: format.Request{Batch: spec.BatchSize, Prune: spec.Prune, Bound: spec.Bound, Passing: spec.Passing, Mem: spec.Mem}}
	if sc.numbered = t.rowNumber >= 0 && slices.Contains(spec.Columns, t.rowNumber); sc.numbered {
		sc.req.Prune, sc.req.Bound = nil, nil // rows that are not needed count, too
	}
	if sc.req.Batch <= 0 {
		sc.req.Batch = vec.BatchSize
	}
	for _, c := range spec.Columns {
		sc.places = append(sc.places, len(sc.req.Columns))
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

// Rejected returns the lines that a scan has skipped so far, sorted by file and line. Scans of
// tables that are not files have none.
func Rejected(src catalog.Source) []format.Reject {
	if sc, ok := src.(*scan); ok {
		return sc.req.Rejects.Sorted()
	}
	return nil
}
