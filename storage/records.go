package storage

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// records is a read-only table over Arrow records that somebody else made.
type records struct {
	name    string
	version uint64
	schema  *catalog.Schema
	recs    []arrow.Record
	starts  []int64 // first row of each record, and the end
	stats   catalog.Stats
}

// FromRecords makes a read-only table of records without copying them; they are retained
// for the table's life. All must have the schema. Error 1235 for a column whose type
// gsql has no equal of.
func FromRecords(name string, version uint64, schema *arrow.Schema, recs []arrow.Record) (catalog.Table, error) {
	t := &records{name: name, version: version, schema: &catalog.Schema{}, recs: recs, starts: []int64{0}}
	for _, f := range schema.Fields() {
		typ, ok := types.FromArrow(f.Type)
		if !ok {
			return nil, sqlerr.Unsupported(-1, "Arrow type %s of column '%s'", f.Type, f.Name)
		}
		t.schema.Columns = append(t.schema.Columns, catalog.Column{Name: f.Name, Type: typ, NotNull: !f.Nullable})
	}
	for _, r := range recs {
		if !r.Schema().Equal(schema) {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to RegisterArrow: a record has schema %s, not %s", r.Schema(), schema)
		}
		r.Retain()
		t.starts = append(t.starts, t.starts[len(t.starts)-1]+r.NumRows())
	}
	t.stats = catalog.Stats{Rows: t.starts[len(recs)], Exact: true}
	return t, nil
}

// Name implements catalog.Table.
func (t *records) Name() string { return t.name }

// Schema implements catalog.Table.
func (t *records) Schema() *catalog.Schema { return t.schema }

// Stats implements catalog.Table: the number of rows is all that is known.
func (t *records) Stats() *catalog.Stats { return &t.stats }

// Version implements catalog.Table.
func (t *records) Version() uint64 { return t.version }

// recordMorsel is the number of rows a reader takes at a time.
const recordMorsel = 64 << 10

// Scan implements catalog.Table.
func (t *records) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	s := &recordScan{ctx: ctx, t: t, spec: spec}
	if s.spec.BatchSize <= 0 {
		s.spec.BatchSize = vec.BatchSize
	}
	for i, r := range t.recs {
		for from := int64(0); from < r.NumRows(); from += recordMorsel {
			s.morsels = append(s.morsels, recordRange{i, int(from), int(min(from+recordMorsel, r.NumRows()))})
		}
	}
	return s, nil
}

type recordRange struct{ rec, from, to int }

// recordScan deals out ranges of records.
type recordScan struct {
	ctx     context.Context
	t       *records
	spec    catalog.ScanSpec
	morsels []recordRange
	next    atomic.Int64
	dicts   arrowvec.DictCache
}

// NewReader implements catalog.Source.
func (s *recordScan) NewReader() (catalog.Reader, error) {
	r := &recordReader{scan: s, batch: vec.Batch{Cols: make([]*vec.Vector, len(s.spec.Columns))}}
	for i := range r.batch.Cols {
		r.batch.Cols[i] = &vec.Vector{}
	}
	return r, nil
}

// Close implements catalog.Source.
func (s *recordScan) Close() error { return nil }

// recordReader reads the ranges it takes, a batch at a time.
type recordReader struct {
	scan  *recordScan
	cur   recordRange
	seq   int64
	batch vec.Batch
}

// Next implements catalog.Reader.
func (r *recordReader) Next() (*vec.Batch, error) {
	s := r.scan
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	if r.cur.from >= r.cur.to {
		i := s.next.Add(1) - 1
		if i >= int64(len(s.morsels)) {
			return nil, nil
		}
		r.cur, r.seq = s.morsels[i], i+1
	}
	n := min(s.spec.BatchSize, r.cur.to-r.cur.from)
	for i, o := range s.spec.Columns {
		if err := r.column(i, o, n); err != nil {
			return nil, err
		}
	}
	r.cur.from += n
	r.batch.N, r.batch.Morsel = n, r.seq
	if s.spec.Progress != nil {
		s.spec.Progress(int64(n))
	}
	return &r.batch, nil
}

// column fills column i of the batch with n rows of the table's column o.
func (r *recordReader) column(i, o, n int) error {
	s := r.scan
	if o == catalog.RowID {
		v := r.batch.Cols[i]
		v.Type = types.T(types.Int64)
		v.Resize(n)
		for k := range v.I64 {
			v.I64[k] = s.t.starts[r.cur.rec] + int64(r.cur.from+k)
		}
		return nil
	}
	arr := s.t.recs[r.cur.rec].Column(o)
	t := s.t.schema.Columns[o].Type
	return s.dicts.FromArray(arr, t, r.cur.from, r.cur.from+n, r.batch.Cols[i])
}

// Close implements catalog.Reader.
func (r *recordReader) Close() error { return nil }
