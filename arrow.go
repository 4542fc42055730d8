package gsql

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/vec"
)

// QueryArrow runs one statement and gives its rows as Arrow records, which own their
// memory. The reader must be released; releasing it before the end cancels the query.
// The error is 1105 when the statement gives no rows.
func (s *Session) QueryArrow(ctx context.Context, text string, args ...any) (array.RecordReader, error) {
	rows, err := s.Query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	if len(rows.Columns) == 0 {
		return nil, sqlerr.New(sqlerr.UnknownError, "the statement gives no rows")
	}
	r := &recordReader{rows: rows, schema: arrowSchema(rows.Columns), zone: timezone.Of(s)}
	r.refs.Store(1)
	return r, nil
}

func arrowSchema(cols []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type.Arrow(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// recordReader is an array.RecordReader over a result.
type recordReader struct {
	refs   atomic.Int64
	rows   *Rows
	schema *arrow.Schema
	zone   *time.Location // of the query's TIMESTAMPs
	rec    arrow.Record
	err    error
}

// Retain implements array.RecordReader.
func (r *recordReader) Retain() { r.refs.Add(1) }

// Release implements array.RecordReader.
func (r *recordReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		if err := r.rows.Close(); r.err == nil {
			r.err = err
		}
	}
}

func (r *recordReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Schema implements array.RecordReader.
func (r *recordReader) Schema() *arrow.Schema { return r.schema }

// Record implements array.RecordReader: valid until the next Next unless retained.
func (r *recordReader) Record() arrow.Record { return r.rec }

// Err implements array.RecordReader.
func (r *recordReader) Err() error { return r.err }

// Next implements array.RecordReader.
func (r *recordReader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	b, err := r.rows.NextBatch()
	if err != nil || b == nil {
		r.err = err
		return false
	}
	r.rec, r.err = r.record(b)
	return r.err == nil
}

// record copies a batch: its vectors are only valid until the next one.
func (r *recordReader) record(b *vec.Batch) (arrow.Record, error) {
	return arrowvec.ToRecord(r.schema, arrowvec.InUTC(b, r.zone), memory.DefaultAllocator)
}
