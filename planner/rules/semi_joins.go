package rules

import "gsql/planner/logical"

// eliminateSemiDistinct drops DISTINCT, and the removal of duplicates by UNION, on the right of
// semi, anti and mark joins: these only test whether a partner exists.
func eliminateSemiDistinct(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Semi && j.Kind != logical.Anti && j.Kind != logical.Mark {
		return n
	}
	r := withRepeats(c, j.R)
	if r == j.R {
		return n
	}
	m := *j
	m.R = r
	return &m
}

// withRepeats returns n, or a plan with the same rows in which some may be repeated.
func withRepeats(c *context, n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Aggregate:
		if len(x.Aggs) == 0 && len(x.Keys) > 0 {
			return withRepeats(c, c.only(x.In, x.Keys))
		}
	case *logical.SetOp:
		if x.Kind == logical.Union && !x.All {
			m := *x
			m.All = true
			return &m
		}
	case *logical.Filter, *logical.Project:
		in := onlyInput(n)
		if m := withRepeats(c, in); m != in {
			return n.WithInputs([]logical.Node{m})
		}
	}
	return n
}

// convertSemiJoin turns a semi join over inner joins into an inner join if each left row has at
// most one partner. It then takes part in join ordering, so that the most selective join can come
// first.
func convertSemiJoin(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Semi || j.Correlated || !overInnerJoin(j.L) || !c.atMostOnePartner(j) {
		return n
	}
	m := *j
	m.Kind = logical.Inner
	return c.only(&m, c.schema(j))
}

// overInnerJoin reports whether n is an inner join, possibly under filters, semi joins and anti
// joins.
func overInnerJoin(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Filter:
		return overInnerJoin(x.In)
	case *logical.Join:
		return x.Kind == logical.Inner && !x.Correlated || (x.Kind == logical.Semi || x.Kind == logical.Anti) && overInnerJoin(x.L)
	}
	return false
}
