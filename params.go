package gsql

import (
	"database/sql/driver"
	"fmt"
	"math"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// datums converts placeholder arguments to values with types: integers to BIGINT,
// floats to DOUBLE, bool to BOOL, string to VARCHAR, []byte to VARBINARY, time.Time to
// DATETIME in UTC, nil to NULL. driver.Valuers are asked first. The error is 1210.
func datums(args []any) ([]catalog.Datum, error) {
	out := make([]catalog.Datum, len(args))
	for i, a := range args {
		d, err := datum(a)
		if err != nil {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: parameter %d: %v", i+1, err)
		}
		out[i] = d
	}
	return out, nil
}

func datum(a any) (catalog.Datum, error) {
	if v, ok := a.(driver.Valuer); ok {
		value, err := v.Value()
		if err != nil {
			return catalog.Datum{}, err
		}
		a = value
	}
	switch x := a.(type) {
	case nil:
		return catalog.NullOf(types.T(types.Null)), nil
	case int64:
		return catalog.Int(x), nil
	case int:
		return catalog.Int(int64(x)), nil
	case int32:
		return catalog.Int(int64(x)), nil
	case int16:
		return catalog.Int(int64(x)), nil
	case int8:
		return catalog.Int(int64(x)), nil
	case uint64:
		return unsigned(x), nil
	case uint:
		return unsigned(uint64(x)), nil
	case uint32:
		return unsigned(uint64(x)), nil
	case uint16:
		return unsigned(uint64(x)), nil
	case uint8:
		return unsigned(uint64(x)), nil
	case bool:
		d := catalog.Datum{Type: types.T(types.Bool)}
		if x {
			d.I64 = 1
		}
		return d, nil
	case float64:
		return float(x)
	case float32:
		return float(float64(x))
	case string:
		return catalog.Str(x), nil
	case []byte:
		if x == nil {
			return catalog.NullOf(types.T(types.Bytes)), nil
		}
		return catalog.Datum{Type: types.T(types.Bytes), Str: string(x)}, nil
	case time.Time:
		return catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: x.UnixMicro()}, nil
	case catalog.Datum:
		return x, nil
	}
	return catalog.Datum{}, fmt.Errorf("a %T cannot be a parameter", a)
}

func unsigned(x uint64) catalog.Datum {
	return catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)}
}

func float(f float64) (catalog.Datum, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return catalog.Datum{}, fmt.Errorf("%v has no equal in MySQL", f)
	}
	return catalog.Datum{Type: types.T(types.Float64), F64: f}, nil
}
