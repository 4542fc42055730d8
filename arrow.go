package gsql

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
)

// QueryArrow runs one statement and returns its rows as Arrow records, which own their memory. The
// caller must release the reader; releasing it before the end cancels the query. A released reader
// has no more records: Next returns false, and Err says why. The error is 1105 if the statement
// returns no rows.
func (s *Session) QueryArrow(ctx context.Context, text string, args ...any) (array.RecordReader, error) {
	rows, err := s.Query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	if len(rows.Columns) == 0 {
		if err := rows.Close(); err != nil {
			return nil, err
		}
		return nil, sqlerr.New(sqlerr.UnknownError, "the statement returns no rows")
	}
	names, ts := make([]string, len(rows.Columns)), make([]types.Type, len(rows.Columns))
	for i, c := range rows.Columns {
		names[i], ts[i] = c.Name, c.Type
	}
	r := &recordReader{rows: rows, build: arrowvec.NewBuilder(names, ts, &recycled), zone: timezone.Of(s.state())}
	r.refs.Store(1)
	return r, nil
}

// recycled is the memory of records, most of which are released before the next one is built.
var recycled arrowvec.Recycler

// recordReader is an array.RecordReader over a result.
type recordReader struct {
	refs  atomic.Int64
	rows  *Rows
	build *arrowvec.Builder
	zone  *time.Location // of the query's TIMESTAMPs
	rec   arrow.Record
	err   error
}

// Retain implements array.RecordReader. It does not revive a released reader.
func (r *recordReader) Retain() {
	for n := r.refs.Load(); n > 0; n = r.refs.Load() {
		if r.refs.CompareAndSwap(n, n+1) {
			return
		}
	}
}

// Release implements array.RecordReader. Surplus calls do nothing.
func (r *recordReader) Release() {
	for n := r.refs.Load(); n > 0; n = r.refs.Load() {
		if !r.refs.CompareAndSwap(n, n-1) {
			continue
		}
		if n == 1 {
			r.end()
		}
		return
	}
}

// end closes the result.
func (r *recordReader) end() {
	r.drop()
	r.build.Release()
	if err := r.rows.Close(); r.err == nil {
		r.err = err
	}
}

func (r *recordReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Schema implements array.RecordReader.
func (r *recordReader) Schema() *arrow.Schema { return r.build.Schema() }

// Record implements array.RecordReader: valid until the next Next unless retained.
func (r *recordReader) Record() arrow.Record { return r.rec }

// Err implements array.RecordReader.
func (r *recordReader) Err() error { return r.err }

// Next implements array.RecordReader. After an error, rows since the last record are dropped.
func (r *recordReader) Next() bool {
	if r.refs.Load() <= 0 {
		if r.err == nil {
			r.err = sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of Next and released RecordReader")
		}
		return false
	}
	r.drop()
	for r.err == nil {
		b, err := r.rows.NextBatch()
		if err == nil && b != nil { // its vectors are only valid until the next one
			err = sqlerr.Guard(func() error { return r.build.Append(arrowvec.InUTC(b, r.zone)) })
		}
		if r.err = err; err == nil && (b == nil || r.build.Full(b.N)) {
			break
		}
	}
	if r.err != nil || r.build.Rows() == 0 {
		return false
	}
	r.rec = r.build.Record()
	return true
}
