package binder

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	ptypes "github.com/pingcap/tidb/pkg/parser/types"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// temporalLiterals are the parser's names for DATE '...', TIME '...' and TIMESTAMP '...'.
var temporalLiterals = map[string]types.ID{
	ast.DateLiteral: types.Date, ast.TimeLiteral: types.Time, ast.TimestampLiteral: types.Datetime,
}

// renamed maps the parser's function names to ours.
var renamed = map[string]string{"char_func": "char", "insert_func": "insert", "position": "locate", ast.JSONMemberOf: "member of"}

// function binds a function call.
func (b *block) function(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	name := n.FnName.L
	if id, ok := temporalLiterals[name]; ok {
		return b.temporalLiteral(n, id)
	}
	switch name {
	case ast.AnyValue:
		return b.anyValue(n, pos)
	case ast.Trim:
		return b.trim(n, pos)
	case "grouping":
		return b.groupingCall(n, pos)
	case "convert":
		return b.convertUsing(n, pos)
	case "nullif":
		if len(n.Args) == 2 && n.Args[0].GetFlag()&ast.FlagHasSubquery != 0 {
			return b.nullIf(n, pos)
		}
		before := b.shared.exprs
		defer func() { b.shared.exprs += b.shared.exprs - before }() // it becomes a CASE that has an operand twice
	case "last_insert_id":
		if len(n.Args) == 1 {
			return b.setLastInsertID(n.Args[0], pos)
		}
	}
	if fn, ok := renamed[name]; ok {
		name = fn
	} else if !expr.Callable(name) {
		return nil, expr.UnknownFunction(name, pos)
	}
	nodes, charset := n.Args, ast.ExprNode(nil)
	if name == "char" { // the last argument is the character set of CHAR(... USING ...), or NULL
		last := len(nodes) - 1
		if l, ok := nodes[last].(*parse.Literal); ok && l.Value != nil {
			charset = l
		}
		nodes = nodes[:last]
	}
	var args []expr.Expr
	json := strings.HasPrefix(name, "json_") || name == renamed[ast.JSONMemberOf]
	for _, a := range nodes {
		e, err := b.argument(a)
		if err != nil {
			return nil, err
		}
		if json {
			e = jsonLiteral(a, e)
		}
		args = append(args, e)
	}
	e, err := expr.NewCall(name, args, pos)
	if err == nil && charset != nil {
		return inCharset(e, charset, pos)
	}
	return e, err
}

// jsonLiteral makes TRUE and FALSE, which elsewhere are 1 and 0, values of JSON.
func jsonLiteral(n ast.ExprNode, e expr.Expr) expr.Expr {
	if l, ok := n.(*parse.Literal); ok {
		if b, ok := l.Value.(bool); ok {
			return &expr.Const{Value: catalog.Datum{Type: types.T(types.JSON), Str: strconv.FormatBool(b)}}
		}
	}
	return e
}

// setLastInsertID binds LAST_INSERT_ID(x), which the session keeps.
func (b *block) setLastInsertID(n ast.ExprNode, pos int) (expr.Expr, error) {
	e, err := b.expr(n)
	if err != nil {
		return nil, err
	}
	t := types.T(types.Uint64)
	return &expr.Call{Fn: "set_last_insert_id", Args: []expr.Expr{expr.Cast(e, t)}, T: t, Pos: pos}, nil
}

// convertUsing binds CONVERT(x USING charset).
func (b *block) convertUsing(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	e, err := b.expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	return inCharset(e, n.Args[1], pos)
}

// inCharset makes e text of the character set that a literal names: all text is UTF-8
// but that of the set binary.
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

// argument binds a function's argument; units of time become string literals.
func (b *block) argument(n ast.ExprNode) (expr.Expr, error) {
	switch x := n.(type) {
	case *ast.TimeUnitExpr:
		return &expr.Const{Value: catalog.Str(strings.ToLower(x.Unit.String()))}, nil
	case *ast.GetFormatSelectorExpr: // DATE, DATETIME, TIME
		return &expr.Const{Value: catalog.Str(strings.ToUpper(x.Selector.String()))}, nil
	}
	return b.expr(n)
}

func (b *block) temporalLiteral(n *ast.FuncCallExpr, id types.ID) (expr.Expr, error) {
	args, err := b.exprs(n.Args...)
	if err != nil {
		return nil, err
	}
	t := types.T(id)
	if c, ok := args[0].(*expr.Const); ok && id != types.Date {
		if _, frac, ok := strings.Cut(c.Value.Str, "."); ok {
			t.Prec = uint8(min(len(frac), 6))
		}
	}
	return expr.Cast(args[0], t), nil
}

// trim binds TRIM in all its forms.
func (b *block) trim(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	fn := "trim"
	nodes := n.Args
	if len(nodes) == 3 {
		switch nodes[2].(*ast.TrimDirectionExpr).Direction {
		case ast.TrimLeading:
			fn = "trim leading"
		case ast.TrimTrailing:
			fn = "trim trailing"
		}
		nodes = nodes[:2]
		if l, ok := nodes[1].(*parse.Literal); ok && l.Value == nil {
			nodes = nodes[:1]
		}
	}
	return b.call(fn, pos, nodes...)
}

// cast binds CAST, CONVERT and BINARY.
func (b *block) cast(n *ast.FuncCastExpr, pos int) (expr.Expr, error) {
	e, err := b.expr(n.Expr)
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
	switch {
	case t.ID == types.JSON && e.Type().ID != types.String && e.Type().ID != types.Null:
		return expr.JSONOf(jsonLiteral(n.Expr, e))
	case t.IsInteger() || t.ID == types.Decimal || t.IsFloat():
		e = binaryNumber(e)
	}
	return expr.Cast(e, t), nil
}

// castType gives the type that CAST names.
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
		return decimalType(length, scale, pos)
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

// decimalType checks the digits of DECIMAL(p, s); (10, 0) when none are given.
func decimalType(p, s, pos int) (types.Type, error) {
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
