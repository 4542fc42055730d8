package gsql

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/internal/statement"
)

// Appender adds many rows to a table, faster than INSERT. Others see the rows after Close, either
// all or none. Only one goroutine may use an Appender. After Close, Abort, or the end of its
// session, DB or transaction, all its methods except Abort fail.
type Appender struct{ app *statement.Appender }

// NewAppender starts appending to a table of the current database, in the session's open
// transaction if there is one.
func (s *Session) NewAppender(ctx context.Context, name string) (*Appender, error) {
	if err := s.usable("NewAppender"); err != nil {
		return nil, err
	}
	if err := checkContext(ctx, "NewAppender"); err != nil {
		return nil, err
	}
	app, err := s.conn.NewAppender(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Appender{app}, nil
}

// usable returns why the appender accepts no more rows, or nil: error 1221 once it has ended.
func (a *Appender) usable(what string) error {
	if a == nil || a.app == nil {
		return misuse(what, "the Appender was not made by Session.NewAppender")
	}
	return a.app.Usable(what)
}

// AppendRow adds a row of Go values, one for each column, converted as INSERT converts parameters.
// Errors surface in Close at the latest.
func (a *Appender) AppendRow(values ...any) error {
	if err := a.usable("AppendRow"); err != nil {
		return err
	}
	return a.app.Row(values)
}

// AppendRecord adds the rows of an Arrow record, whose columns are the table's in order
// and type.
func (a *Appender) AppendRecord(rec arrow.Record) error {
	if err := a.usable("AppendRecord"); err != nil {
		return err
	}
	if rec == nil {
		return misuse("AppendRecord", "the record is nil")
	}
	return a.app.Record(rec)
}

// Close makes the rows visible and returns their number. If it fails, nothing has been added.
// Closing again, or after Abort, is error 1221.
func (a *Appender) Close(ctx context.Context) (rows int64, err error) {
	if err = a.usable("Close"); err == nil {
		err = checkContext(ctx, "Close")
	}
	if err != nil {
		a.Abort()
		return 0, err
	}
	return a.app.Close(ctx)
}

// Abort discards all rows: nothing is added. After Close it does nothing.
func (a *Appender) Abort() {
	if a != nil && a.app != nil {
		a.app.Abort()
	}
}
