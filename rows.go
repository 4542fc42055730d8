package gsql

import (
	"context"
	"slices"
	"time"

	"gsql/internal/dml"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Column describes a column of a result.
type Column struct {
	Name     string
	Type     types.Type
	Nullable bool
}

// Rows is the result of a statement: batches of rows, or only a count of affected
// rows when Columns is empty. Rows must be closed; reading to the end does it too. It
// is not safe for concurrent use, and holds the session's statement until closed.
type Rows struct {
	Columns      []Column
	Affected     int64  // rows changed, for statements that change rows
	LastInsertID int64  // first AUTO_INCREMENT value given, or 0
	Info         string // what happened, for statements without rows: "Records: 3  Skipped: 1"

	read    int64      // rows delivered
	count   *dml.Count // of an INSERT whose rows may meet others; nil for other statements
	s       *Session
	src     batchSource
	rest    []statement // statements after this one
	started time.Time
	elapsed time.Duration
	plan    *physical.Node
	finish  func(error) error // ends the statement; nil once called
	err     error
}

// batchSource delivers the batches of a result.
type batchSource interface {
	// Next gives a batch valid until the following call, or nil at the end.
	Next() (*vec.Batch, error)
	Close() error
}

// NextBatch gives the next rows, valid until the following call, or nil at the end.
func (r *Rows) NextBatch() (*vec.Batch, error) {
	if r.finish == nil || r.src == nil {
		return nil, r.err
	}
	b, err := r.src.Next()
	if err != nil || b == nil {
		r.end(err)
		return nil, r.err
	}
	r.read += int64(b.N)
	return b, nil
}

// end closes the source and the statement, keeping the first error.
func (r *Rows) end(err error) {
	if r.finish == nil {
		return
	}
	finish := r.finish
	r.finish = nil
	if r.src != nil {
		if cerr := r.src.Close(); err == nil {
			err = cerr
		}
	}
	r.elapsed = time.Since(r.started)
	r.err = finish(err)
}

// Close ends the statement. Statements after it in the same text are not run. It
// gives the error of the statement, if any, and may be called more than once.
func (r *Rows) Close() error {
	r.rest = nil
	r.end(nil)
	return r.err
}

// NextResult runs the next statement of the text and gives its result, or nil, nil
// when there is none. r is closed by it.
func (r *Rows) NextResult(ctx context.Context) (*Rows, error) {
	rest := r.rest
	r.end(nil)
	if r.err != nil || len(rest) == 0 {
		return nil, r.err
	}
	return r.s.run(ctx, rest, nil)
}

// Elapsed gives the time from the start of the statement to its end, or to now.
func (r *Rows) Elapsed() time.Duration {
	if r.finish == nil {
		return r.elapsed
	}
	return time.Since(r.started)
}

// Plan gives the plan of a query, without the bids that lost, or nil.
func (r *Rows) Plan() *physical.Node { return r.plan }

// Devices gives the devices beside the CPU that the plan of a query uses, each once. What
// ran on the CPU instead is told by Session.Fallbacks.
func (r *Rows) Devices() []string {
	var out []string
	var visit func(n *physical.Node)
	visit = func(n *physical.Node) {
		if d := string(n.Device); n.Device != physical.CPU && !slices.Contains(out, d) {
			out = append(out, d)
		}
		for _, in := range n.In {
			visit(in)
		}
	}
	if r.plan != nil {
		visit(r.plan)
	}
	return out
}

// memSource serves rows that are already there, in one batch.
type memSource struct{ batch *vec.Batch }

func (m *memSource) Next() (*vec.Batch, error) {
	b := m.batch
	m.batch = nil
	return b, nil
}

func (m *memSource) Close() error { return nil }

// textRows makes a source of VARCHAR columns from rows of text; nil is NULL.
func textRows(rows [][]*string, width int) batchSource {
	if len(rows) == 0 {
		return &memSource{}
	}
	b := &vec.Batch{N: len(rows), Cols: make([]*vec.Vector, width)}
	for c := range b.Cols {
		v := vec.NewFlat(types.T(types.String), len(rows))
		for i, row := range rows {
			if row[c] == nil {
				v.SetNull(i)
			} else {
				v.Str[i] = *row[c]
			}
		}
		b.Cols[c] = v
	}
	return &memSource{b}
}

// textColumns names VARCHAR columns.
func textColumns(names ...string) []Column {
	out := make([]Column, len(names))
	for i, n := range names {
		out[i] = Column{Name: n, Type: types.T(types.String), Nullable: true}
	}
	return out
}

// Value reads a cell of a batch as a Go value: nil, int64, uint64, float64, string,
// []byte (a copy) or time.Time in UTC.
func Value(v *vec.Vector, row int) any {
	return goValue(catalog.DatumAt(v, row))
}

func goValue(d catalog.Datum) any {
	if d.Null {
		return nil
	}
	switch d.Type.ID {
	case types.Date:
		return time.Unix(d.I64*86400, 0).UTC()
	case types.Datetime, types.Timestamp:
		return time.UnixMicro(d.I64).UTC()
	case types.Bytes:
		return []byte(d.Str)
	case types.Decimal, types.Time:
		return d.Text()
	}
	switch d.Type.Kind() {
	case types.KindI64:
		return d.I64
	case types.KindU64:
		return uint64(d.I64)
	case types.KindF64:
		return d.F64
	case types.KindStr:
		return d.Str
	}
	return nil
}

// Text reads a cell of a batch as the text MySQL prints; NULL is "NULL".
func Text(v *vec.Vector, row int) string { return catalog.DatumAt(v, row).Text() }
