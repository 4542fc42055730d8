package gsql

import (
	"context"
	"database/sql/driver"
	"io"
	"math"
	"reflect"
	"time"

	"gsql/sql/types"
)

// driverRows adapts Rows to database/sql: one row at a time.
type driverRows struct {
	ctx   context.Context
	r     *Rows
	next  *Rows // the following result, once HasNextResultSet has run it
	err   error
	cells cells
}

func queryRows(ctx context.Context, s *Session, text string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := s.Query(ctx, text, parameters(args)...)
	if err != nil {
		return nil, err
	}
	return &driverRows{ctx: ctx, r: r}, nil
}

// parameters returns the values of a statement's parameters in their order.
func parameters(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

func (r *driverRows) Columns() []string {
	names := make([]string, len(r.r.Columns))
	for i, c := range r.r.Columns {
		names[i] = c.Name
	}
	return names
}

func (r *driverRows) Close() error {
	if r.next != nil {
		if err := r.next.Close(); err != nil {
			return err
		}
	}
	return r.r.Close()
}

func (r *driverRows) Next(dest []driver.Value) error {
	for !r.cells.next() {
		b, err := r.r.NextBatch()
		if err != nil {
			return err
		}
		if b == nil {
			return io.EOF
		}
		r.cells.take(b)
	}
	for i := range dest {
		dest[i] = r.cells.value(i)
	}
	return nil
}

// HasNextResultSet finds out by running the next statement, since database/sql only asks at the end
// of a result.
func (r *driverRows) HasNextResultSet() bool {
	if r.next == nil && r.err == nil {
		r.next, r.err = r.r.NextResult(r.ctx)
	}
	return r.next != nil || r.err != nil
}

func (r *driverRows) NextResultSet() error {
	if !r.HasNextResultSet() {
		return io.EOF
	}
	if r.err != nil {
		return r.err
	}
	r.r, r.next, r.cells = r.next, nil, cells{}
	return nil
}

func (r *driverRows) ColumnTypeDatabaseTypeName(i int) string { return r.r.Columns[i].Type.Name() }

func (r *driverRows) ColumnTypeNullable(i int) (nullable, ok bool) {
	return r.r.Columns[i].Nullable, true
}

func (r *driverRows) ColumnTypeLength(i int) (int64, bool) {
	t := r.r.Columns[i].Type
	if !t.IsString() {
		return 0, false
	}
	if t.Len == 0 {
		return math.MaxInt64, true
	}
	return int64(t.Len), true
}

func (r *driverRows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.r.Columns[i].Type
	switch {
	case t.ID == types.Decimal:
		return int64(t.Prec), int64(t.Scale), true
	case t.IsTemporal() && t.ID != types.Date:
		return int64(t.Prec), int64(t.Prec), true
	}
	return 0, 0, false
}

var scanTypes = map[types.Kind]reflect.Type{
	types.KindNull: reflect.TypeFor[any](),
	types.KindI64:  reflect.TypeFor[int64](),
	types.KindU64:  reflect.TypeFor[uint64](),
	types.KindF64:  reflect.TypeFor[float64](),
	types.KindDec:  reflect.TypeFor[string](),
	types.KindStr:  reflect.TypeFor[string](),
}

// ColumnTypeScanType returns the type that Next delivers for non-NULL values.
func (r *driverRows) ColumnTypeScanType(i int) reflect.Type {
	switch t := r.r.Columns[i].Type; t.ID {
	case types.Date, types.Datetime, types.Timestamp:
		return reflect.TypeFor[time.Time]()
	case types.Time:
		return reflect.TypeFor[string]()
	case types.Bytes:
		return reflect.TypeFor[[]byte]()
	default:
		return scanTypes[t.Kind()]
	}
}
