package rules

import "gsql/planner/logical"

// convertSemiJoin makes an inner join of a semi join over inner joins whose left rows have
// at most one partner each. As one of them it may be ordered among them, so that what drops
// many rows comes first.
func convertSemiJoin(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Semi || j.Correlated || !overInnerJoin(j.L) || !c.atMostOnePartner(j) {
		return n
	}
	m := *j
	m.Kind = logical.Inner
	return c.only(&m, c.schema(j))
}

// overInnerJoin reports whether n is an inner join, below filters and semi joins.
func overInnerJoin(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Filter:
		return overInnerJoin(x.In)
	case *logical.Join:
		return x.Kind == logical.Inner && !x.Correlated || (x.Kind == logical.Semi || x.Kind == logical.Anti) && overInnerJoin(x.L)
	}
	return false
}
