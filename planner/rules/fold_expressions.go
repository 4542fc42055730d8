package rules

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// foldExpressions simplifies the expressions of a node: constants are computed,
// logic is brought to a normal form and conjunctions are split.
//
// It keeps values exactly; only in predicates, where NULL counts as FALSE, more is
// allowed: x = x becomes x IS NOT NULL there, but as a value it is NULL for NULL.
func foldExpressions(c *context, n logical.Node) logical.Node {
	f := folder{c: c}
	switch x := n.(type) {
	case *logical.Filter:
		f.in[0] = x.In
		if ps, ok := f.predicates(x.Preds); ok {
			return &logical.Filter{In: x.In, Preds: ps}
		}
		return n
	case *logical.Scan:
		f.in[0] = x
		if ps, ok := f.predicates(x.Preds); ok {
			m := *x
			m.Preds = ps
			return &m
		}
		return n
	case *logical.Join:
		return f.joinOn(x)
	case *logical.Values:
		return logical.MapExprs(n, f.value)
	}
	f.in = logical.InputPair(n)
	return logical.MapExprs(n, f.value)
}

// joinOn folds On. A mark tells NULL from FALSE, so that its conditions are values.
func (f *folder) joinOn(x *logical.Join) logical.Node {
	f.in = [2]logical.Node{x.L, x.R}
	var on []expr.Expr
	var ok bool
	if x.Kind == logical.Mark {
		on, ok = splitAnds(logical.MapList(x.On, f.value))
	} else {
		on, ok = f.predicates(x.On)
	}
	if !ok {
		return x
	}
	m := *x
	m.On = on
	return &m
}

// splitAnds splits conjuncts that are ANDs and drops TRUE.
func splitAnds(ps []expr.Expr, changed bool) ([]expr.Expr, bool) {
	clean := true
	for _, p := range ps {
		_, and := callOf(p, expr.FuncAnd)
		clean = clean && !and && truthOf(p) != isTrueConst
	}
	if clean {
		return ps, changed
	}
	var out []expr.Expr
	for _, p := range ps {
		for _, q := range expr.Conjuncts(p) {
			if truthOf(q) != isTrueConst {
				out = append(out, q)
			}
		}
	}
	return out, true
}

// folder folds expressions over the columns of the inputs in.
type folder struct {
	c  *context
	in [2]logical.Node // nil where there is none
}

// notNull reports whether the inputs prove that a column is never NULL. Correlated
// columns are not proven.
func (f *folder) notNull(id expr.ColID) bool {
	for _, in := range f.in {
		if in == nil || !f.c.out(in).has(id) {
			continue
		}
		col, ok := f.c.column(in, id)
		return ok && col.NotNull
	}
	return false
}

// value folds e as a value and remembers the result as folded.
func (f *folder) value(e expr.Expr) expr.Expr {
	switch e.(type) {
	case *expr.Call, *expr.Subquery:
	default:
		return e
	}
	if f.c.folded[e] {
		return e
	}
	m := f.fold(e)
	f.c.folded[m] = true
	return m
}

// predicates folds a conjunction of predicates.
func (f *folder) predicates(ps []expr.Expr) ([]expr.Expr, bool) {
	all := true
	for _, p := range ps {
		all = all && f.c.folded[p]
	}
	if all {
		return ps, false
	}
	folded, changed := logical.MapList(ps, func(p expr.Expr) expr.Expr { return f.asPredicate(f.fold(p)) })
	folded, changed = splitAnds(folded, changed)
	folded, changed = f.dedupe(folded, changed)
	for _, p := range folded {
		f.c.folded[p] = true
	}
	return folded, changed
}

