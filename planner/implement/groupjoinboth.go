package implement

import (
	"math"
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// product is a term of an aggregate's argument over columns of both sides: a factor of the probe
// side times a factor of the indexed side. A nil factor is 1.
type product struct {
	probe, build expr.Expr
	minus        bool
}

// maxProducts bounds the terms of an argument after multiplication.
const maxProducts = 6

// products multiplies e out. It returns nil unless e is a sum of products of factors of both
// sides.
func products(g *groupJoin, e expr.Expr) []product {
	var used colset.Set
	used.AddExpr(e)
	switch {
	case !used.Meets(g.build):
		return []product{{probe: e}}
	case !used.Meets(g.probe):
		return []product{{build: e}}
	}
	c, ok := e.(*expr.Call)
	if !ok {
		return nil
	}
	switch c.Fn {
	case expr.FuncCast:
		if widens(c.Args[0].Type(), c.T) {
			return products(g, c.Args[0])
		}
	case expr.FuncNeg:
		return negative(products(g, c.Args[0]))
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul:
		a, b := products(g, c.Args[0]), products(g, c.Args[1])
		if a == nil || b == nil || len(a)*len(b) > maxProducts {
			return nil
		}
		switch c.Fn {
		case expr.FuncMul:
			return multiplied(g, a, b)
		case expr.FuncSub:
			b = negative(b)
		}
		return append(a, b...)
	}
	return nil
}

// widens reports whether a cast between numbers preserves every value, and sums of them.
func widens(from, to types.Type) bool {
	if to.IsFloat() {
		return from.IsNumeric() && to.ID == types.Float64
	}
	return to.ID == types.Decimal && (from.IsInteger() || from.ID == types.Decimal && from.Scale <= to.Scale)
}

func negative(ps []product) []product {
	for i := range ps {
		ps[i].minus = !ps[i].minus
	}
	return ps
}

func multiplied(g *groupJoin, a, b []product) []product {
	times := func(x, y expr.Expr) expr.Expr {
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return call(expr.FuncMul, x, y)
	}
	var out []product
	for _, p := range a {
		for _, q := range b {
			out = append(out, product{times(p.probe, q.probe), times(p.build, q.build), p.minus != q.minus})
		}
	}
	return out
}

// ofBoth splits an aggregate over a sum of products of both sides' columns: a row of the probe
// side contributes its factors times aggregates over the partners' factors.
func ofBoth(g *groupJoin, a *expr.Agg) string {
	refusal := a.String() + " takes columns of both sides"
	switch a.Fn {
	case expr.Count, expr.Sum, expr.Avg, expr.Min, expr.Max:
	default: // including those with ORDER BY over the columns
		return refusal
	}
	if a.Distinct && a.Fn != expr.Min && a.Fn != expr.Max || len(a.Args) != 1 || !g.b.p.est.Derive(g.b.n).Safe(a.Args[0]) {
		return refusal
	}
	ps := products(g, a.Args[0])
	if ps == nil || !summable(g, ps) {
		return refusal
	}
	if a.Fn == expr.Min || a.Fn == expr.Max {
		if x := extreme(g, a, ps); x != nil {
			pass(g, combine(g, &expr.Agg{Fn: a.Fn, Args: []expr.Expr{x}, T: a.T}))
			return ""
		}
		return refusal
	}
	n := expr.Expr(partial(g, expr.Count, factor(ps), countType))
	pairs := n
	for _, p := range ps {
		if p.probe != nil {
			pairs = counted(g, p.probe, pairs)
		}
	}
	if a.Fn == expr.Count {
		count(g, pairs)
		return ""
	}
	x := total(g, ps, n, a.Args[0].Type())
	switch {
	case x == nil:
		return a.String() + " has too many digits"
	case a.Fn == expr.Avg:
		return average(g, a, x, pairs)
	}
	pass(g, combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{x}, T: a.T}))
	return ""
}

// factor returns the first factor of the indexed side.
func factor(ps []product) expr.Expr {
	return ps[slices.IndexFunc(ps, func(p product) bool { return p.build != nil })].build
}

