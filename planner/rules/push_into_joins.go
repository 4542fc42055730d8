package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/planner/rules/isolate"
	"gsql/sql/expr"
)

// sides are the columns of a join's inputs.
type sides struct {
	c     *context
	l, r  colset.Set
	nodes [2]logical.Node
}

func sidesOf(c *context, j *logical.Join) sides {
	return sides{c, c.out(j.L), c.out(j.R), [2]logical.Node{j.L, j.R}}
}

// Of implements isolate.Inputs.
func (in *sides) Of(e expr.Expr) isolate.Side {
	switch e := e.(type) {
	case *expr.Col:
		return in.among(e.ID)
	case *expr.Call:
		var s isolate.Side
		for _, a := range e.Args {
			s |= in.Of(a)
		}
		return s
	case *expr.Subquery:
		var s isolate.Side
		in.c.refsOf(e).Each(func(id expr.ColID) { s |= in.among(id) })
		return s
	}
	return 0
}

func (in *sides) among(id expr.ColID) (s isolate.Side) {
	if in.l.Has(id) {
		s |= isolate.Left
	}
	if in.r.Has(id) {
		s |= isolate.Right
	}
	return s
}

// pushFilterIntoJoin moves predicates of a filter into the join below it. An inner join accepts
// all of them; those over both inputs become join conditions. Other kinds treat each left row
// separately, so only predicates over the left input may pass: a filter on the right side of a
// LEFT JOIN would turn rows that WHERE drops into padded ones.
func pushFilterIntoJoin(c *context, n logical.Node) logical.Node {
	f, j, ok := filterOver[*logical.Join](n)
	if !ok {
		return n
	}
	if j.Kind == logical.Full {
		return pushFilterIntoFullJoin(c, f, j)
	}
	var left, right, on []expr.Expr
	moved, kept := partition(f.Preds, func(e expr.Expr) bool {
		if cond.HasSubquery(e) {
			return false
		}
		if j.Kind == logical.Inner {
			return true
		}
		refs := c.refsOf(e)
		if j.Kind == logical.Mark && refs.Has(j.MarkCol.ID) {
			return false
		}
		return !refs.Meets(c.out(j.R)) || j.Kind == logical.Semi || j.Kind == logical.Anti
	})
	if len(moved) == 0 {
		return n
	}
	in := sidesOf(c, j)
	for _, p := range moved {
		switch s := in.Of(p); {
		case s&isolate.Right == 0 || j.Kind != logical.Inner:
			left = append(left, p)
		case s == isolate.Right:
			right = append(right, p)
		default:
			on = append(on, p)
		}
	}
	m := *j
	m.L, m.R, m.On = filter(j.L, left), filter(j.R, right), slices.Concat(j.On, on)
	return filter(&m, kept)
}

// pushJoinConditions moves join conditions over one input into that input where the kind of join
// allows. LEFT, ANTI, MARK and SINGLE joins must keep left rows even if such a condition rejects
// them, so only conditions over the right input move there. None of a FULL JOIN move. A mark
// distinguishes NULL from FALSE, so conditions of a MARK join that can be NULL stay.
func pushJoinConditions(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 || j.Kind == logical.Full {
		return n
	}
	leftToo := j.Kind == logical.Inner || j.Kind == logical.Semi
	folder, in := c.folder(j.R), sidesOf(c, j)
	var left, right []expr.Expr
	moved, kept := partition(j.On, func(e expr.Expr) bool {
		s := in.Of(e)
		switch {
		case s == isolate.Both || cond.HasSubquery(e):
			return false
		case s == isolate.Left:
			return leftToo
		case s == 0 && leftToo:
			return true
		}
		return j.Kind != logical.Mark || folder.NeverNull(e)
	})
	if len(moved) == 0 {
		return n
	}
	for _, p := range moved {
		if s := in.Of(p); s == isolate.Left || s == 0 && leftToo {
			left = append(left, p)
		} else {
			right = append(right, p)
		}
	}
	m := *j
	m.L, m.R, m.On = filter(j.L, left), filter(j.R, right), kept
	return &m
}

// convertMarkToSemi turns WHERE mark into a semi join and WHERE NOT mark into an anti join. The
// latter requires conditions that are never NULL: if the mark is NULL, NOT mark rejects the row,
// while an anti join would keep it.
func convertMarkToSemi(c *context, n logical.Node) logical.Node {
	f, j, ok := filterOver[*logical.Join](n)
	if !ok || j.Kind != logical.Mark {
		return n
	}
	for i, p := range f.Preds {
		kind, mark := logical.Semi, cond.True
		if x, is := cond.CallOf(p, expr.FuncNot); is {
			p, kind, mark = x.Args[0], logical.Anti, cond.False
		}
		col, is := p.(*expr.Col)
		if !is || col.ID != j.MarkCol.ID || kind == logical.Anti && !neverNull(c, j) {
			continue
		}
		m := *j
		m.Kind, m.MarkCol = kind, logical.Column{}
		for _, e := range m.On {
			delete(c.folded, e) // it was folded as a value
		}
		rest := slices.Concat(f.Preds[:i], f.Preds[i+1:])
		items := append(passItems(c.schema(j.L)), logical.Item{Col: j.MarkCol, Expr: mark})
		return filter(&logical.Project{In: &m, Items: items}, rest)
	}
	return n
}

// neverNull reports whether the conditions of a join are TRUE or FALSE for every pair.
func neverNull(c *context, j *logical.Join) bool {
	f := c.folder(j.L, j.R)
	for _, p := range j.On {
		if !f.NeverNull(p) {
			return false
		}
	}
	return true
}

// orientEqualities rewrites the equalities of a join as left side = right side.
func orientEqualities(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 {
		return n
	}
	in := sidesOf(c, j)
	on, changed := logical.MapList(j.On, func(e expr.Expr) expr.Expr {
		x, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncNullSafeEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNE)
		if !ok || in.Of(x.Args[0]) != isolate.Right || in.Of(x.Args[1]) != isolate.Left {
			return e
		}
		m := *x
		m.Fn, m.Args = cond.Flipped[x.Fn], []expr.Expr{x.Args[1], x.Args[0]}
		c.folded[&m] = c.folded[e]
		return &m
	})
	if !changed {
		return n
	}
	m := *j
	m.On = on
	return &m
}
