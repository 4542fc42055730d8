package scalar

import (
	"strconv"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// literal returns a literal's value with MySQL's type: BIGINT (UNSIGNED if it does not fit), DECIMAL with the
// digits written, DOUBLE for numbers with an exponent.
func literal(n *parse.Literal, pos int) (expr.Expr, error) {
	var d catalog.Datum
	switch v := n.Value.(type) {
	case nil:
		d = catalog.NullOf(nullType)
	case bool:
		if d = catalog.Int(0); v {
			d.I64 = 1
		}
	case int64:
		d = catalog.Int(v)
	case uint64:
		d = catalog.Datum{Type: types.T(types.Uint64), I64: int64(v)}
	case float64:
		d = catalog.Datum{Type: types.T(types.Float64), F64: v}
	case string:
		d = catalog.Str(v)
	case parse.Binary:
		return &expr.Const{Value: catalog.Datum{Type: types.T(types.Bytes), Str: string(v)}, Hex: true}, nil
	case parse.Decimal:
		return decimal(string(v), pos)
	default:
		return nil, sqlerr.Internal("literal of %T", v)
	}
	return &expr.Const{Value: d}, nil
}

// decimal parses an exact number. A number with more digits than DECIMAL can hold becomes a
// DOUBLE.
func decimal(text string, pos int) (expr.Expr, error) {
	if n, t, ok := types.ParseDecimalLiteral(text); ok {
		return &expr.Const{Value: catalog.Datum{Type: t, Dec: n}}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, sqlerr.New(sqlerr.DataOutOfRange, "DOUBLE value is out of range in '%s'", text).At(pos)
	}
	return &expr.Const{Value: catalog.Datum{Type: types.T(types.Float64), F64: f}}, nil
}

// nullType is the type of a bare NULL.
var nullType = types.T(types.Null)