// asPredicate simplifies what matters only where it is true.
func (f *folder) asPredicate(e expr.Expr) expr.Expr {
	x, ok := e.(*expr.Call)
	if !ok {
		if truthOf(e) == isFalseConst || truthOf(e) == isNullConst {
			return falseExpr
		}
		return e
	}
	switch x.Fn {
	case expr.FuncAnd, expr.FuncOr:
		args, changed := logical.MapList(x.Args, f.asPredicate)
		if changed {
			return f.connective(x.Fn, args, x)
		}
	case expr.FuncEQ, expr.FuncLE, expr.FuncGE:
		if expr.Equal(x.Args[0], x.Args[1]) && stable(x.Args[0]) {
			return f.fold(notNull(x.Args[0]))
		}
	case expr.FuncNullSafeEQ:
		// NULL <=> 1 is FALSE where NULL = 1 is NULL: the same in a predicate.
		if f.neverNull(x.Args[0]) || f.neverNull(x.Args[1]) {
			m := *x
			m.Fn = expr.FuncEQ
			return &m
		}
	case expr.FuncNE, expr.FuncLT, expr.FuncGT:
		if expr.Equal(x.Args[0], x.Args[1]) && stable(x.Args[0]) {
			return falseExpr
		}
	case expr.FuncCoalesce: // p IS TRUE, as comparisons with ALL have it
		if len(x.Args) == 2 && truthOf(x.Args[1]) == isFalseConst && isTruthValue(x.Args[0]) {
			return f.asPredicate(x.Args[0])
		}
	}
	return f.withoutAbs(x)
}

// dedupe drops repeated conjuncts and recognises those that exclude one another.
func (f *folder) dedupe(ps []expr.Expr, changed bool) ([]expr.Expr, bool) {
	if len(ps) == 1 {
		return ps, changed
	}
	seen, equals := exprSet{}, map[expr.ColID]catalog.Datum{}
	var out []expr.Expr
	for i, p := range ps {
		if truthOf(p) == isFalseConst {
			return []expr.Expr{falseExpr}, true
		}
		if f.excluded(p, equals) {
			return []expr.Expr{falseExpr}, true
		}
		if !seen.add(p) && stable(p) {
			if out == nil {
				out = append(make([]expr.Expr, 0, len(ps)), ps[:i]...)
			}
			continue
		}
		if out != nil {
			out = append(out, p)
		}
	}
	if out == nil {
		return ps, changed
	}
	return out, true
}

// excluded notes column = constant in equals and tells when another constant was
// noted before: the conjunction is then false or NULL for every row.
func (f *folder) excluded(p expr.Expr, equals map[expr.ColID]catalog.Datum) bool {
	col, d, ok := columnEquals(p)
	if !ok {
		return false
	}
	was, seen := equals[col.ID]
	if !seen {
		equals[col.ID] = d
		return false
	}
	if was == d || was.Type != d.Type {
		return false
	}
	v, err := f.c.opt.Eval(boolCall(expr.FuncEQ, &expr.Const{Value: was}, &expr.Const{Value: d}))
	return err == nil && !v.Null && v.I64 == 0
}

// columnEquals takes column = constant apart.
func columnEquals(p expr.Expr) (*expr.Col, catalog.Datum, bool) {
	if x, ok := callOf(p, expr.FuncEQ); ok {
		col, ok1 := x.Args[0].(*expr.Col)
		k, ok2 := x.Args[1].(*expr.Const)
		if ok1 && ok2 && !k.Value.Null {
			return col, k.Value, true
		}
	}
	return nil, catalog.Datum{}, false
}

type truth uint8

const (
	notConst truth = iota
	isFalseConst
	isTrueConst
	isNullConst
)

// truthOf reports what a constant means as a condition.
func truthOf(e expr.Expr) truth {
	k, ok := e.(*expr.Const)
	switch {
	case !ok:
		return notConst
	case expr.IsNull(k):
		return isNullConst
	}
	if !k.Value.Type.IsInteger() {
		return notConst
	}
	if k.Value.I64 == 0 {
		return isFalseConst
	}
	return isTrueConst
}
