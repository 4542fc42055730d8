package implement

import (
	"math"
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

var (
	countType   = types.T(types.Int64)
	countDigits = types.Dec(19, 0) // a BIGINT
	zero        = &expr.Const{Value: catalog.Int(0)}
)

// aggregate splits an aggregate of the joined rows into one over the partners of each row of the
// probe side and one over those rows. If it cannot, it returns the reason.
func (g *groupJoin) aggregate(a *expr.Agg) string {
	var used colset.Set
	for _, e := range a.Args {
		if expr.Volatile(e) {
			return a.String() + " is not deterministic"
		}
		used.AddExpr(e)
	}
	for _, k := range a.OrderBy {
		used.AddExpr(k.Expr)
	}
	switch {
	case !used.Meets(g.build):
		return g.ofProbe(a)
	case used.Meets(g.probe) && g.padded():
		return a.String() + " takes columns of both sides"
	case used.Meets(g.probe):
		return ofBoth(g, a)
	}
	return g.ofBuild(a)
}

// ofProbe splits an aggregate over columns of the probe side, whose values count once for each
// partner of their row.
func (g *groupJoin) ofProbe(a *expr.Agg) string {
	if a.Distinct || a.Fn == expr.Min || a.Fn == expr.Max || a.Fn == expr.First || a.Fn == expr.BitAnd || a.Fn == expr.BitOr {
		pass(g, combine(g, a))
		return ""
	}
	switch a.Fn {
	case expr.CountStar:
		count(g, partial(g, expr.CountStar, nil, countType))
	case expr.Count:
		count(g, present(g, a.Args[0]))
	case expr.Sum:
		x := weighted(g, a.Args[0])
		if x == nil {
			return a.String() + " has too many digits"
		}
		pass(g, combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{x}, T: a.T}))
	case expr.Avg:
		x := weighted(g, a.Args[0])
		if x == nil {
			return a.String() + " has too many digits"
		}
		return average(g, a, x, present(g, a.Args[0]))
	default:
		return a.String() + " counts pairs"
	}
	return ""
}

// ofBuild splits an aggregate over columns of the indexed side. Its arguments are also computed
// and added up for rows without partners, which must be harmless.
func (g *groupJoin) ofBuild(a *expr.Agg) string {
	alone, known := g.alone(a.Args[0])
	switch {
	case !known:
		return a.String() + " may have a value for rows without partners"
	case !harmless(g, a):
		return a.String() + " may fail for rows without partners"
	case a.Fn == expr.Min || a.Fn == expr.Max || a.Fn == expr.First && g.onlyEager():
		x := g.orAlone(partial(g, a.Fn, a.Args[0], a.T), alone)
		pass(g, combine(g, &expr.Agg{Fn: a.Fn, Args: []expr.Expr{x}, T: a.T}))
		return ""
	case a.Distinct:
		return g.distinct(a)
	}
	switch a.Fn {
	case expr.Count:
		count(g, g.values(a.Args[0], alone))
	case expr.Sum:
		x := g.orAlone(partial(g, expr.Sum, a.Args[0], a.T), alone)
		pass(g, combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{x}, T: a.T}))
	case expr.Avg:
		sum, err := expr.NewAgg(expr.Sum, a.Args, false)
		if err != nil {
			return err.Error()
		}
		return average(g, a, g.orAlone(partial(g, expr.Sum, a.Args[0], sum.T), alone), g.values(a.Args[0], alone))
	default:
		return a.String() + " takes values of many rows"
	}
	return ""
}

// alone returns the value of an argument for a row without partners: nil if it is NULL or if the
// join has no such rows. The value is known for expressions that are NULL when a left join pads
// the indexed side, and for COALESCE of such an expression and a constant that is not NULL.
func (g *groupJoin) alone(e expr.Expr) (value expr.Expr, known bool) {
	if !g.op.Outer || nullWhenPadded(g, e) {
		return nil, true
	}
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncCoalesce || len(c.Args) != 2 || !nullWhenPadded(g, c.Args[0]) {
		return nil, false
	}
	k, ok := c.Args[1].(*expr.Const)
	return k, ok && !k.Value.Null
}

