package scalar

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	ptypes "github.com/pingcap/tidb/pkg/parser/types"

	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// convertUsing binds CONVERT(x USING charset).
func (b *Binder) convertUsing(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	e, err := b.Expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	return inCharset(e, n.Args[1], pos)
}

// inCharset converts e to the character set that a literal names. All text is UTF-8, except in the set binary.
func inCharset(e expr.Expr, charset ast.ExprNode, pos int) (expr.Expr, error) {
	switch name := strings.ToLower(charset.(*parse.Literal).GetString()); name {
	case "utf8mb4", "utf8mb3", "utf8":
		return expr.Cast(e, types.T(types.String)), nil
	case "binary":
		return expr.Cast(e, types.T(types.Bytes)), nil
	default:
		return nil, sqlerr.Unsupported(pos, "character set %s", name).WithHint("Text is always utf8mb4.")
	}
}

// cast binds CAST, CONVERT and BINARY.
func (b *Binder) cast(n *ast.FuncCastExpr, pos int) (expr.Expr, error) {
	e, err := b.Expr(n.Expr)
	if err != nil {
		return nil, err
	}
	t, err := castType(n.Tp, pos)
	if err != nil {
		return nil, err
	}
	if t.ID == types.Null {
		return e, nil
	}
	if t.ID == types.JSON && e.Type().ID != types.String && e.Type().ID != types.Null {
		return expr.JSONOf(JSONLiteral(n.Expr, e))
	}
	return expr.Cast(e, t), nil
}

// castType returns the type that CAST converts to.
func castType(tp *ptypes.FieldType, pos int) (types.Type, error) {
	unsigned := mysql.HasUnsignedFlag(tp.GetFlag())
	length, scale := tp.GetFlen(), tp.GetDecimal()
	switch tp.GetType() {
	case mysql.TypeLonglong, mysql.TypeLong:
		if unsigned {
			return types.T(types.Uint64), nil
		}
		return types.T(types.Int64), nil
	case mysql.TypeYear:
		return types.T(types.Year), nil
	case mysql.TypeNewDecimal:
		return DecimalType(length, scale, pos)
	case mysql.TypeDouble:
		return types.T(types.Float64), nil
	case mysql.TypeFloat:
		return types.T(types.Float32), nil
	case mysql.TypeDate:
		return types.T(types.Date), nil
	case mysql.TypeDatetime:
		return types.Type{ID: types.Datetime, Prec: uint8(max(scale, 0))}, nil
	case mysql.TypeDuration:
		return types.Type{ID: types.Time, Prec: uint8(max(scale, 0))}, nil
	case mysql.TypeJSON:
		return types.T(types.JSON), nil
	case mysql.TypeString, mysql.TypeVarString, mysql.TypeVarchar:
		t := types.T(types.String)
		if tp.GetCharset() == "binary" {
			t.ID = types.Bytes
		}
		if length > 0 {
			t.Len = uint32(length)
		}
		return t, nil
	}
	return types.Type{}, sqlerr.Unsupported(pos, "CAST to %s", tp.String())
}

// DecimalType returns DECIMAL(p, s) after checking its digits. The default is (10, 0).
func DecimalType(p, s, pos int) (types.Type, error) {
	if p == ptypes.UnspecifiedLength || p == 0 {
		p = 10
	}
	if s == ptypes.UnspecifiedLength {
		s = 0
	}
	switch {
	case s > types.MaxScale:
		return types.Type{}, sqlerr.New(sqlerr.TooBigScale, "Too big scale %d specified for column. Maximum is %d.", s, types.MaxScale).At(pos)
	case p > 65:
		return types.Type{}, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified. Maximum is 65.", p).At(pos)
	case s > p:
		return types.Type{}, sqlerr.New(sqlerr.MBiggerThanD, "For float(M,D), double(M,D) or decimal(M,D), M must be >= D.").At(pos)
	}
	return types.Dec(p, s), nil
}
