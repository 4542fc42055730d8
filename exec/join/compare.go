package join

import (
	"math"

	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// comparison is a conjunct "left op right" whose operands depend on one side each.
type comparison struct {
	op   string // "=", "<>", "<", "<=", ">", ">="
	l, r expr.Expr
}

// hasWords tells whether the operands have ordered words, so that ranks are not needed.
func (c *comparison) hasWords() bool { return HasWords(c.l.Type()) && HasWords(c.r.Type()) }

// flipped gives the operator with the operands exchanged.
var flipped = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// splitComparisons takes the comparisons out of conjuncts.
func splitComparisons(conjuncts []expr.Expr, left, right map[expr.ColID]bool) (cs []comparison, rest []expr.Expr) {
	for _, e := range conjuncts {
		if c, ok := asComparison(e, left, right); ok {
			cs = append(cs, c)
		} else {
			rest = append(rest, e)
		}
	}
	return cs, rest
}

func asComparison(e expr.Expr, left, right map[expr.ColID]bool) (comparison, bool) {
	c, ok := e.(*expr.Call)
	if !ok || flipped[c.Fn] == "" || len(c.Args) != 2 || !sameForm(c.Args[0], c.Args[1]) {
		return comparison{}, false
	}
	a, b := c.Args[0], c.Args[1]
	if !HasWords(a.Type()) || !HasWords(b.Type()) || c.Fn == "<>" && a.Type().IsFloat() {
		return comparison{}, false
	}
	switch {
	case dependsOn(a, left) && dependsOn(b, right):
		return comparison{c.Fn, a, b}, true
	case dependsOn(a, right) && dependsOn(b, left):
		return comparison{flipped[c.Fn], b, a}, true
	}
	return comparison{}, false
}

// HasWords tells whether every value of the type has an ordered word.
func HasWords(t types.Type) bool {
	switch t.Kind() {
	case types.KindI64, types.KindU64, types.KindF64:
		return true
	case types.KindDec:
		return t.Prec <= 18
	}
	return false
}

// dependsOn tells whether e reads columns of the set, and nothing else that changes
// from pair to pair.
func dependsOn(e expr.Expr, set map[expr.ColID]bool) bool {
	some, ok := false, !expr.Volatile(e)
	expr.Walk(e, func(e expr.Expr) bool {
		if c, isCol := e.(*expr.Col); isCol {
			some, ok = true, ok && set[c.ID]
		}
		return ok
	})
	return some && ok
}

// split gives the comparisons among the join's conjuncts and the others.
func split(node *physical.Node, all []expr.Expr) ([]comparison, []expr.Expr) {
	if len(all) == 0 {
		return nil, nil
	}
	left, right := make(map[expr.ColID]bool, len(node.In[0].Cols)), make(map[expr.ColID]bool, len(node.In[1].Cols))
	for _, c := range node.In[0].Cols {
		left[c.ID] = true
	}
	for _, c := range node.In[1].Cols {
		right[c.ID] = true
	}
	return splitComparisons(all, left, right)
}

// window is a range of words: y is inside when y-lo <= span.
type window struct{ lo, hi uint64 }

// windowOf gives the y for which "x op y" holds; ok is false when there is none. For
// "<>" it gives the y for which it does not hold.
func windowOf(op string, x uint64) (w window, ok bool) {
	switch op {
	case "=", "<>":
		return window{x, x}, true
	case "<":
		return window{x + 1, math.MaxUint64}, x != math.MaxUint64
	case "<=":
		return window{x, math.MaxUint64}, true
	case ">":
		return window{0, x - 1}, x != 0
	}
	return window{0, x}, true
}

// and gives the intersection.
func (w window) and(v window) (window, bool) {
	w.lo, w.hi = max(w.lo, v.lo), min(w.hi, v.hi)
	return w, w.lo <= w.hi
}