// orAlone returns an aggregate over the partners, or alone if there are none.
func (g *groupJoin) orAlone(x *expr.Col, alone expr.Expr) expr.Expr {
	if alone == nil {
		return x
	}
	return call(expr.FuncCoalesce, x, expr.Cast(alone, x.T))
}

// values returns the number of values of an argument that are not NULL.
func (g *groupJoin) values(e, alone expr.Expr) expr.Expr {
	if alone != nil { // none is NULL
		return partial(g, expr.CountStar, nil, countType)
	}
	return partial(g, expr.Count, e, countType)
}

// nullWhenPadded reports whether e is NULL when a left join pads the indexed side.
func nullWhenPadded(g *groupJoin, e expr.Expr) bool { return nullOver(e, g.build) }

// nullOver reports whether e has only columns of some, and is NULL when these are.
func nullOver(e expr.Expr, some colset.Set) bool {
	others := false
	padded := expr.Map(e, func(e expr.Expr) expr.Expr {
		c, ok := e.(*expr.Col)
		if ok && some.Has(c.ID) {
			return &expr.Const{Value: catalog.NullOf(c.T)}
		}
		others = others || ok
		return e
	})
	if others {
		return false
	}
	d, err := eval.Const(padded, kernel.Tentative(nil))
	return err == nil && d.Null
}

// harmless reports whether an aggregate neither fails nor warns for any rows of the indexed side,
// and its sums fit into 128 bits.
func harmless(g *groupJoin, a *expr.Agg) bool {
	_, build, _, _ := g.sides()
	for _, e := range a.Args {
		if !build.Safe(e) {
			return false
		}
	}
	if a.Fn != expr.Sum && a.Fn != expr.Avg || a.Args[0].Type().IsFloat() {
		return true
	}
	return build.Magnitude(a.Args[0])*math.Pow10(int(a.Args[0].Type().Scale))*build.Rows < math.Ldexp(1, 126)
}

// partial returns the column of an aggregate over the partners of a row.
func partial(g *groupJoin, fn expr.AggFn, arg expr.Expr, t types.Type) *expr.Col {
	for i, a := range g.op.Aggs {
		if a.Fn == fn && a.T == t && (arg == nil || expr.Equal(a.Args[0], arg)) {
			return g.parts[i].Ref()
		}
	}
	a := &expr.Agg{Fn: fn, T: t}
	if arg != nil {
		a.Args = []expr.Expr{arg}
	}
	g.op.Aggs = append(g.op.Aggs, a)
	col := logical.Column{ID: g.p.newID(), Name: a.String(), T: t, NotNull: fn == expr.Count || fn == expr.CountStar}
	g.parts = append(g.parts, col)
	return col.Ref()
}

// present returns how often a value of the probe side counts: once per partner, unless NULL.
func present(g *groupJoin, x expr.Expr) expr.Expr {
	return counted(g, x, partial(g, expr.CountStar, nil, countType))
}

// counted returns n, or 0 if x is NULL.
func counted(g *groupJoin, x, n expr.Expr) expr.Expr {
	if c, ok := x.(*expr.Col); ok && !g.padded() {
		for _, col := range columns(g) {
			if col.ID == c.ID && col.NotNull {
				return n
			}
		}
	}
	return call(expr.FuncCase, call(expr.FuncIsNull, x), zero, n)
}

// columns returns the columns of the probe side.
func columns(g *groupJoin) []logical.Column {
	if g.left {
		return g.b.lv.columns()
	}
	return g.b.rv.columns()
}

// weighted returns x times the number of partners of its row, exactly; nil if it has too many
// digits.
func weighted(g *groupJoin, x expr.Expr) expr.Expr {
	n := expr.Expr(partial(g, expr.CountStar, nil, countType))
	scale := x.Type().Scale
	switch x.Type().Kind() {
	case types.KindF64:
		return call(expr.FuncMul, x, expr.Cast(n, types.T(types.Float64)))
	case types.KindI64, types.KindU64:
		x, scale = expr.Cast(x, types.Dec(20, 0)), 0
	case types.KindDec:
	default:
		return nil
	}
	e := call(expr.FuncMul, x, expr.Cast(n, countDigits))
	if t := e.Type(); t.Kind() != types.KindDec || t.Scale != scale {
		return nil
	}
	return e
}

