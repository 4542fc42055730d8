package isolate

import (
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Solved turns a comparison of a product of both sides into a range of one factor: l.x * r.y >
// l.a becomes r.y >= factor_from(l.x, '>', l.a) AND r.y <= factor_to(l.x, '>', l.a), by which
// rows can be sorted. The factors that pass form a range whatever the sign of l.x, and also if it
// is 0. Solved returns nil for other conditions, and if the types of the columns permit an
// overflow.
func (in *Join) Solved(e expr.Expr) []expr.Expr {
	x, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE)
	if !ok || in.of(x.Args[0]) != Both && in.of(x.Args[1]) != Both {
		return nil
	}
	p := product{rest: sum{in: in}}
	if !in.split(x.Args[0], 1, &p) || !in.split(x.Args[1], -1, &p) || p.factor == 0 || p.rest.most+p.most > mostInteger {
		return nil
	}
	op := x.Fn
	if p.factor < 0 {
		op = cond.Flipped[op]
	} else {
		p.rest.negate()
	}
	known, wanted, ok := in.roles(&p)
	if !ok {
		return nil
	}
	bound, err := p.rest.expr()
	if err != nil {
		return nil
	}
	if bound == nil {
		bound = &expr.Const{Value: catalog.Int(0)}
	}
	from, to := factorBound(expr.FuncFactorFrom, known, op, bound), factorBound(expr.FuncFactorTo, known, op, bound)
	return []expr.Expr{cond.Call(expr.FuncGE, wanted, from), cond.Call(expr.FuncLE, wanted, to)}
}

// product is factor * a * b + rest, where factor is 1 or -1 and a and b depend on one input each,
// not the same one; most bounds the product. A factor of 0 means that there is no product.
type product struct {
	factor int64
	a, b   expr.Expr
	most   float64
	rest   sum
}

// split adds factor * e to p, and reports whether e has the form of a product.
func (in *Join) split(e expr.Expr, factor int64, p *product) bool {
	call, ok := e.(*expr.Call)
	if !ok || !isBigint(e) {
		return p.rest.add(e, whole(factor))
	}
	switch call.Fn {
	case expr.FuncAdd:
		return in.split(call.Args[0], factor, p) && in.split(call.Args[1], factor, p)
	case expr.FuncSub:
		return in.split(call.Args[0], factor, p) && in.split(call.Args[1], -factor, p)
	case expr.FuncNeg:
		return in.split(call.Args[0], -factor, p)
	case expr.FuncMul:
		a, b := sum{in: in}, sum{in: in}
		x, y := in.of(call.Args[0]), in.of(call.Args[1])
		if p.factor == 0 && (x == Left && y == Right || x == Right && y == Left) && a.add(call.Args[0], whole(1)) && b.add(call.Args[1], whole(1)) {
			p.factor, p.a, p.b, p.most = factor, uncast(call.Args[0]), uncast(call.Args[1]), a.most*b.most
			return true
		}
	}
	return p.rest.add(e, whole(factor))
}

// uncast returns the column under a cast that only widens it, and other expressions unchanged.
func uncast(e expr.Expr) expr.Expr {
	if c, ok := cond.CallOf(e, expr.FuncCast); ok {
		if col, ok := c.Args[0].(*expr.Col); ok && isBigint(col) {
			return col
		}
	}
	return e
}

// roles returns the factor that is known together with the rest, and the factor to solve for.
func (in *Join) roles(p *product) (known, wanted expr.Expr, ok bool) {
	side := Left
	for i, t := range p.rest.terms {
		of := in.of(t.e)
		if of != Left && of != Right || i > 0 && of != side {
			return nil, nil, false
		}
		side = of
	}
	if in.of(p.a) == side {
		return p.a, p.b, true
	}
	return p.b, p.a, true
}

func factorBound(fn expr.FuncID, known expr.Expr, op expr.FuncID, bound expr.Expr) expr.Expr {
	args := []expr.Expr{known, &expr.Const{Value: catalog.Str(string(op))}, bound}
	return &expr.Call{Fn: fn, Args: args, T: types.T(types.Int64), Pos: -1}
}
