package gsql

import (
	"context"
	"iter"
	"time"

	"gsql/internal/result"
	"gsql/internal/statement"
	"gsql/sql/vec"
)

// Column describes a column of a result: its Name, its Type, and whether it is Nullable.
type Column = result.Column

// Rows is the result of a statement: rows, or only a count of affected rows if Columns is empty.
// Rows must be closed; reading to the end also closes them. It is not safe for concurrent use, and
// keeps the session's statement open until closed.
type Rows struct {
	Columns      []Column
	Affected     int64  // rows changed, for statements that change rows
	LastInsertID int64  // first AUTO_INCREMENT value generated, or 0
	Info         string // outcome of a statement without rows: "Records: 3  Skipped: 1"

	res *statement.Result
}

func newRows(res *statement.Result, err error) (*Rows, error) {
	if res == nil || err != nil {
		return nil, err
	}
	return &Rows{Columns: res.Columns, Affected: res.Affected, LastInsertID: res.LastInsertID, Info: res.Info, res: res}, nil
}

// none reports whether no statement made r. The error is 1210 for nil Rows; zero Rows are at their
// end.
func (r *Rows) none(what string) (none bool, err error) {
	if r == nil {
		return true, misuse(what, "the Rows is nil")
	}
	return r.res == nil, nil
}

// NextBatch returns the next rows, valid until the following call, or nil at the end.
func (r *Rows) NextBatch() (*vec.Batch, error) {
	if none, err := r.none("NextBatch"); none {
		return nil, err
	}
	b, err := r.res.NextBatch()
	if b == nil {
		r.LastInsertID = r.res.LastInsertID // LAST_INSERT_ID(x) is only known at the end
	}
	return b, err
}

// All returns the remaining rows, each as one Go value per column: nil, int64, uint64, float64,
// string, []byte or time.Time in UTC. Each row is a new slice. The sequence ends with the first
// error; stopping early closes r.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		var c cells
		for {
			b, err := r.NextBatch()
			if err != nil {
				yield(nil, err)
				return
			}
			if b == nil {
				return
			}
			c.take(b)
			for c.next() {
				row := make([]any, len(b.Cols))
				for i := range row {
					row[i] = c.value(i)
				}
				if !yield(row, nil) {
					_ = r.Close() // the caller stopped early
					return
				}
			}
		}
	}
}

// Close ends the statement. Later statements of the same text are not run. Close returns the error
// of the statement, if any, and may be called more than once.
func (r *Rows) Close() error {
	if none, err := r.none("Close"); none {
		return err
	}
	err := r.res.Close()
	r.LastInsertID = r.res.LastInsertID
	return err
}

// NextResult runs the next statement of the text and returns its result, or nil, nil if there is
// none. It closes r.
func (r *Rows) NextResult(ctx context.Context) (*Rows, error) {
	if none, err := r.none("NextResult"); none {
		return nil, err
	}
	if err := checkContext(ctx, "NextResult"); err != nil {
		return nil, err
	}
	return newRows(r.res.Next(ctx))
}

// Elapsed returns the time from the start of the statement to its end, or to now.
func (r *Rows) Elapsed() time.Duration {
	if none, _ := r.none("Elapsed"); none {
		return 0
	}
	return r.res.Elapsed()
}

// Devices returns the devices other than the CPU that the plan of a query uses, each once.
// Session.Fallbacks returns the operators that ran on the CPU instead.
func (r *Rows) Devices() []string {
	if none, _ := r.none("Devices"); none {
		return nil
	}
	return r.res.Devices()
}
