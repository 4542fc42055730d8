package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// extremesName is the rule that disables distinctByExtremes, which runs within convertSubqueries.
const extremesName = "DistinctExtremes"

// distinctByExtremes rewrites the parts of j's right input that drop repeated rows (a UNION,
// DISTINCT, or aggregates of distinct values) if each of their branches compares outer values by
// at most one inequality. A row is in the branch with b < o.b if the least b of the rows equal to
// it is less than o.b. So the branches become one relation of distinct rows with their least or
// greatest operands. It does not depend on outer values, and each of its rows passes at most once.
// Otherwise rows would be compared for each outer value, after all pairs have been made.
func (c *context) distinctByExtremes(j *logical.Join) *logical.Join {
	padded := j.Kind == logical.Inner || j.Kind == logical.Left || j.Kind == logical.Single
	if !padded || c.opt.Disabled[extremesName] {
		return j
	}
	e := extremes{c: c, left: j.L, outer: c.out(j.L)}
	r := e.rewrite(j.R)
	if r == j.R {
		return j
	}
	c.record(extremesName, j.R, r)
	m := *j
	m.R = r
	return &m
}

// extremes rewrites parts of a plan with outer columns.
type extremes struct {
	c     *context
	left  logical.Node // whose columns are the outer ones
	outer colset.Set
}

func (e *extremes) rewrite(n logical.Node) logical.Node {
	if !e.c.free(n).Meets(e.outer) {
		return n
	}
	switch x := n.(type) {
	case *logical.Join:
		if x.Correlated {
			return n
		}
	case *logical.SetOp:
		if x.Kind == logical.Union && !x.All {
			if m := e.distinct(x, x.Columns, refs(x.Columns)); m != nil {
				return m
			}
		}
	case *logical.Aggregate:
		if m := e.aggregate(x); m != nil {
			return m
		}
	}
	n, _ = logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return e.rewrite(in), nil })
	return n
}

func refs(cols []logical.Column) []expr.Expr {
	out := make([]expr.Expr, len(cols))
	for i := range cols {
		out[i] = cols[i].Ref()
	}
	return out
}

// aggregate rewrites DISTINCT, and aggregates of the distinct values of one expression. It returns
// nil if it does not apply.
func (e *extremes) aggregate(x *logical.Aggregate) logical.Node {
	if len(x.Aggs) == 0 {
		return e.distinct(x.In, x.Keys, refs(x.Keys))
	}
	if len(x.Keys) > 0 {
		return nil
	}
	m := logical.Aggregate{Aggs: slices.Clone(x.Aggs)}
	var of expr.Expr
	for i := range m.Aggs {
		a := *m.Aggs[i].Agg
		if !ofDistinct(&a) || of != nil && !expr.Equal(of, a.Args[0]) {
			return nil
		}
		of, a.Distinct = a.Args[0], false
		m.Aggs[i].Agg = &a
	}
	if !cond.Stable(of) {
		return nil
	}
	col := logical.Column{ID: e.c.opt.NextID(), Name: of.String(), T: of.Type()}
	for i := range m.Aggs {
		m.Aggs[i].Agg.Args = []expr.Expr{col.Ref()}
	}
	if m.In = e.distinct(x.In, []logical.Column{col}, []expr.Expr{of}); m.In == nil {
		return nil
	}
	return &m
}

// ofDistinct reports whether an aggregate counts or adds distinct values. Sums of doubles depend on
// the order, and texts may be equal without being identical.
func ofDistinct(a *expr.Agg) bool {
	if !a.Distinct || len(a.Args) != 1 || a.Fn != expr.Count && a.Fn != expr.Sum {
		return false
	}
	t := a.Args[0].Type()
	return hasExtremes(t) && (a.Fn == expr.Count || !t.IsFloat())
}

// hasExtremes reports whether MIN and MAX of a type agree with its comparisons.
func hasExtremes(t types.Type) bool {
	return t.IsInteger() || t.ID == types.Decimal || t.IsFloat() || t.IsTemporal()
}

// distinct returns the distinct rows of n, whose columns are cols and have the values rows. It
// returns nil if it does not apply.
func (e *extremes) distinct(n logical.Node, cols []logical.Column, rows []expr.Expr) logical.Node {
	u := unionOf{extremes: e, cols: cols}
	if !u.collect(n, rows) || len(u.by) > 2 || len(u.by) == 1 && u.by[0].op == "" {
		return nil
	}
	if len(u.branches) == 1 && len(u.branches[0].eqs) > 0 {
		return nil // it reads only the rows of the outer keys, which may be few
	}
	return u.apart(u.relation())
}
