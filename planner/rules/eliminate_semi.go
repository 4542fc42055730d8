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
