package statement

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// datums converts the arguments of placeholders: see Datum. The error is 1210.
func datums(args []any) ([]catalog.Datum, error) {
	out := make([]catalog.Datum, len(args))
	for i, a := range args {
		d, err := Datum(a)
		if err != nil {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: parameter %d: %v", i+1, err)
		}
		out[i] = d
	}
	return out, nil
}

// wrongParams returns error 1210 for a number of parameters that differs from the number of
// placeholders.
func wrongParams(given, needed int) error {
	return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %d given, %d needed", given, needed)
}

// Datum converts a Go value to a value with a type: integers to BIGINT, floats to DOUBLE, bool to
// BOOL, string to VARCHAR, []byte to VARBINARY, time.Time to DATETIME in UTC, nil to NULL; named
// types and pointers convert like the values they stand for. A driver.Valuer's Value is converted
// instead of it.
func Datum(a any) (catalog.Datum, error) {
	v := reflect.ValueOf(a)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return catalog.NullOf(types.T(types.Null)), nil // also of a Valuer, whose method may need a value
	}
	if valuer, ok := a.(driver.Valuer); ok {
		value, err := valuer.Value()
		if err != nil {
			return catalog.Datum{}, err
		}
		a, v = value, reflect.ValueOf(value)
	}
	switch x := a.(type) {
	case nil:
		return catalog.NullOf(types.T(types.Null)), nil
	case time.Time:
		return moment(x)
	case catalog.Datum:
		return x, nil
	}
	return datumOfKind(v)
}

// datumOfKind converts by the kind of a value, so that named types convert as their
// underlying types and pointers as what they point to.
func datumOfKind(v reflect.Value) (catalog.Datum, error) {
	switch v.Kind() {
	case reflect.Pointer:
		return Datum(v.Elem().Interface())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return catalog.Int(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return catalog.Datum{Type: types.T(types.Uint64), I64: int64(v.Uint())}, nil
	case reflect.Bool:
		d := catalog.Datum{Type: types.T(types.Bool)}
		if v.Bool() {
			d.I64 = 1
		}
		return d, nil
	case reflect.Float32, reflect.Float64:
		return float(v.Float())
	case reflect.String:
		return catalog.Str(v.String()), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			break
		}
		if v.IsNil() {
			return catalog.NullOf(types.T(types.Bytes)), nil
		}
		return catalog.Datum{Type: types.T(types.Bytes), Str: string(v.Bytes())}, nil
	}
	return catalog.Datum{}, fmt.Errorf("a %s cannot be a parameter", v.Type())
}

// moment converts a time to a DATETIME. MySQL's range ends with the year 9999.
func moment(t time.Time) (catalog.Datum, error) {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return catalog.Datum{}, fmt.Errorf("the year %d has no equal in MySQL", t.Year())
	}
	return catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: t.UnixMicro()}, nil
}

// float converts a number to a DOUBLE, which must be finite.
func float(f float64) (catalog.Datum, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return catalog.Datum{}, fmt.Errorf("%v has no equal in MySQL", f)
	}
	return catalog.Datum{Type: types.T(types.Float64), F64: f}, nil
}
