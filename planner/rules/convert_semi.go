package rules

import "gsql/planner/logical"

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
