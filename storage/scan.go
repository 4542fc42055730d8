package storage

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/segment"
)

// morselRows is the number of rows that a reader takes at once: enough to keep the cost of taking
// low, few enough to keep all readers busy until the end.
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
	picked  []int64 // ids of committed rows that are read in addition to the morsels, ascending
	taken   atomic.Int64
	ahead   *ahead // nil if the columns are in memory or only one row is read
	places  func() []int64
}

// Scan opens a scan. It omits segments that spec.Prune excludes. If spec.Prune fixes a unique
// key, the key's index finds the row.
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
	s.places = sync.OnceValue(s.countPlaces)
	if at, found, ok := v.point(spec.Prune); ok {
		s.narrow(at, found)
		return s, nil
	}
	if ids, ok := v.withKeys(spec.Keys); ok {
		s.narrow(contents.Place{}, false)
		s.picked = ids
		return s, nil
	}
	for i := range s.runs {
		if err := s.addMorsels(i); err != nil {
			return nil, err
		}
	}
	s.ahead = s.newAhead()
	return s, nil
}

// addMorsels cuts a run into morsels, without the rows that the scan's ranges exclude.
func (s *source) addMorsels(i int) (err error) {
	r := &s.runs[i]
	whole := []segment.Span{{To: r.rows()}}
	if r.Segment != nil && len(s.spec.Prune) > 0 {
		if r.Segment.Excluded(s.spec.Prune) {
			return nil
		}
		if whole, err = r.Segment.Spans(s.spec.Prune); err != nil {
			return err
		}
	}
	for _, x := range whole {
		for from := x.From; from < x.To; from += morselRows {
			s.morsels = append(s.morsels, morsel{i, from, min(from+morselRows, x.To)})
		}
	}
	return nil
}

// behind reports whether the scan's bound excludes all rows of a morsel.
func (s *source) behind(m *morsel) bool {
	if s.spec.Bound == nil || s.runs[m.run].Segment == nil {
		return false
	}
	r, nulls, ok := s.spec.Bound()
	if !ok || r.Column < 0 {
		return false
	}
	z := &s.runs[m.run].Segment.Cols[r.Column].Zone
	return (!nulls || z.Nulls == 0) && z.Excludes(&r)
}

// NewReader returns a reader for one goroutine.
func (s *source) NewReader() (catalog.Reader, error) {
	n := len(s.spec.Columns)
	r := &reader{src: s}
	r.batch.Cols = make([]*vec.Vector, n)
	if s.ahead != nil {
		r.first = int(s.ahead.readers.Add(1)-1) * readersApart
	}
	if s.picked != nil {
		return &keyReader{Reader: r, src: s}, nil
	}
	return r, nil
}

// Close releases nothing: the garbage collector frees snapshots.
func (s *source) Close() error { return nil }

// reader reads the batches of the morsels that it takes. Its vectors are reused.
type reader struct {
	src   *source
	at    morsel
	num   int64
	run   *run  // run of the current batch
	place int64 // rows of the morsel before the current batch
	given int64 // rows of the batch
	from  int   // the batch is rows [from, to) of the run
	to    int
	cols  vectors   // columns that are copied, such as widened ones
	tails vectors   // columns that share memory: tail blocks and dictionaries; separate because cols are overwritten
	views vectors   // selected rows of either
	codes [][]int32 // buffers of composed dictionary codes, by column
	runs  []segment.Expansion
	data  []*segment.Data // what has been loaded of the run's columns
	first int             // column that loadAhead begins with
	live  []int32
	batch vec.Batch
}

// vectors holds one vector per column of a batch. It is allocated on first use: a table with few
// rows only needs tails.
type vectors []vec.Vector

// at returns the vector of column i out of n.
func (v *vectors) at(i, n int) *vec.Vector {
	if *v == nil {
		*v = make([]vec.Vector, n)
	}
	return &(*v)[i]
}

