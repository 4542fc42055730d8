// Package dependent removes from an aggregate the keys that are functions of its other keys: rows
// that agree in x agree in x - 1, which is computed once for each group instead.
package dependent

import (
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Reduce returns a as a projection over an aggregate with fewer keys, or nil if no key depends on
// others. At least one key stays, because an aggregate without keys has a row even if its input has
// none.
func Reduce(a *logical.Aggregate) logical.Node {
	p, ok := a.In.(*logical.Project)
	if !ok || len(a.Keys) < 2 {
		return nil
	}
	below := make(map[expr.ColID]expr.Expr, len(p.Items))
	for i := range p.Items {
		below[p.Items[i].Col.ID] = p.Items[i].Expr
	}
	known, used := determinants(a.Keys, below), map[expr.ColID]bool{}
	for _, it := range a.Aggs {
		for _, e := range it.Agg.Args {
			expr.Cols(e, used)
		}
		for _, k := range it.Agg.OrderBy {
			expr.Cols(k.Expr, used)
		}
	}
	under := &logical.Aggregate{Aggs: a.Aggs}
	var items []logical.Item
	moved := map[expr.ColID]bool{}
	for i, k := range a.Keys {
		e := below[k.ID]
		last := len(under.Keys) == 0 && i == len(a.Keys)-1
		if e == nil || last || used[k.ID] || !determined(e, known) {
			under.Keys = append(under.Keys, k)
			items = append(items, logical.Item{Col: k, Expr: k.Ref()})
			continue
		}
		moved[k.ID] = true
		items = append(items, logical.Item{Col: k, Expr: cond.Substitute(e, known)})
	}
	if len(under.Keys) == len(a.Keys) {
		return nil
	}
	for _, it := range a.Aggs {
		items = append(items, logical.Item{Col: it.Col, Expr: it.Col.Ref()})
	}
	rest := &logical.Project{In: p.In}
	for _, it := range p.Items {
		if !moved[it.Col.ID] {
			rest.Items = append(rest.Items, it)
		}
	}
	under.In = rest
	return &logical.Project{In: under, Items: items}
}

// determinants returns the keys that are columns of the projection's input, by these columns. Only
// types whose equal values cannot be told apart count: texts may differ under a collation, and
// zeros of doubles in their sign.
func determinants(keys []logical.Column, below map[expr.ColID]expr.Expr) map[expr.ColID]expr.Expr {
	known := map[expr.ColID]expr.Expr{}
	for _, k := range keys {
		if col, ok := below[k.ID].(*expr.Col); ok && exact(k.T) {
			known[col.ID] = k.Ref()
		}
	}
	return known
}

func exact(t types.Type) bool {
	return t.IsInteger() || t.IsTemporal() || t.ID == types.Decimal && !t.Carries()
}

// determined reports whether e, which is not a column itself, is a function of known columns.
func determined(e expr.Expr, known map[expr.ColID]expr.Expr) bool {
	if _, ok := e.(*expr.Col); ok || expr.Volatile(e) || expr.Assigns(e) {
		return false
	}
	ok := true
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			ok = ok && known[x.ID] != nil
		case *expr.Subquery:
			ok = false
		}
		return ok
	})
	return ok
}
