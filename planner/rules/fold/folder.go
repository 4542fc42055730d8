// Package fold simplifies expressions: it computes constants, brings logic to a normal form and
// splits conjunctions.
package fold

import (
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/planner/rules/isolate"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// SplitAnds splits conjuncts that are ANDs and drops TRUE.
func SplitAnds(ps []expr.Expr, changed bool) ([]expr.Expr, bool) {
	clean := true
	for _, p := range ps {
		_, and := cond.CallOf(p, expr.FuncAnd)
		clean = clean && !and && cond.TruthOf(p) != cond.ConstTrue
	}
	if clean {
		return ps, changed
	}
	var out []expr.Expr
	for _, p := range ps {
		for _, q := range expr.Conjuncts(p) {
			if cond.TruthOf(q) != cond.ConstTrue {
				out = append(out, q)
			}
		}
	}
	return out, true
}

// Facts describes the columns that expressions refer to.
type Facts interface {
	// NotNull reports whether a column is proven never to be NULL. It is false for correlated
	// columns.
	NotNull(id expr.ColID) bool
}

// Folder simplifies expressions. It preserves values exactly, except in predicates, where NULL
// counts as FALSE: there x = x becomes x IS NOT NULL, although as a value it is NULL for NULL.
type Folder struct {
	Facts Facts
	// Eval returns the value of an expression without columns. On an error, the expression stays
	// unchanged.
	Eval func(expr.Expr) (catalog.Datum, error)
	// Normal holds the expressions known to be in normal form. The folder adds to it.
	Normal map[expr.Expr]bool
}

// Value folds e as a value and records that the result is folded.
func (f *Folder) Value(e expr.Expr) expr.Expr {
	switch e.(type) {
	case *expr.Call, *expr.Subquery:
	default:
		return e
	}
	if f.Normal[e] {
		return e
	}
	m := f.fold(e)
	f.Normal[m] = true
	return m
}

// Predicates folds a conjunction of predicates.
func (f *Folder) Predicates(ps []expr.Expr) ([]expr.Expr, bool) {
	all := true
	for _, p := range ps {
		all = all && f.Normal[p]
	}
	if all {
		return ps, false
	}
	folded, changed := logical.MapList(ps, func(p expr.Expr) expr.Expr { return f.asPredicate(f.fold(p)) })
	folded, changed = SplitAnds(folded, changed)
	folded, changed = f.dedupe(folded, changed)
	for _, p := range folded {
		f.Normal[p] = true
	}
	return folded, changed
}

// asPredicate simplifies an expression for which only TRUE matters.
func (f *Folder) asPredicate(e expr.Expr) expr.Expr {
	x, ok := e.(*expr.Call)
	if !ok {
		if cond.TruthOf(e) == cond.ConstFalse || cond.TruthOf(e) == cond.ConstNull {
			return cond.False
		}
		return e
	}
	switch x.Fn {
	case expr.FuncAnd, expr.FuncOr:
		args, changed := logical.MapList(x.Args, f.asPredicate)
		if changed {
			return f.Connective(x.Fn, args, x)
		}
	case expr.FuncEQ, expr.FuncLE, expr.FuncGE:
		if expr.Equal(x.Args[0], x.Args[1]) && cond.Stable(x.Args[0]) {
			return f.fold(cond.NotNull(x.Args[0]))
		}
	case expr.FuncNullSafeEQ:
		// NULL <=> 1 is FALSE and NULL = 1 is NULL, which is the same in a predicate.
		if f.NeverNull(x.Args[0]) || f.NeverNull(x.Args[1]) {
			m := *x
			m.Fn = expr.FuncEQ
			return &m
		}
	case expr.FuncNE, expr.FuncLT, expr.FuncGT:
		if expr.Equal(x.Args[0], x.Args[1]) && cond.Stable(x.Args[0]) {
			return cond.False
		}
	case expr.FuncCoalesce: // p IS TRUE, in the form that comparisons with ALL use
		if len(x.Args) == 2 && cond.TruthOf(x.Args[1]) == cond.ConstFalse && cond.IsTruthValue(x.Args[0]) {
			return f.asPredicate(x.Args[0])
		}
	}
	return isolate.WithoutAbs(x)
}

// dedupe drops repeated conjuncts and detects mutually exclusive ones.
func (f *Folder) dedupe(ps []expr.Expr, changed bool) ([]expr.Expr, bool) {
	if len(ps) == 1 {
		return ps, changed
	}
	seen, equals := cond.Set{}, map[expr.ColID]catalog.Datum{}
	var out []expr.Expr
	for i, p := range ps {
		if cond.TruthOf(p) == cond.ConstFalse {
			return []expr.Expr{cond.False}, true
		}
		if f.excluded(p, equals) {
			return []expr.Expr{cond.False}, true
		}
		if !seen.Add(p) && cond.Stable(p) {
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

// excluded records column = constant in equals. It reports whether equals already has another
// constant for the column, so that the conjunction is false or NULL for every row.
func (f *Folder) excluded(p expr.Expr, equals map[expr.ColID]catalog.Datum) bool {
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
	v, err := f.Eval(cond.Call(expr.FuncEQ, &expr.Const{Value: was}, &expr.Const{Value: d}))
	return err == nil && !v.Null && v.I64 == 0
}

// columnEquals splits column = constant.
func columnEquals(p expr.Expr) (*expr.Col, catalog.Datum, bool) {
	if x, ok := cond.CallOf(p, expr.FuncEQ); ok {
		col, ok1 := x.Args[0].(*expr.Col)
		k, ok2 := x.Args[1].(*expr.Const)
		if ok1 && ok2 && !k.Value.Null {
			return col, k.Value, true
		}
	}
	return nil, catalog.Datum{}, false
}
