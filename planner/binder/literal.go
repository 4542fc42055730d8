package binder

import (
	"math"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
	"gsql/sql/types"
)

// literal gives a literal's value with MySQL's type: BIGINT (UNSIGNED where it does
// not fit), DECIMAL with the digits written, DOUBLE for numbers with an exponent.
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
		d = catalog.Datum{Type: types.T(types.Bytes), Str: string(v)}
	case parse.Decimal:
		return decimal(string(v), pos)
	default:
		return nil, sqlerr.Internal("literal of %T", v)
	}
	return &expr.Const{Value: d}, nil
}

// decimal reads an exact number. Beyond the digits that DECIMAL has here it becomes a
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

// paramValue gives the value of a ? placeholder, by which the statement is bound.
func (s *statement) paramValue(p *parse.Param) (catalog.Datum, error) {
	d, err := s.param(p)
	s.placeholders.pin(p.Order)
	return d, err
}

// paramExpr gives a ? placeholder that stands for an expression.
func (s *statement) paramExpr(p *parse.Param) (expr.Expr, error) {
	if !s.placeholders.isFree(p.Order) {
		d, err := s.paramValue(p)
		return &expr.Const{Value: d}, err
	}
	d, err := s.param(p)
	if err != nil {
		return nil, err
	}
	return s.placeholders.make(p.Order, d), nil
}

func (s *statement) param(p *parse.Param) (catalog.Datum, error) {
	values := s.session.Params()
	if p.Order >= len(values) {
		return catalog.Datum{}, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE").At(p.Offset).
			WithHint("The statement has a placeholder number %d, but %d value(s) were given.", p.Order+1, len(values))
	}
	return values[p.Order], nil
}

// systemVariable gives the value of @@x, @@session.x or @@global.x.
func (b *block) systemVariable(n *ast.VariableExpr) (string, error) {
	name := strings.ToLower(n.Name)
	if n.IsGlobal {
		return b.session.GlobalVar(name)
	}
	if _, err := sysvar.Find(name); err != nil {
		return "", err
	}
	text, _ := b.session.Var(name)
	return text, nil
}

// variable binds @@x to its present value, and user variables.
func (b *block) variable(n *ast.VariableExpr, pos int) (expr.Expr, error) {
	switch {
	case n.Value != nil:
		return b.assignVariable(strings.ToLower(n.Name), n.Value, pos)
	case !n.IsSystem:
		return b.userVariable(strings.ToLower(n.Name), pos), nil
	}
	text, err := b.systemVariable(n)
	if err != nil {
		return nil, at(err, pos)
	}
	if x, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(x, 10) == text {
		return &expr.Const{Value: catalog.Int(x)}, nil
	}
	if x, err := strconv.ParseUint(text, 10, 64); err == nil && x > math.MaxInt64 {
		return &expr.Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)}}, nil
	}
	return &expr.Const{Value: catalog.Str(text)}, nil
}
