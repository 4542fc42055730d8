// Package arrowtable provides read-only tables over Arrow records registered by the host program.
package arrowtable

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// table is a read-only table over Arrow records.
type table struct {
	name    string
	version uint64
	schema  *catalog.Schema
	recs    []arrow.Record
	starts  []int64 // first row of each record, then the total number of rows
	stats   catalog.Stats
	sample  sample
	mem     *mem.Account // charged for the sample
}

// versions counts the tables of this process.
var versions atomic.Uint64

// ownVersions distinguishes the versions of these tables from those of other kinds.
const ownVersions = 1 << 63

// New returns a read-only table of records without copying them. It retains them, unless it fails,
// and never releases them, because results and other tables may share their texts: the garbage
// collector frees what their allocator has taken from the Go heap. All records must have the schema.
// Errors: 1235 for a column whose type gsql does not support, 1210 for a record of another schema,
// 1366 for text that is not UTF-8. account is charged for the rows that are sampled, but not for the
// records, which are the caller's.
func New(name string, account *mem.Account, schema *arrow.Schema, recs []arrow.Record) (catalog.Table, error) {
	t := &table{name: name, version: versions.Add(1) | ownVersions, mem: account, schema: &catalog.Schema{}, recs: recs, starts: []int64{0}}
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
		if err := CheckTexts(r, t.schema, t.starts[len(t.starts)-1]); err != nil {
			return nil, err
		}
		t.starts = append(t.starts, t.starts[len(t.starts)-1]+r.NumRows())
	}
	for _, r := range recs {
		r.Retain()
	}
	t.stats = catalog.Stats{Rows: t.starts[len(recs)], Exact: true}
	return t, nil
}

// CheckTexts returns error 1366 if a record has text that is not UTF-8. before is the number of
// preceding rows, for the error.
func CheckTexts(r arrow.Record, schema *catalog.Schema, before int64) error {
	for i, arr := range r.Columns() {
		if row, value := arrowvec.CheckText(arr); row >= 0 {
			return types.NotText(value, schema.Columns[i].Name, before+int64(row)+1).
				WithHint("The column is declared as text, which is UTF-8: declare it as binary, or correct its values.")
		}
	}
	return nil
}

// Name implements catalog.Table.
func (t *table) Name() string { return t.name }

// Schema implements catalog.Table.
func (t *table) Schema() *catalog.Schema { return t.schema }

// Stats implements catalog.Table. Only the number of rows is known.
func (t *table) Stats() *catalog.Stats { return &t.stats }

// Version implements catalog.Table.
func (t *table) Version() uint64 { return t.version }

// Lasts implements catalog.Lasting: no other table of the process has the version, and records never change.
func (t *table) Lasts() bool { return true }

// recordMorsel is the number of rows that a reader takes at once.
const recordMorsel = 64 << 10

// Scan implements catalog.Table.
func (t *table) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	s := &recordScan{ctx: ctx, t: t, spec: spec}
	s.dicts.Mem = spec.Mem
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

// recordScan hands out ranges of records.
type recordScan struct {
	ctx     context.Context
	t       *table
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
func (s *recordScan) Close() error {
	s.dicts.Close()
	return nil
}

// recordReader reads the ranges that it takes, one batch at a time.
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

// column sets column i of the batch to n rows of the table's column o.
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
