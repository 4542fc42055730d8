package gsql

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// Appender adds many rows to a table, faster than INSERT. The rows are visible to others
// after Close, all or none. An Appender is for one goroutine.
type Appender struct {
	s      *Session
	tx     *storage.Tx
	own    bool // the transaction is the appender's
	app    *storage.Appender
	w      *storage.AppendWriter
	schema *catalog.Schema
	rows   [][]catalog.Datum
	seq    int64
	ended  bool
}

// NewAppender starts appending to a table of the current database, in the session's
// transaction when one is open.
func (s *Session) NewAppender(ctx context.Context, name string) (*Appender, error) {
	s.beginImplicitly()
	a := &Appender{s: s, tx: s.tx}
	if a.tx == nil {
		a.tx, a.own = s.newTx(), true
	}
	obj, err := a.tx.Table(ctx, s.database, name)
	if err == nil && obj.Table == nil {
		err = sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the INSERT is not updatable", name)
	}
	if err == nil {
		a.app, err = a.tx.NewAppender(obj.Table)
	}
	if err != nil {
		a.rollback()
		return nil, err
	}
	a.schema, a.w = obj.Table.Schema(), a.app.NewWriter()
	return a, nil
}

// AppendRow adds a row of Go values, one a column, converted as INSERT converts
// parameters. Errors show at the latest in Close.
func (a *Appender) AppendRow(values ...any) error {
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

// convert makes a value one of column i's type, strictly, as INSERT does.
func (a *Appender) convert(d catalog.Datum, i int) (catalog.Datum, error) {
	t := a.schema.Columns[i].Type
	if d.Null || d.Type == t {
		d.Type = t
		return d, nil
	}
	return eval.Const(expr.Assign(&expr.Const{Value: d}, t, a.schema.Columns[i].Name, -1), eval.Ctx{Env: a.s})
}

// AppendRecord adds the rows of an Arrow record, whose columns are the table's in order
// and type.
func (a *Appender) AppendRecord(rec arrow.Record) error {
	if err := a.flush(); err != nil {
		return err
	}
	a.seq++
	return a.w.AppendRecord(a.seq, rec)
}

// flush hands the rows collected to the storage.
func (a *Appender) flush() error {
	if a.ended {
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of Appender and closed appender")
	}
	if len(a.rows) == 0 {
		return nil
	}
	cols := make([]*vec.Vector, len(a.schema.Columns))
	for c := range cols {
		cols[c] = columnOf(a.rows, c, a.schema.Columns[c])
	}
	a.rows = a.rows[:0]
	a.seq++
	return a.w.Append(a.seq, cols)
}

// columnOf makes a vector of one column of rows.
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

// Close makes the rows the table's own and gives their number. After an error nothing
// was added. Closing again, or after Abort, is error 1221.
func (a *Appender) Close(ctx context.Context) (rows int64, err error) {
	if err = a.flush(); err == nil {
		err = a.w.Close()
	}
	if err == nil {
		rows, err = a.app.Finish(ctx)
	}
	a.ended = true
	if err != nil {
		a.rollback()
		return 0, err
	}
	if a.own {
		return rows, a.tx.Commit()
	}
	return rows, nil
}

// Abort gives up: nothing is added. After Close it does nothing.
func (a *Appender) Abort() { a.rollback() }

func (a *Appender) rollback() {
	a.ended = true
	if a.own {
		a.tx.Rollback()
	}
}
