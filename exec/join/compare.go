package join

import (
	"math"

	"gsql/planner/logical"
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

func asComparison(e expr.Expr, sides *places) (comparison, bool) {
	c, ok := e.(*expr.Call)
	if !ok || flipped[c.Fn] == "" || len(c.Args) != 2 || !sameForm(c.Args[0], c.Args[1]) {
		return comparison{}, false
	}
	a, b := c.Args[0], c.Args[1]
	if !HasWords(a.Type()) || !HasWords(b.Type()) || c.Fn == "<>" && a.Type().IsFloat() {
		return comparison{}, false
	}
	switch {
	case dependsOn(a, sides, fromLeft) && dependsOn(b, sides, fromRight):
		return comparison{c.Fn, a, b}, true
	case dependsOn(a, sides, fromRight) && dependsOn(b, sides, fromLeft):
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

// dependsOn tells whether e reads columns of one side, and nothing else that changes
// from pair to pair.
func dependsOn(e expr.Expr, sides *places, on source) bool {
	some, ok := false, !expr.Volatile(e)
	expr.Walk(e, func(e expr.Expr) bool {
		if c, isCol := e.(*expr.Col); isCol {
			side, at := sides.find(c.ID)
			some, ok = true, ok && side == on && at >= 0
		}
		return ok
	})
	return some && ok
}

// split gives the comparisons among the join's conjuncts and the others.
func split(node *physical.Node, all []expr.Expr) (cs []comparison, rest []expr.Expr) {
	sides := places{cols: [2][]logical.Column{node.In[0].Cols, node.In[1].Cols}}
	for _, e := range all {
		if c, ok := asComparison(e, &sides); ok {
			cs = append(cs, c)
		} else {
			rest = append(rest, e)
		}
	}
	return cs, rest
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
