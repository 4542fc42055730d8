package rules

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// convertOuterJoins turns a LEFT JOIN into an inner join if rows padded with NULLs cannot
// survive: a predicate above, or the condition of an inner join above, is never true when a
// column of the right side is NULL. In the same way, a FULL JOIN becomes a LEFT JOIN that
// preserves either side, or an inner join.
//
// SELECT * FROM a LEFT JOIN b ON a.x = b.x WHERE b.y > 1 never returns a padded row; WHERE b.y IS
// NULL or COALESCE(b.y, 2) > 1 may.
func convertOuterJoins(c *context, n logical.Node) (logical.Node, error) {
	return rejecting(c, n, colset.Set{})
}

// rejecting rewrites n. Nodes above n discard its rows in which a column of rejected is NULL.
func rejecting(c *context, n logical.Node, rejected colset.Set) (logical.Node, error) {
	switch x := n.(type) {
	case *logical.Filter:
		rejected = rejected.Union(rejectedByAll(c, x.Preds))
	case *logical.Project:
		rejected = belowProject(c, x, rejected)
	case *logical.Aggregate:
		rejected = belowAggregate(x, rejected)
	case *logical.Join:
		return rejectingJoin(c, x, rejected)
	case *logical.Window:
		rejected = rejected.Intersect(partitionColumns(x))
	case *logical.Sort:
	default:
		rejected = colset.Set{}
	}
	return logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return rejecting(c, in, rejected) })
}

func rejectingJoin(c *context, j *logical.Join, rejected colset.Set) (logical.Node, error) {
	if j.Kind == logical.Full && rejected.Meets(c.out(j.R)) && !rejected.Meets(c.out(j.L)) {
		m := *j
		m.Kind, m.L, m.R = logical.Left, j.R, j.L
		n, err := rejectingJoin(c, &m, rejected)
		if err != nil {
			return nil, err
		}
		return c.only(n, c.schema(j)), nil
	}
	kind := j.Kind
	if kind == logical.Full && rejected.Meets(c.out(j.L)) {
		kind = logical.Left
	}
	if kind == logical.Left && rejected.Meets(c.out(j.R)) {
		kind = logical.Inner
	}
	on := rejectedByAll(c, j.On)
	left, right := rejected, on
	switch kind {
	case logical.Full:
		left, right = colset.Set{}, colset.Set{}
	case logical.Inner:
		left, right = rejected.Union(on), rejected.Union(on)
	case logical.Semi:
		left = rejected.Union(on)
	case logical.Mark: // a NULL condition counts: it makes the mark NULL
		right = colset.Set{}
	}
	l, err := rejecting(c, j.L, left)
	if err != nil {
		return nil, err
	}
	r, err := rejecting(c, j.R, right)
	if err != nil || kind == j.Kind && l == j.L && r == j.R {
		return j, err
	}
	m := *j
	m.Kind, m.L, m.R = kind, l, r
	return &m, nil
}

// belowProject maps rejected columns to the input columns whose NULLs make them NULL.
func belowProject(c *context, p *logical.Project, rejected colset.Set) colset.Set {
	var below colset.Set
	if rejected.Empty() {
		return colset.Set{}
	}
	for i := range p.Items {
		if rejected.Has(p.Items[i].Col.ID) {
			below.AddAll(nullMakers(p.Items[i].Expr))
		}
	}
	return below
}

// belowAggregate returns the grouping keys among the rejected columns. Rows below a grouping may
// be dropped in whole groups only, and the rows of a group agree in its keys alone.
func belowAggregate(a *logical.Aggregate, rejected colset.Set) colset.Set {
	var below colset.Set
	for _, k := range a.Keys {
		if rejected.Has(k.ID) {
			below.Add(k.ID)
		}
	}
	return below
}

// rejectedByAll returns columns for which a single NULL keeps one of ps from being true.
func rejectedByAll(c *context, ps []expr.Expr) colset.Set {
	var s colset.Set
	for _, p := range ps {
		s.AddAll(rejectedBy(p))
	}
	return s
}

// rejectedBy returns columns for which a single NULL keeps p from being true.
func rejectedBy(p expr.Expr) colset.Set {
	x, ok := p.(*expr.Call)
	if !ok {
		return nullMakers(p)
	}
	switch x.Fn {
	case expr.FuncAnd:
		var s colset.Set
		for _, a := range x.Args {
			s.AddAll(rejectedBy(a))
		}
		return s
	case expr.FuncOr:
		s := rejectedBy(x.Args[0])
		for _, a := range x.Args[1:] {
			s = s.Intersect(rejectedBy(a))
		}
		return s
	case expr.FuncNot:
		return rejectedByNot(x.Args[0])
	case expr.FuncCoalesce: // COALESCE(p, FALSE)
		if len(x.Args) == 2 && cond.TruthOf(x.Args[1]) == cond.ConstFalse {
			return rejectedBy(x.Args[0])
		}
		return colset.Set{}
	}
	return nullMakers(p)
}

// rejectedByNot is rejectedBy for NOT e.
func rejectedByNot(e expr.Expr) colset.Set {
	x, ok := e.(*expr.Call)
	if !ok {
		return nullMakers(e)
	}
	switch x.Fn {
	case expr.FuncIsNull:
		return nullMakers(x.Args[0])
	case expr.FuncOr: // NOT (p OR q): both are false
		var s colset.Set
		for _, a := range x.Args {
			s.AddAll(rejectedByNot(a))
		}
		return s
	case expr.FuncAnd:
		s := rejectedByNot(x.Args[0])
		for _, a := range x.Args[1:] {
			s = s.Intersect(rejectedByNot(a))
		}
		return s
	}
	return nullMakers(e)
}

// nullMakers returns columns for which a single NULL makes e NULL: those that occur under strict
// functions only.
func nullMakers(e expr.Expr) colset.Set {
	var s colset.Set
	switch x := e.(type) {
	case *expr.Col:
		s.Add(x.ID)
	case *expr.Call:
		sig := expr.Lookup(x.Fn)
		switch {
		case x.Fn == expr.FuncIn || x.Fn == expr.FuncLike || x.Fn == expr.FuncCast:
			return nullMakers(x.Args[0])
		case sig == nil || sig.NullAware:
			return colset.Set{}
		}
		for _, a := range x.Args {
			s.AddAll(nullMakers(a))
		}
	}
	return s
}
