package statement

import (
	"context"
	"errors"
	"slices"
	"time"

	"gsql/internal/dml"
	"gsql/internal/result"
	"gsql/planner/physical"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Result is the result of a statement: batches of rows, or only counts if Columns is empty. It must
// be closed; reading to the end also closes it. It is not safe for concurrent use, and keeps the
// connection's statement open until closed.
type Result struct {
	Columns      []result.Column
	Affected     int64  // rows changed, for statements that change rows
	LastInsertID int64  // first AUTO_INCREMENT value generated, or 0
	Info         string // outcome of a statement without rows: "Records: 3  Skipped: 1"

	src     result.Source  // nil without rows
	plan    *physical.Node // of a query, or nil
	count   *dml.Count     // of an INSERT whose rows may conflict with others, else nil
	release func()         // ends reading in the query's transaction, or nil

	c       *Connection
	offset  int               // position of the statement in its text
	rest    []parse.Statement // statements after this one
	done    func()            // releases the statement's context
	started time.Time
	elapsed time.Duration
	read    int64 // rows delivered
	ended   bool
	err     error
}

// NextBatch returns the next rows, valid until the following call, or nil at the end.
func (r *Result) NextBatch() (*vec.Batch, error) {
	if r.ended || r.src == nil {
		return nil, r.err
	}
	if why := r.c.s.Process.Stopped(); why != nil && !errors.Is(why, sqlerr.SessionWasKilled) { // KILL has cancelled it
		r.end(why)
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

// end closes the source and the statement. The first error is kept.
func (r *Result) end(err error) {
	if r.ended {
		return
	}
	r.ended = true
	if r.src != nil {
		if cerr := r.src.Close(); err == nil {
			err = cerr
		}
	}
	r.elapsed = time.Since(r.started)
	r.err = r.finish(err)
}

// finish sets the session's state that describes its last statement.
func (r *Result) finish(err error) error {
	s := r.c.s
	r.c.current = nil
	if r.release != nil {
		r.release()
	}
	if id := s.GivenID(); id != 0 && r.LastInsertID == 0 {
		s.LastID, r.LastInsertID = id, id
	}
	s.RowCount = r.Affected
	if len(r.Columns) > 0 {
		s.FoundRows = r.found()
	}
	if err != nil || len(r.Columns) > 0 {
		s.RowCount = -1
	}
	if len(r.Columns) == 0 {
		r.c.plans.Expire(s.DB.Store.Snapshot())
		s.DB.Store.Reclaim()
	}
	if err != nil {
		err = s.Fail(shift(err, r.offset))
	}
	s.Ended()
	r.done()
	if len(r.rest) == 0 {
		r.c.freeText()
	}
	return err
}

// found returns what FOUND_ROWS() reports for the result.
func (r *Result) found() int64 {
	if all, ok := r.src.(*result.Counted); ok {
		return all.Count()
	}
	return r.read
}

// Close ends the statement. Later statements of the same text are not run. Close returns the error
// of the statement, if any, and may be called more than once.
func (r *Result) Close() error {
	r.rest = nil
	r.end(nil)
	return r.err
}

// Next closes r, runs the next statement of the text and returns its result, or nil, nil if there
// is none.
func (r *Result) Next(ctx context.Context) (*Result, error) {
	rest := r.rest
	r.end(nil)
	if r.err != nil || len(rest) == 0 {
		return nil, r.err
	}
	return r.c.execute(ctx, rest, nil)
}

// Elapsed returns the time from the start of the statement to its end, or to now.
func (r *Result) Elapsed() time.Duration {
	if r.ended {
		return r.elapsed
	}
	return time.Since(r.started)
}

// Plan returns the plan of a query, without the bids that lost, or nil.
func (r *Result) Plan() *physical.Node { return r.plan }

// Devices returns the devices other than the CPU that the plan of a query uses, each once.
func (r *Result) Devices() []string {
	if r.plan == nil {
		return nil
	}
	return devicesOf(r.plan, nil)
}

// devicesOf appends to out the devices other than the CPU that a plan uses and that are not there yet.
func devicesOf(n *physical.Node, out []string) []string {
	if d := string(n.Device); n.Device != physical.CPU && !slices.Contains(out, d) {
		out = append(out, d)
	}
	for _, in := range n.In {
		out = devicesOf(in, out)
	}
	return out
}

// textResult returns rows of text.
func textResult(cols []result.Column, rows [][]*string) *Result {
	return &Result{Columns: cols, src: result.OfText(rows, len(cols))}
}