// combine adds an aggregate over the rows of the GroupJoin and returns its column.
func combine(g *groupJoin, a *expr.Agg) *expr.Col {
	col := logical.Column{ID: g.p.newID(), Name: a.String(), T: a.T}
	g.aggs = append(g.aggs, logical.AggItem{Col: col, Agg: a})
	return col.Ref()
}

// pass makes a combined aggregate a result.
func pass(g *groupJoin, c *expr.Col) { g.final = append(g.final, c) }

// count makes the sum of counts a result. Over no rows it is 0.
func count(g *groupJoin, n expr.Expr) {
	c := combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{n}, T: countType})
	if len(g.n.Keys) > 0 {
		pass(g, c)
		return
	}
	g.final, g.plain = append(g.final, call(expr.FuncCoalesce, c, zero)), false
}

// average makes the quotient of a sum and a number of values a result.
func average(g *groupJoin, a *expr.Agg, sum, n expr.Expr) string {
	total, err := expr.NewAgg(expr.Sum, a.Args, false)
	if err != nil {
		return err.Error()
	}
	s := combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{sum}, T: total.T})
	c := combine(g, &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{n}, T: countType})
	q := expr.Average(s, call(expr.FuncNullIf, c, zero), a.T)
	if q == nil {
		return a.String() + " has too many digits"
	}
	g.final, g.plain = append(g.final, q), false
	return ""
}

// call returns a call of a function that is known to accept the arguments.
func call(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	if len(args) == 1 && (fn == expr.FuncOr || fn == expr.FuncAnd) {
		return args[0]
	}
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}

// distinct makes COUNT(DISTINCT x) over the partners of a row: the indexed side is sorted by x, and
// all pairs are tested. Each row of the probe side must be a group of its own, since rows of one
// group may have partners in common.
func (g *groupJoin) distinct(a *expr.Agg) string {
	t := a.Args[0].Type()
	switch {
	case a.Fn != expr.Count || len(a.Args) != 1 || !t.IsInteger() && !t.IsTemporal():
		return a.String() + " takes values of many rows"
	case !g.ownGroups():
		return a.String() + " takes values of the partners of many rows"
	case slices.ContainsFunc(g.n.Aggs, func(it logical.AggItem) bool {
		return it.Agg.Fn != a.Fn || !it.Agg.Distinct || !expr.Equal(it.Agg.Args[0], a.Args[0])
	}):
		return a.String() + " is not the only aggregate"
	}
	g.pairwise()
	g.order = a.Args[0]
	part := &expr.Agg{Fn: expr.Count, Args: a.Args, Distinct: true, T: countType}
	col := logical.Column{ID: g.p.newID(), Name: part.String(), T: countType, NotNull: true}
	g.op.Aggs, g.parts = []*expr.Agg{part}, []logical.Column{col}
	pass(g, combine(g, &expr.Agg{Fn: expr.First, Args: []expr.Expr{col.Ref()}, T: countType}))
	return ""
}

// ownGroups reports whether rows of the probe side differ in the keys of the groups: it is the
// domain of a correlated subquery.
func (g *groupJoin) ownGroups() bool {
	n := g.b.n.R
	if g.left {
		n = g.b.n.L
	}
	domain, ok := n.(*logical.Aggregate)
	if !ok || len(domain.Keys) == 0 {
		return false
	}
	return !slices.ContainsFunc(domain.Keys, func(k logical.Column) bool {
		return !slices.ContainsFunc(g.n.Keys, func(c logical.Column) bool { return c.ID == k.ID })
	})
}

// sorted sorts the indexed side.
func (g *groupJoin) sorted(v variants) variants {
	_, build, _, _ := g.sides()
	cols := v.columns()
	ms := g.p.cpu.Sort(build.Rows, 1, float64(len(cols)), sortedBy(build, g.order))
	op := &physical.Sort{Keys: []expr.SortKey{{Expr: g.order}}, Limit: -1}
	return variants{{node: node(op, cols, build.Rows, build.Rows*g.p.est.Width(build, cols), ms, []variants{v})}}
}
