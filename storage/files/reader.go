package files

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// A morsel number combines a chunk's number and a batch's number within it. A row number combines a
// chunk's number and a row's number within it.
const (
	morselBits = 20
	rowBits    = 32
)

// reader reads the chunks that it takes from a scan. Its columns are read on request if the format
// can do that.
type reader struct {
	scan   *scan
	chunk  format.Chunk // nil between chunks
	source *openSource
	number int64 // of chunk
	batch  int64 // of the next batch in chunk
	row    int64 // of the next row in chunk

	late   format.LateChunk // chunk, if it reads columns on request
	whole  *vec.Batch       // the batch, if not
	n      int              // rows of the batch
	rowIDs vec.Vector
	dirs   []vec.Vector // columns from paths
	views  vec.Composer

	before int64      // rows of the file before the batch, if the scan numbers them
	lines  vec.Vector // their numbers
}

// Next implements catalog.Reader.
func (r *reader) Next() (*vec.Batch, error) {
	n, _, err := r.Advance()
	if n == 0 || err != nil {
		return nil, err
	}
	out := &vec.Batch{Cols: make([]*vec.Vector, len(r.scan.spec.Columns)), N: n, Morsel: r.Morsel()}
	for i := range out.Cols {
		if out.Cols[i], err = r.Column(i, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Advance implements catalog.LateReader. All rows of files are live.
func (r *reader) Advance() (n int, live []int32, err error) {
	r.row += int64(r.n)
	r.n = 0
	for r.n == 0 {
		if err := r.scan.ctx.Err(); err != nil {
			return 0, nil, err
		}
		if r.chunk == nil {
			c, source, n, err := r.scan.take()
			if err != nil || c == nil {
				return 0, nil, err
			}
			r.chunk, r.source, r.number, r.batch, r.row = c, source, n, 0, 0
			r.late, _ = c.(format.LateChunk)
		}
		more, err := r.advance()
		if err != nil {
			return 0, nil, format.ReadError(r.chunk.Path(), err)
		}
		if !more {
			if err := r.Close(); err != nil {
				return 0, nil, err
			}
		}
	}
	r.views.Reset()
	r.batch++
	if r.scan.numbered {
		r.before = r.source.rows
		r.source.rows += int64(r.n)
	}
	if r.scan.spec.Progress != nil {
		r.scan.spec.Progress(int64(r.n))
	}
	return r.n, nil, nil
}

// advance moves to the chunk's next batch, unless it has no more.
func (r *reader) advance() (more bool, err error) {
	err = format.Guard(r.chunk.Path(), func() (err error) {
		if r.late != nil {
			r.n, err = r.late.Advance()
			more = r.n > 0
			return err
		}
		r.whole, err = r.chunk.Read()
		if more = r.whole != nil; more {
			r.n = r.whole.N
		}
		return err
	})
	return more, err
}

// Column implements catalog.LateReader.
func (r *reader) Column(i int, rows []int32) (v *vec.Vector, err error) {
	switch c := r.scan.spec.Columns[i]; {
	case c == r.scan.table.rowNumber && c >= 0:
		v = r.numbersOf()
	case c >= r.scan.table.own:
		v = r.directory(c-r.scan.table.own, r.n)
	case c == catalog.RowID:
		v = r.ids()
	case r.late == nil:
		v = r.whole.Cols[r.scan.places[i]]
	default:
		err = format.Guard(r.chunk.Path(), func() (err error) {
			v, err = r.late.Column(r.scan.places[i])
			return err
		})
		if err != nil {
			return nil, format.ReadError(r.chunk.Path(), err)
		}
	}
	if rows != nil {
		v = r.views.View(v, rows)
	}
	return v, nil
}

// Morsel implements catalog.LateReader.
func (r *reader) Morsel() int64 { return r.number<<morselBits + r.batch - 1 }

// ids returns the row ids of the batch.
func (r *reader) ids() *vec.Vector {
	r.rowIDs.Type = types.T(types.Int64)
	r.rowIDs.Resize(r.n)
	for j := range r.rowIDs.I64 {
		r.rowIDs.I64[j] = r.number<<rowBits + r.row + int64(j)
	}
	return &r.rowIDs
}

// numbersOf returns the numbers of the batch's rows in their file, from 1.
func (r *reader) numbersOf() *vec.Vector {
	r.lines.Type = types.T(types.Int64)
	r.lines.Resize(r.n)
	for j := range r.lines.I64 {
		r.lines.I64[j] = r.before + int64(j) + 1
	}
	return &r.lines
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
