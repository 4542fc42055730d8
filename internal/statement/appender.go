package statement

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/exec/op"
	"gsql/internal/session"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// Appender adds many rows to a table, faster than INSERT. Others see the rows after Close, either
// all or none. Only one goroutine may use it.
type Appender struct {
	s      *session.Session
	tx     *storage.Tx
	own    bool // the appender owns the transaction
	app    *storage.Appender
	w      *storage.AppendWriter
	schema *catalog.Schema
	rows   [][]catalog.Datum
	seq    int64
	ended  bool
}

// NewAppender starts appending to a table of the current database, in the session's open
// transaction if there is one.
func (c *Connection) NewAppender(ctx context.Context, name string) (*Appender, error) {
	s := c.s
	if err := s.Lost(); err != nil {
		return nil, err
	}
	s.StartImplicitly()
	acc, err := s.MayWrite()
	if err != nil {
		return nil, err
	}
	a := &Appender{s: s, tx: s.Tx}
	if a.tx == nil {
		a.tx, a.own = s.NewTx(acc), true
	}
	obj, err := a.tx.Table(ctx, s.Database, name)
	if err == nil && obj.Table == nil {
		err = sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the INSERT is not updatable", name)
	}
	if err == nil {
		a.app, err = storage.NewAppender(a.tx, obj.Table)
	}
	if err != nil {
		a.Abort()
		return nil, err
	}
	a.schema, a.w = obj.Table.Schema(), a.app.NewWriter()
	return a, nil
}

// Usable returns why the appender cannot perform what, or nil. The error is 1221 once it or its
// transaction has ended.
func (a *Appender) Usable(what string) error {
	switch {
	case a.ended:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of %s and closed Appender", what).WithHint("Session.NewAppender starts another one.")
	case !a.own && a.tx != a.s.Tx:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of %s and ended transaction", what).
			WithHint("The Appender was part of a transaction of its session, and its rows went with it.")
	}
	return a.s.Process.Stopped()
}

// Row adds a row of Go values, one for each column, converted as INSERT converts parameters. Errors
// surface in Close at the latest.
func (a *Appender) Row(values []any) error {
	return op.Guard(func() error { return a.row(values) })
}

func (a *Appender) row(values []any) error {
	if len(values) != len(a.schema.Columns) {
		return sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", len(a.rows)+1)
	}
	row, err := datums(values)
	if err != nil {
		return err
	}
	for i, d := range row {
		if row[i], err = a.convert(d, i); err != nil {
			return err
		}
	}
	if a.rows = append(a.rows, row); len(a.rows) == vec.BatchSize {
		return a.flush()
	}
	return nil
}

// convert converts a value to column i's type, strictly, as INSERT does.
func (a *Appender) convert(d catalog.Datum, i int) (catalog.Datum, error) {
	t := a.schema.Columns[i].Type
	if d.Null || d.Type == t {
		d.Type = t
		return d, nil
	}
	return eval.Const(expr.Assign(&expr.Const{Value: d}, t, a.schema.Columns[i].Name, -1), kernel.Ctx{Env: a.s})
}

// Record adds the rows of an Arrow record, whose columns are the table's in order and type.
func (a *Appender) Record(rec arrow.Record) error {
	if err := a.flush(); err != nil {
		return err
	}
	a.seq++
	return op.Guard(func() error { return a.w.AppendRecord(a.seq, rec) })
}

// flush passes the collected rows to the storage.
func (a *Appender) flush() error {
	if len(a.rows) == 0 {
		return nil
	}
	cols := make([]*vec.Vector, len(a.schema.Columns))
	for c := range cols {
		cols[c] = columnOf(a.rows, c, a.schema.Columns[c])
	}
	a.rows = a.rows[:0]
	a.seq++
	return op.Guard(func() error { return a.w.Append(a.seq, cols) })
}

// columnOf returns the vector of one column of rows.
func columnOf(rows [][]catalog.Datum, c int, col catalog.Column) *vec.Vector {
	v := vec.NewFlat(col.Type, len(rows))
	for i, row := range rows {
		d := row[c]
		switch {
		case d.Null:
			v.SetNull(i)
		case v.I64 != nil:
			v.I64[i] = d.I64
		case v.F64 != nil:
			v.F64[i] = d.F64
		case v.Dec != nil:
			v.Dec[i] = d.Dec
		case v.Str != nil:
			v.Str[i] = d.Str
		}
	}
	return v
}

// Close makes the rows visible and returns their number. If it fails, nothing has been added.
func (a *Appender) Close(ctx context.Context) (rows int64, err error) {
	if err = a.flush(); err == nil {
		err = a.w.Close()
	}
	if err == nil {
		err = op.Guard(func() (err error) { rows, err = a.app.Finish(ctx); return err })
	}
	a.ended = true
	if err != nil {
		a.Abort()
		if !a.own && session.LostConflict(err) {
			a.s.Lose(err)
		}
		return 0, err
	}
	if a.own {
		if err := a.tx.CommitWithin(ctx, nil); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// Abort discards all rows: nothing is added. After Close it does nothing.
func (a *Appender) Abort() {
	a.ended = true
	if a.own {
		a.tx.Rollback()
	}
}