// Next returns the next batch that has rows.
func (r *reader) Next() (*vec.Batch, error) {
	n, live, err := r.Advance()
	if n == 0 || err != nil {
		return nil, err
	}
	if live != nil {
		n = len(live)
	}
	for i := range r.batch.Cols {
		if r.batch.Cols[i], err = r.Column(i, live); err != nil {
			return nil, err
		}
	}
	r.batch.N, r.batch.Morsel = n, r.num
	return &r.batch, nil
}

// Advance implements catalog.LateReader.
func (r *reader) Advance() (n int, live []int32, err error) {
	for {
		if err := r.src.ctx.Err(); err != nil {
			return 0, nil, sqlerr.From(err)
		}
		if r.at.from >= r.at.to && !r.take() {
			return 0, nil, nil
		}
		run := &r.src.runs[r.at.run]
		from, to := r.at.from, min(r.at.to, r.at.from+r.src.spec.BatchSize)
		if run.tail != nil {
			b := run.tail.BlockAt(from)
			to = min(to, b.Start+b.Cap)
		}
		r.at.from, r.run, r.from, r.to = to, run, from, to
		r.place += r.given
		if r.given = int64(to - from); run.Del.None(from, to) {
			return to - from, nil, nil
		}
		r.live = run.Del.Live(r.live[:0], from, to)
		if r.given = int64(len(r.live)); r.given > 0 {
			return to - from, r.live, nil
		}
	}
}

// Morsel implements catalog.LateReader.
func (r *reader) Morsel() int64 { return r.num }

// Place implements catalog.PlacedReader.
func (r *reader) Place() (row int64, ok bool) {
	if r.src.spec.Bound != nil || r.src.picked != nil {
		return 0, false
	}
	return r.src.places()[r.num-1] + r.place, true
}

// countPlaces returns the number of rows before each morsel.
func (s *source) countPlaces() []int64 {
	places, n := make([]int64, len(s.morsels)), 0
	var live []int32
	for i, m := range s.morsels {
		places[i] = int64(n)
		if del := s.runs[m.run].Del; !del.None(m.from, m.to) {
			live = del.Live(live[:0], m.from, m.to)
			n += len(live)
			continue
		}
		n += m.to - m.from
	}
	return places
}

// take takes the next morsel that the scan's bound does not exclude.
func (r *reader) take() bool {
	i := r.src.next.Add(1) - 1
	for ; i < int64(len(r.src.morsels)) && r.src.behind(&r.src.morsels[i]); i = r.src.next.Add(1) - 1 {
	}
	if i >= int64(len(r.src.morsels)) {
		return false
	}
	if r.src.morsels[i].run != r.at.run {
		clear(r.data)
		if r.src.ahead != nil {
			r.loadAhead(i)
		}
	}
	r.at, r.num, r.place, r.given = r.src.morsels[i], i+1, 0, 0
	if r.src.spec.Progress != nil {
		r.src.spec.Progress(int64(r.at.to - r.at.from))
	}
	return true
}

// Column implements catalog.LateReader.
func (r *reader) Column(i int, rows []int32) (*vec.Vector, error) {
	c := r.src.spec.Columns[i]
	if c == catalog.RowID {
		return r.rowIDs(i, rows), nil
	}
	def := &r.src.v.schema.Columns[c]
	if r.run.tail != nil {
		v := r.tails.at(i, len(r.batch.Cols))
		r.run.tail.BlockAt(r.from).Read(c, r.from, r.to, v)
		v.Stored = true
		return r.some(i, v, rows), nil
	}
	col, err := r.load(i, &r.run.Segment.Cols[c])
	if err != nil {
		return nil, err
	}
	if col.Runs != nil {
		if r.runs == nil {
			r.runs = make([]segment.Expansion, len(r.batch.Cols))
		}
		return col.Runs.Read(def.Type, r.from, r.to, rows, r.src.spec.Narrow, &r.runs[i]), nil
	}
	lasting := r.run.Segment.Cols[c].Source() == nil // otherwise the cache may drop it while a consumer keeps its texts
	own := &r.cols
	if col.Dict != nil {
		own = &r.tails
	}
	v := own.at(i, len(r.batch.Cols))
	if col.Ints != nil {
		return r.decimals(i, col.Ints, def.Type, v, rows), nil
	}
	if rows != nil && col.Dict == nil {
		if taken, err := arrowvec.Take(col.Arr, def.Type, r.from, rows, v); taken || err != nil {
			if v.Stored = lasting; !lasting && def.Type.Kind() == types.KindStr && fewOf*len(rows) <= r.to-r.from {
				v.OwnTexts()
			}
			return v, err
		}
	}
	if err := col.Read(def, r.from, r.to, v); err != nil {
		return nil, err
	}
	v.Stored = lasting && v.Form != vec.View
	return r.some(i, v, rows), nil
}