// summable reports whether the factors of both sides can be computed and added up for all rows,
// and one of them determines whether a pair has a value at all. For the latter, if there are
// several factors of the indexed side, they must not be NULL.
func summable(g *groupJoin, ps []product) bool {
	probe, build, _, bv := g.sides()
	first := factor(ps)
	for _, p := range ps {
		if p.probe != nil && !probe.Safe(p.probe) {
			return false
		}
		if p.build == nil {
			continue
		}
		if !expr.Equal(p.build, first) && (!notNull(first, bv.columns()) || !notNull(p.build, bv.columns())) {
			return false
		}
		if g.op.Outer && !nullWhenPadded(g, p.build) || !harmless(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{p.build}}) || !withinSums(p, probe, build) {
			return false
		}
	}
	return true
}

// withinSums reports whether sums of a product over all pairs fit into 128 bits.
func withinSums(p product, probe, build *cost.Props) bool {
	if p.build.Type().IsFloat() || p.probe != nil && p.probe.Type().IsFloat() {
		return true
	}
	most := build.Magnitude(p.build) * math.Pow10(int(p.build.Type().Scale)) * build.Rows * probe.Rows
	if p.probe != nil {
		most *= probe.Magnitude(p.probe) * math.Pow10(int(p.probe.Type().Scale))
	}
	return most < math.Ldexp(1, 120)
}

// notNull reports whether e is arithmetic of columns and never NULL.
func notNull(e expr.Expr, cols []logical.Column) bool {
	some := true
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			some = some && slices.ContainsFunc(cols, func(c logical.Column) bool { return c.ID == x.ID && c.NotNull })
		case *expr.Call:
			some = some && slices.Contains([]expr.FuncID{expr.FuncAdd, expr.FuncSub, expr.FuncMul, expr.FuncNeg, expr.FuncCast}, x.Fn)
		case *expr.Const:
			some = some && !x.Value.Null
		}
		return some
	})
	return some
}

// total returns the contribution of a row of the probe side to a sum; n is the number of its
// partners with values. It returns nil if the result would have too many digits.
func total(g *groupJoin, ps []product, n expr.Expr, t types.Type) (sum expr.Expr) {
	for _, p := range ps {
		x := term(g, p, n, t)
		switch {
		case x == nil:
			return nil
		case sum == nil && p.minus:
			sum = call(expr.FuncNeg, x)
		case sum == nil:
			sum = x
		case p.minus:
			sum = call(expr.FuncSub, sum, x)
		default:
			sum = call(expr.FuncAdd, sum, x)
		}
	}
	if st := sum.Type(); t.Kind() != types.KindF64 && (st.Kind() != types.KindDec || st.Scale != t.Scale) {
		return nil
	}
	return sum
}

// term returns a product summed over a row's partners, as a DOUBLE or a DECIMAL.
func term(g *groupJoin, p product, n expr.Expr, t types.Type) expr.Expr {
	number := func(x expr.Expr) expr.Expr {
		switch {
		case t.Kind() == types.KindF64:
			return expr.Cast(x, types.T(types.Float64))
		case x.Type().IsInteger():
			return expr.Cast(x, types.Dec(20, 0))
		}
		return x
	}
	s := n
	if p.build != nil {
		a, err := expr.NewAgg(expr.Sum, []expr.Expr{p.build}, false)
		if err != nil {
			return nil
		}
		s = partial(g, expr.Sum, a.Args[0], a.T)
	}
	if p.probe == nil {
		return number(s)
	}
	return call(expr.FuncMul, number(p.probe), number(s))
}

// extreme returns the minimum or maximum of p + b over the partners of a row of the probe side,
// computed from the partner with the least or greatest b. It returns nil for anything but p + b,
// p - b and b - p.
func extreme(g *groupJoin, a *expr.Agg, ps []product) expr.Expr {
	if len(ps) != 2 || ps[0].minus && ps[1].minus {
		return nil
	}
	p, b := ps[0], ps[1]
	if p.build != nil {
		p, b = b, p
	}
	if p.probe == nil || p.build != nil || b.probe != nil {
		return nil
	}
	fn := a.Fn
	if b.minus && fn == expr.Min {
		fn = expr.Max
	} else if b.minus {
		fn = expr.Min
	}
	s := partial(g, fn, b.build, b.build.Type())
	var x expr.Expr
	switch {
	case p.minus:
		x = call(expr.FuncSub, s, p.probe)
	case b.minus:
		x = call(expr.FuncSub, p.probe, s)
	default:
		x = call(expr.FuncAdd, p.probe, s)
	}
	if x.Type().Kind() != a.T.Kind() || x.Type().Scale != a.T.Scale {
		return nil
	}
	return x
}
