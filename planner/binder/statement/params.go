package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// paramValue returns the value of a ? placeholder. The plan is then specific to that value.
func (s *Statement) paramValue(p *parse.Param) (catalog.Datum, error) {
	d, err := s.param(p)
	s.Placeholders.pin(p.Order)
	return d, err
}

// ParamExpr returns a ? placeholder as an expression.
func (s *Statement) ParamExpr(p *parse.Param) (expr.Expr, error) {
	if !s.Placeholders.isFree(p.Order) {
		d, err := s.paramValue(p)
		return &expr.Const{Value: d}, err
	}
	d, err := s.param(p)
	if err != nil {
		return nil, err
	}
	return s.Placeholders.make(p.Order, d), nil
}

func (s *Statement) param(p *parse.Param) (catalog.Datum, error) {
	values := s.Session.Params()
	if p.Order >= len(values) {
		return catalog.Datum{}, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE").At(p.Offset).
			WithHint("The statement has a placeholder number %d, but %d value(s) were given.", p.Order+1, len(values))
	}
	return values[p.Order], nil
}

// LimitValue returns the number in a literal or placeholder of LIMIT.
func (s *Statement) LimitValue(n ast.ExprNode) (int64, error) {
	switch x := n.(type) {
	case *parse.Param:
		d, err := s.paramValue(x)
		if err != nil {
			return 0, err
		}
		if d.Null || !d.Type.IsInteger() || d.I64 < 0 && !d.Type.IsUnsigned() {
			return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to LIMIT").At(x.Offset).
				WithHint("LIMIT needs an integer that is not negative.")
		}
		return Clip(uint64(d.I64)), nil
	case *parse.Literal:
		switch v := x.Value.(type) {
		case int64:
			return v, nil
		case uint64:
			return Clip(v), nil
		}
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to LIMIT")
}

// Clip bounds a row count to int64: MySQL's idiom for "all" is 2^64-1.
func Clip(n uint64) int64 { return int64(min(n, 1<<63-1)) }

// PositionValue returns the number of an ordinal, which may be a placeholder.
func (s *Statement) PositionValue(p *ast.PositionExpr) (int, error) {
	if p.P == nil {
		return p.N, nil
	}
	if param, ok := p.P.(*parse.Param); ok {
		d, err := s.paramValue(param)
		return int(d.I64), err
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to ORDER BY")
}
