package storage

import (
	"context"
	"sync/atomic"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// morselRows is how many rows a reader takes at once: enough to make taking cheap, few
// enough to keep all readers busy to the end.
const morselRows = 8 * vec.BatchSize

// morsel is a range of rows of one run.
type morsel struct {
	run      int
	from, to int
}

// source is a scan of a version.
type source struct {
	ctx     context.Context
	v       *version
	spec    catalog.ScanSpec
	runs    []run
	morsels []morsel
	next    atomic.Int64
}

// Scan opens a scan. Segments that spec.Prune excludes are left out; where it fixes a
// unique key, the key's index gives the row.
func (v *version) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	for _, c := range spec.Columns {
		if c < catalog.RowID || c >= len(v.schema.Columns) {
			return nil, sqlerr.Internal("table '%s' has no column number %d", v.name, c)
		}
	}
	if spec.BatchSize <= 0 {
		spec.BatchSize = vec.BatchSize
	}
	s := &source{ctx: ctx, v: v, spec: spec, runs: v.runs()}
	if at, found, ok := v.point(spec.Prune); ok {
		s.narrow(at, found)
		return s, nil
	}
	for i := range s.runs {
		s.addMorsels(i)
	}
	return s, nil
}

// addMorsels cuts a run into morsels unless its ranges exclude all of it.
func (s *source) addMorsels(i int) {
	r := &s.runs[i]
	if r.segment != nil && r.segment.excluded(s.spec.Prune) {
		return
	}
	for from := 0; from < r.rows(); from += morselRows {
		s.morsels = append(s.morsels, morsel{i, from, min(from+morselRows, r.rows())})
	}
}

// excluded is true when the ranges rule out every row.
func (s *segment) excluded(ranges []catalog.Range) bool {
	for i := range ranges {
		if r := &ranges[i]; r.Column >= 0 && r.Column < len(s.cols) && s.cols[r.Column].zone.excludes(r) {
			return true
		}
	}
	return false
}

// NewReader makes a reader for one goroutine.
func (s *source) NewReader() (catalog.Reader, error) {
	n := len(s.spec.Columns)
	r := &reader{src: s}
	r.batch.Cols = make([]*vec.Vector, n)
	return r, nil
}

// Close releases nothing: the garbage collector frees snapshots.
func (s *source) Close() error { return nil }

// reader reads the batches of the morsels it takes. Its vectors are reused.
type reader struct {
	src   *source
	at    morsel
	num   int64
	cols  vectors   // widened columns of segments
	tails vectors   // what shares all its memory: tail blocks and dictionaries; apart because cols are written to
	views vectors   // the rows left of either where some are deleted
	codes [][]int32 // buffers of composed dictionary codes, by column
	live  []int32
	batch vec.Batch
}

// vectors are those of a batch's columns, made when the first is wanted: a table of few
// rows needs only the tails.
type vectors []vec.Vector

// at gives the vector of column i of n.
func (v *vectors) at(i, n int) *vec.Vector {
	if *v == nil {
		*v = make([]vec.Vector, n)
	}
	return &(*v)[i]
}

// Next gives the next batch that has rows.
func (r *reader) Next() (*vec.Batch, error) {
	for {
		if err := r.src.ctx.Err(); err != nil {
			return nil, sqlerr.From(err)
		}
		if r.at.from >= r.at.to && !r.take() {
			return nil, nil
		}
		run := &r.src.runs[r.at.run]
		from, to := r.at.from, min(r.at.to, r.at.from+r.src.spec.BatchSize)
		if run.tail != nil {
			b := run.tail.blockAt(from)
			to = min(to, b.start+b.cap)
		}
		r.at.from = to
		n, err := r.read(run, from, to)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			r.batch.N, r.batch.Morsel = n, r.num
			return &r.batch, nil
		}
	}
}

// take takes the next morsel.
func (r *reader) take() bool {
	i := r.src.next.Add(1) - 1
	if i >= int64(len(r.src.morsels)) {
		return false
	}
	r.at, r.num = r.src.morsels[i], i+1
	if r.src.spec.Progress != nil {
		r.src.spec.Progress(int64(r.at.to - r.at.from))
	}
	return true
}

// read fills the batch with the rows of [from, to) that are not deleted.
func (r *reader) read(run *run, from, to int) (int, error) {
	all := run.del.none(from, to)
	r.live = r.live[:0]
	n := to - from
	if !all {
		if r.live = run.del.live(r.live, from, to); len(r.live) == 0 {
			return 0, nil
		}
		n = len(r.live)
	}
	for i, c := range r.src.spec.Columns {
		if c == catalog.RowID {
			r.batch.Cols[i] = r.rowIDs(run, i, from, to, all)
			continue
		}
		v, err := r.column(run, i, c, from, to)
		if err != nil {
			return 0, err
		}
		if !all {
			v = r.survivors(i, v)
		}
		r.batch.Cols[i] = v
	}
	return n, nil
}

// column reads rows [from, to) of column c for place i of the batch.
func (r *reader) column(run *run, i, c, from, to int) (*vec.Vector, error) {
	if run.tail != nil {
		v := r.tails.at(i, len(r.batch.Cols))
		run.tail.blockAt(from).read(c, from, to, v)
		return v, nil
	}
	own := &r.cols
	if run.segment.cols[c].dict != nil {
		own = &r.tails
	}
	dst := own.at(i, len(r.batch.Cols))
	return dst, run.segment.cols[c].read(&r.src.v.schema.Columns[c], from, to, dst)
}

// survivors views the live rows of v.
func (r *reader) survivors(i int, v *vec.Vector) *vec.Vector {
	out := r.views.at(i, len(r.batch.Cols))
	if v.Form != vec.View {
		*out = vec.Vector{Type: v.Type, Form: vec.View, N: len(r.live), Base: v, Idx: r.live}
		return out
	}
	if r.codes == nil {
		r.codes = make([][]int32, len(r.batch.Cols))
	}
	codes := r.codes[i][:0]
	for _, x := range r.live {
		codes = append(codes, v.Idx[x])
	}
	r.codes[i] = codes
	*out = vec.Vector{Type: v.Type, Form: vec.View, N: len(codes), Base: v.Base, Idx: codes}
	return out
}

// rowIDs makes the ids of the live rows.
func (r *reader) rowIDs(run *run, i, from, to int, all bool) *vec.Vector {
	v := r.cols.at(i, len(r.batch.Cols))
	v.Type = types.T(types.Int64)
	if all {
		v.Resize(to - from)
		for j := range v.I64 {
			v.I64[j] = run.id(from + j)
		}
		return v
	}
	v.Resize(len(r.live))
	for j, x := range r.live {
		v.I64[j] = run.id(from + int(x))
	}
	return v
}

// id gives the id of a row.
func (r *run) id(row int) int64 {
	if r.segment != nil && r.ids != nil {
		return r.ids[row]
	}
	return r.base + int64(row)
}

// Close ends the reader.
func (r *reader) Close() error { return nil }
