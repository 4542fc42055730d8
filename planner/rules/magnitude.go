package rules

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// magnitude returns a bound of the absolute values of column id of n, if its table has one. The
// bound holds for the version of the table that the plan reads, so a plan that uses it must not
// serve other versions: plans that are cached for all versions of a table have no joins.
func magnitude(c *context, n logical.Node, id expr.ColID) (most float64, ok bool) {
	switch x := n.(type) {
	case *logical.Scan:
		for i := range x.Columns {
			if x.Columns[i].ID == id {
				return storedMagnitude(x.Table.Stats(), x.Ordinals[i])
			}
		}
	case *logical.Filter, *logical.Sort, *logical.Limit, *logical.MaxOneRow:
		return magnitude(c, onlyInput(n), id)
	case *logical.Window:
		return magnitude(c, x.In, id)
	case *logical.Aggregate:
		return magnitude(c, x.In, id) // of a key
	case *logical.Join:
		if c.out(x.L).Has(id) {
			return magnitude(c, x.L, id)
		}
		return magnitude(c, x.R, id)
	case *logical.Project:
		for i := range x.Items {
			if x.Items[i].Col.ID == id {
				col, ok := x.Items[i].Expr.(*expr.Col)
				if !ok {
					return 0, false
				}
				return magnitude(c, x.In, col.ID)
			}
		}
	}
	return 0, false
}

// storedMagnitude returns a bound of the absolute values of a table's column from its statistics.
func storedMagnitude(st *catalog.Stats, ordinal int) (most float64, ok bool) {
	if ordinal < 0 || ordinal >= len(st.Columns) {
		return 0, false
	}
	c := &st.Columns[ordinal]
	if c.Min == nil || c.Max == nil || c.Min.Null || c.Max.Null {
		return 0, false
	}
	return max(math.Abs(c.Min.Float()), math.Abs(c.Max.Float())), true
}
