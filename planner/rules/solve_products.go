package rules

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// solveProducts turns comparisons of a product of both sides into a range of one factor:
// l.x * r.y > l.a becomes r.y >= factor_from(l.x, '>', l.a) AND r.y <= factor_to(l.x, '>', l.a),
// by which rows can be sorted. Whatever the sign of l.x is, and also where it is 0, the factors
// that pass are a range. It does so only where the types of the columns leave no overflow.
func solveProducts(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 {
		return n
	}
	in := c.sidesOf(j)
	var on []expr.Expr
	changed := false
	for _, e := range j.On {
		if from, to := in.solved(e); from != nil {
			on, changed = append(on, from, to), true
			continue
		}
		on = append(on, e)
	}
	if !changed {
		return n
	}
	m := *j
	m.On = on
	return &m
}

// solved returns both bounds, or nil.
func (in *sides) solved(e expr.Expr) (from, to expr.Expr) {
	x, ok := callOf(e, expr.FuncEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE)
	if !ok || in.of(x.Args[0]) != onBoth && in.of(x.Args[1]) != onBoth {
		return nil, nil
	}
	p := product{rest: sum{in: in}}
	if !in.split(x.Args[0], 1, &p) || !in.split(x.Args[1], -1, &p) || p.factor == 0 || p.rest.most+p.most > mostInteger {
		return nil, nil
	}
	op := x.Fn
	if p.factor < 0 {
		op = flipped[op]
	} else {
		p.rest.negate()
	}
	known, wanted, ok := in.roles(&p)
	if !ok {
		return nil, nil
	}
	bound, err := p.rest.expr()
	if err != nil {
		return nil, nil
	}
	if bound == nil {
		bound = &expr.Const{Value: catalog.Int(0)}
	}
	from, to = factorBound(expr.FuncFactorFrom, known, op, bound), factorBound(expr.FuncFactorTo, known, op, bound)
	return boolCall(expr.FuncGE, wanted, from), boolCall(expr.FuncLE, wanted, to)
}

// product is factor * a * b + rest, where factor is 1 or -1 and each of a and b depends on one
// input, not on the same one; most bounds the product. A factor of 0 means that there is none.
type product struct {
	factor int64
	a, b   expr.Expr
	most   float64
	rest   sum
}

// split adds factor * e to p, and is false where that is no such form.
func (in *sides) split(e expr.Expr, factor int64, p *product) bool {
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
		if p.factor == 0 && (x == onLeft && y == onRight || x == onRight && y == onLeft) && a.add(call.Args[0], whole(1)) && b.add(call.Args[1], whole(1)) {
			p.factor, p.a, p.b, p.most = factor, uncast(call.Args[0]), uncast(call.Args[1]), a.most*b.most
			return true
		}
	}
	return p.rest.add(e, whole(factor))
}

// uncast returns the column that a cast of one only widens, and other expressions as they are.
func uncast(e expr.Expr) expr.Expr {
	if c, ok := callOf(e, expr.FuncCast); ok {
		if col, ok := c.Args[0].(*expr.Col); ok && isBigint(col) {
			return col
		}
	}
	return e
}

// roles reports which factor is known beside the rest, and which one is wanted.
func (in *sides) roles(p *product) (known, wanted expr.Expr, ok bool) {
	side := onLeft
	for i, t := range p.rest.terms {
		of := in.of(t.e)
		if of != onLeft && of != onRight || i > 0 && of != side {
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
