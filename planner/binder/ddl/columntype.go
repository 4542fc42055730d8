package ddl

import (
	"strings"
	"unicode/utf8"

	"github.com/pingcap/tidb/pkg/parser/mysql"
	ptypes "github.com/pingcap/tidb/pkg/parser/types"

	"gsql/planner/binder/scalar"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// integers maps the parser's integer types to ours, signed and unsigned.
var integers = map[byte][2]types.ID{
	mysql.TypeTiny: {types.Int8, types.Uint8}, mysql.TypeShort: {types.Int16, types.Uint16}, mysql.TypeInt24: {types.Int32, types.Uint32},
	mysql.TypeLong: {types.Int32, types.Uint32}, mysql.TypeLonglong: {types.Int64, types.Uint64},
}

// columnType returns the stored type of a declared column. As in MySQL, BOOL is TINYINT; BIT is
// an unsigned integer.
func columnType(tp *ptypes.FieldType, pos int) (types.Type, error) {
	if ids, ok := integers[tp.GetType()]; ok {
		if mysql.HasUnsignedFlag(tp.GetFlag()) {
			return types.T(ids[1]), nil
		}
		return types.T(ids[0]), nil
	}
	switch tp.GetType() {
	case mysql.TypeFloat:
		return types.T(types.Float32), nil
	case mysql.TypeDouble:
		return types.T(types.Float64), nil
	case mysql.TypeNewDecimal:
		return scalar.DecimalType(tp.GetFlen(), tp.GetDecimal(), pos)
	case mysql.TypeBit:
		return types.T(types.Uint64), nil
	case mysql.TypeYear:
		return types.T(types.Year), nil
	case mysql.TypeDate:
		return types.T(types.Date), nil
	case mysql.TypeDatetime, mysql.TypeTimestamp, mysql.TypeDuration:
		return temporalType(tp, pos)
	case mysql.TypeJSON:
		return types.T(types.JSON), nil
	case mysql.TypeEnum:
		return memberType(types.Enum, tp.GetElems(), pos)
	case mysql.TypeSet:
		return memberType(types.Set, tp.GetElems(), pos)
	case mysql.TypeString, mysql.TypeVarchar, mysql.TypeVarString:
		t := stringType(tp)
		if tp.GetFlen() > 0 {
			t.Len = uint32(tp.GetFlen())
		} else if tp.GetType() == mysql.TypeString {
			t.Len = 1
		}
		return t, nil
	case mysql.TypeTinyBlob, mysql.TypeBlob, mysql.TypeMediumBlob, mysql.TypeLongBlob:
		return stringType(tp), nil
	}
	return types.Type{}, sqlerr.Unsupported(pos, "column type %s", tp.String())
}

// memberType returns the type of ENUM or SET. Errors: 1291 for a duplicate value, 1367 for an illegal one.
func memberType(id types.ID, values []string, pos int) (types.Type, error) {
	seen := map[string]bool{}
	out := make([]string, len(values))
	for i, v := range values {
		v = strings.TrimRight(v, " ")
		switch {
		case !utf8.ValidString(v):
			return types.Type{}, sqlerr.New(sqlerr.InvalidCharacterString, "Invalid utf8mb4 character string: '%s'", types.HexText(v)).At(pos)
		case seen[strings.ToLower(v)]:
			return types.Type{}, sqlerr.New(sqlerr.DuplicatedValueInType, "Column has duplicated value '%s' in %s", v, types.T(id).Name()).At(pos)
		case strings.Contains(v, "\x00") || id == types.Set && strings.Contains(v, ","):
			return types.Type{}, sqlerr.New(sqlerr.IllegalValueForType, "Illegal %s '%s' value found during parsing", strings.ToLower(types.T(id).Name()), v).At(pos)
		}
		out[i], seen[strings.ToLower(v)] = v, true
	}
	if id == types.Set && len(values) > 64 {
		return types.Type{}, sqlerr.New(sqlerr.TooBigSet, "Too many strings for column and SET").At(pos)
	}
	return types.Type{ID: id, Members: types.NewMembers(out)}, nil
}

func stringType(tp *ptypes.FieldType) types.Type {
	if tp.GetCharset() == "binary" {
		return types.T(types.Bytes)
	}
	return types.T(types.String)
}

func temporalType(tp *ptypes.FieldType, pos int) (types.Type, error) {
	id := map[byte]types.ID{mysql.TypeDatetime: types.Datetime, mysql.TypeTimestamp: types.Timestamp, mysql.TypeDuration: types.Time}[tp.GetType()]
	frac := max(tp.GetDecimal(), 0)
	if frac > 6 {
		return types.Type{}, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified. Maximum is 6.", frac).At(pos)
	}
	return types.Type{ID: id, Prec: uint8(frac)}, nil
}

// storedType returns the column type for values of an expression's type. A bare NULL is stored as text.
func storedType(t types.Type) types.Type {
	if t.ID == types.Null {
		return types.T(types.String)
	}
	return t
}

// constantValue returns the value of a literal, which may be negated.
func constantValue(e expr.Expr) (catalog.Datum, bool) {
	if c, ok := e.(*expr.Const); ok {
		return c.Value, true
	}
	return catalog.Datum{}, false
}
