// Package branches splits joins with a UNION ALL whose rows have the number of their branch.
package branches

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Split returns the columns cols of an inner join as a UNION ALL of joins, one for each branch of an
// input. The join's condition must be a disjunction, each term of which holds for the rows with one
// number. Hash and range joins find the partners of a branch, whereas pairs are tested one by one for a
// disjunction. Split returns nil for other joins.
func Split(n *logical.Join, cols []logical.Column, newID func() expr.ColID) logical.Node {
	if n.Kind != logical.Inner || n.Correlated {
		return nil
	}
	for i, e := range n.On {
		or, ok := e.(*expr.Call)
		if !ok || or.Fn != expr.FuncOr {
			continue
		}
		terms := termsOf(or)
		if terms == nil {
			continue
		}
		others := slices.Concat(n.On[:i], n.On[i+1:])
		return union(n, cols, others, terms, newID)
	}
	return nil
}

// term is a conjunction of rest and an equality of a column with a number.
type term struct {
	id     expr.ColID
	number int64
	rest   []expr.Expr
}

// termsOf returns the terms of a disjunction if they have different numbers in one column.
func termsOf(or *expr.Call) []term {
	for _, first := range numbered(or.Args[0]) {
		out := []term{first}
		for _, arg := range or.Args[1:] {
			for _, t := range numbered(arg) {
				if t.id == first.id && !slices.ContainsFunc(out, func(o term) bool { return o.number == t.number }) {
					out = append(out, t)
					break
				}
			}
		}
		if len(out) == len(or.Args) {
			return out
		}
	}
	return nil
}

// numbered returns the ways to regard a conjunction as a term.
func numbered(e expr.Expr) (out []term) {
	all := expr.Conjuncts(e)
	for i, p := range all {
		c, ok := p.(*expr.Call)
		if !ok || c.Fn != expr.FuncEQ {
			continue
		}
		for k, a := range c.Args {
			col, isCol := a.(*expr.Col)
			v, isConst := c.Args[1-k].(*expr.Const)
			if isCol && isConst && !v.Value.Null && col.T == v.Value.Type && col.T.IsInteger() {
				out = append(out, term{col.ID, v.Value.I64, slices.Concat(all[:i], all[i+1:])})
			}
		}
	}
	return out
}

func union(n *logical.Join, cols []logical.Column, others []expr.Expr, terms []term, newID func() expr.ColID) logical.Node {
	var all logical.Node
	for i, t := range terms {
		part := &logical.Join{Kind: logical.Inner, L: n.L, R: n.R, On: slices.Concat(others, t.rest)}
		side := &part.L
		if has(n.R, t.id) {
			side = &part.R
		}
		if *side = only(*side, t.id, t.number); *side == nil {
			return nil
		}
		own, by := logical.Clone(part, newID)
		items := make([]logical.Item, len(cols))
		for k, c := range cols {
			e := by[c.ID]
			if e == nil {
				return nil
			}
			items[k] = logical.Item{Col: renewed(c, newID), Expr: e}
		}
		p := &logical.Project{In: own, Items: items}
		if all == nil {
			all = p
			continue
		}
		to := cols
		if i < len(terms)-1 {
			to = make([]logical.Column, len(cols))
			for k, c := range cols {
				to[k] = renewed(c, newID)
			}
		}
		all = &logical.SetOp{Kind: logical.Union, All: true, L: all, R: p, Columns: to}
	}
	return all
}

func renewed(c logical.Column, newID func() expr.ColID) logical.Column {
	c.ID = newID()
	return c
}

func has(n logical.Node, id expr.ColID) bool {
	return slices.ContainsFunc(n.Schema(), func(c logical.Column) bool { return c.ID == id })
}

// only returns the rows of n with a number in the column id, or nil if there are none.
func only(n logical.Node, id expr.ColID, number int64) logical.Node {
	switch x := n.(type) {
	case *logical.Filter:
		if in := only(x.In, id, number); in != nil {
			return &logical.Filter{In: in, Preds: x.Preds}
		}
		return nil
	case *logical.Project:
		i := slices.IndexFunc(x.Items, func(it logical.Item) bool { return it.Col.ID == id })
		switch e := x.Items[i].Expr.(type) {
		case *expr.Const:
			if e.Value.Null || e.Value.I64 != number {
				return nil
			}
			return n
		case *expr.Col:
			if in := only(x.In, e.ID, number); in != nil {
				return &logical.Project{In: in, Items: x.Items}
			}
			return nil
		}
	case *logical.SetOp:
		if x.Kind == logical.Union && x.All {
			return onlyOfUnion(x, id, number)
		}
	}
	col := n.Schema()[slices.IndexFunc(n.Schema(), func(c logical.Column) bool { return c.ID == id })]
	is := &expr.Call{Fn: expr.FuncEQ, Args: []expr.Expr{col.Ref(), &expr.Const{Value: catalog.Datum{Type: col.T, I64: number}}}, T: catalog.Int(0).Type, Pos: -1}
	return &logical.Filter{In: n, Preds: []expr.Expr{is}}
}

func onlyOfUnion(u *logical.SetOp, id expr.ColID, number int64) logical.Node {
	i := slices.IndexFunc(u.Columns, func(c logical.Column) bool { return c.ID == id })
	l, r := only(u.L, u.L.Schema()[i].ID, number), only(u.R, u.R.Schema()[i].ID, number)
	rest := l
	switch {
	case l != nil && r != nil:
		m := *u
		m.L, m.R = l, r
		return &m
	case l == nil && r == nil:
		return nil
	case l == nil:
		rest = r
	}
	items := make([]logical.Item, len(u.Columns))
	for k, c := range rest.Schema() {
		items[k] = logical.Item{Col: u.Columns[k], Expr: expr.Cast(c.Ref(), u.Columns[k].T)}
	}
	return &logical.Project{In: rest, Items: items}
}