// Stored implements catalog.StoredReader.
func (r *reader) Stored(i int) (out catalog.Stored, err error) {
	c := r.src.spec.Columns[i]
	if c == catalog.RowID || r.run.tail != nil {
		return out, nil
	}
	col, err := r.load(i, &r.run.Segment.Cols[c])
	if err != nil {
		return out, err
	}
	return col.Stored(r.from, r.to), nil
}

// fewOf is the part of the rows, one in so many, of which texts are copied: a consumer that keeps them would otherwise
// keep all of the column in memory.
const fewOf = 4

// load returns the data of a segment's column. What it has read from a file stays in memory at
// least until the reader takes a morsel of another segment.
func (r *reader) load(i int, col *segment.Column) (d *segment.Data, err error) {
	if col.Source() == nil {
		return col.Data()
	}
	if r.data == nil {
		r.data = make([]*segment.Data, len(r.batch.Cols))
	}
	if r.data[i] == nil {
		if r.src.ahead != nil { // nil if keys find the rows
			r.src.ahead.used[i].Store(true)
			r.insteadOfWaiting(i)
		}
		r.data[i], err = col.Data()
	}
	return r.data[i], err
}

// decimals reads decimals stored in at most 64 bits.
func (r *reader) decimals(i int, ints arrow.Array, t types.Type, v *vec.Vector, rows []int32) *vec.Vector {
	switch {
	case r.src.spec.Narrow && rows != nil && arrowvec.TakeNarrow(ints, t, r.from, rows, v):
	case r.src.spec.Narrow:
		arrowvec.FromNarrow(ints, t, r.from, r.to, v)
		return r.some(i, v, rows)
	case rows != nil:
		arrowvec.TakeWide(ints, t, r.from, rows, v)
	default:
		arrowvec.Widen(ints, t, r.from, r.to, v)
	}
	return v
}

// some returns a view of the given rows of v, which is column i of the batch, or v if rows is
// nil.
func (r *reader) some(i int, v *vec.Vector, rows []int32) *vec.Vector {
	if rows == nil {
		return v
	}
	out := r.views.at(i, len(r.batch.Cols))
	if v.Form != vec.View {
		*out = vec.Vector{Type: v.Type, Form: vec.View, N: len(rows), Base: v, Idx: rows}
		return out
	}
	if r.codes == nil {
		r.codes = make([][]int32, len(r.batch.Cols))
	}
	codes := r.codes[i][:0]
	for _, x := range rows {
		codes = append(codes, v.Idx[x])
	}
	r.codes[i] = codes
	*out = vec.Vector{Type: v.Type, Form: vec.View, N: len(codes), Base: v.Base, Idx: codes}
	return out
}

// rowIDs returns the ids of the given rows of the batch, or of all rows if rows is nil.
func (r *reader) rowIDs(i int, rows []int32) *vec.Vector {
	v := r.cols.at(i, len(r.batch.Cols))
	v.Type = types.T(types.Int64)
	if rows == nil {
		v.Resize(r.to - r.from)
		for j := range v.I64 {
			v.I64[j] = r.run.id(r.from + j)
		}
		return v
	}
	v.Resize(len(rows))
	for j, x := range rows {
		v.I64[j] = r.run.id(r.from + int(x))
	}
	return v
}

// id returns the id of a row.
func (r *run) id(row int) int64 {
	if r.Segment != nil && r.IDs != nil {
		return r.IDs[row]
	}
	return r.Base + int64(row)
}

// Close ends the reader.
func (r *reader) Close() error { return nil }
