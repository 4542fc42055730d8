package rules

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// exactlyOneRow reports whether n returns exactly one row whatever the tables contain.
func exactlyOneRow(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Values:
		return len(x.Rows) == 1
	case *logical.Aggregate:
		return len(x.Keys) == 0
	case *logical.MaxOneRow:
		return true
	case *logical.Project:
		return exactlyOneRow(x.In)
	case *logical.Window:
		return exactlyOneRow(x.In)
	case *logical.Sort:
		return exactlyOneRow(x.In)
	case *logical.Limit:
		return x.Offset == 0 && x.Count != 0 && exactlyOneRow(x.In)
	case *logical.Join:
		switch x.Kind {
		case logical.Inner:
			return len(x.On) == 0 && exactlyOneRow(x.L) && exactlyOneRow(x.R)
		case logical.Mark, logical.Single:
			return exactlyOneRow(x.L)
		}
	}
	return false
}

// atMostOneRow reports whether n never returns two rows.
func (c *context) atMostOneRow(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Limit:
		if x.Count == 0 || x.Count == 1 {
			return true
		}
		return c.atMostOneRow(x.In)
	case *logical.Filter:
		return c.atMostOneRow(x.In) || c.fixedToOneRow(x.In, x.Preds)
	case *logical.Scan:
		return c.fixedToOneRow(x, x.Preds)
	case *logical.Project, *logical.Sort, *logical.Aggregate, *logical.Window:
		return exactlyOneRow(n) || c.atMostOneRow(onlyInput(n))
	case *logical.Values:
		return len(x.Rows) <= 1
	case *logical.Join:
		switch x.Kind {
		case logical.Semi, logical.Anti:
			return c.atMostOneRow(x.L)
		case logical.Inner, logical.Left:
			return c.atMostOneRow(x.L) && c.atMostOneRow(x.R)
		}
	}
	return exactlyOneRow(n)
}

// fixedToOneRow reports whether preds fix all columns of a key of n.
func (c *context) fixedToOneRow(n logical.Node, preds []expr.Expr) bool {
	var fixed colset.Set
	for _, p := range preds {
		if x, ok := cond.CallOf(p, expr.FuncEQ); ok {
			for i, a := range x.Args {
				if col, ok := a.(*expr.Col); ok && !c.refsOf(x.Args[1-i]).Meets(c.out(n)) && cond.Stable(p) {
					fixed.Add(col.ID)
				}
			}
		}
	}
	return c.hasKey(n, fixed)
}

// cannotFail reports whether computing n sets no variable and cannot raise error 1242 because of
// its number of rows.
func cannotFail(n logical.Node) bool {
	ok := true
	switch x := n.(type) {
	case *logical.MaxOneRow:
		return false
	case *logical.Join:
		ok = x.Kind != logical.Single
	}
	logical.EachExpr(n, func(e expr.Expr) { ok = ok && !expr.Assigns(e) })
	eachInput(n, func(in logical.Node) { ok = ok && cannotFail(in) })
	return ok
}

// hasKey reports whether no two rows of n agree in the columns cols.
func (c *context) hasKey(n logical.Node, cols colset.Set) bool {
	switch x := n.(type) {
	case *logical.Scan:
		return c.scanKey(x, cols)
	case *logical.Filter, *logical.Sort, *logical.Limit, *logical.Window:
		return c.hasKey(onlyInput(n), cols)
	case *logical.Project:
		return c.hasKey(x.In, belowItems(x.Items, cols))
	case *logical.Aggregate:
		for _, k := range x.Keys {
			if !cols.Has(k.ID) {
				return c.hasKey(x.In, cols)
			}
		}
		return true
	case *logical.Rollup:
		return colset.Of(append(x.Out[:len(x.Out):len(x.Out)], x.Level)).SubsetOf(cols)
	case *logical.SetOp:
		return !x.All && c.out(x).SubsetOf(cols)
	case *logical.Join:
		return c.joinKey(x, cols)
	}
	return c.atMostOneRow(n)
}

// scanKey reports whether cols contain a declared key. A UNIQUE key allows several NULLs.
func (c *context) scanKey(s *logical.Scan, cols colset.Set) bool {
	if s.Table == nil || s.Table.Schema() == nil {
		return false
	}
	schema := s.Table.Schema()
	has := make(map[int]bool, len(s.Ordinals))
	for i, ord := range s.Ordinals {
		if cols.Has(s.Columns[i].ID) {
			has[ord] = true
		}
	}
	for _, ix := range schema.Indexes {
		ok := ix.Unique || ix.Primary
		for _, ord := range ix.Columns {
			ok = ok && has[ord] && (ix.Primary || schema.Columns[ord].NotNull)
		}
		if ok && len(ix.Columns) > 0 {
			return true
		}
	}
	return false
}

// joinKey reports whether cols contain a key of a join. A join keeps the keys of its left input
// if every left row has at most one partner; an inner join keeps those of its right input under
// the mirrored condition. A key of the left input and one of the right together always form a key.
func (c *context) joinKey(j *logical.Join, cols colset.Set) bool {
	switch j.Kind {
	case logical.Semi, logical.Anti, logical.Mark, logical.Single:
		return c.hasKey(j.L, cols)
	}
	if j.Correlated || j.Kind == logical.Full { // several rows may be NULL on one side
		return false
	}
	if c.hasKey(j.L, cols) && (c.atMostOnePartner(j) || c.hasKey(j.R, cols)) {
		return true
	}
	return j.Kind == logical.Inner && c.hasKey(j.R, cols) && c.hasKey(j.L, c.equated(j, j.L, j.R))
}

// atMostOnePartner reports whether each left row has at most one partner on the right.
func (c *context) atMostOnePartner(j *logical.Join) bool {
	return c.atMostOneRow(j.R) || c.hasKey(j.R, c.equated(j, j.R, j.L))
}

// equated returns the columns of in that On equates with expressions over other.
func (c *context) equated(j *logical.Join, in, other logical.Node) colset.Set {
	var s colset.Set
	for _, p := range j.On {
		x, ok := cond.CallOf(p, expr.FuncEQ, expr.FuncNullSafeEQ)
		if !ok {
			continue
		}
		for i, a := range x.Args {
			col, ok := a.(*expr.Col)
			if ok && c.out(in).Has(col.ID) && !c.refsOf(x.Args[1-i]).Meets(c.out(in)) && cond.Stable(p) {
				s.Add(col.ID)
			}
		}
	}
	return s
}

// belowItems maps columns of a projection to the input columns they copy.
func belowItems(items []logical.Item, cols colset.Set) colset.Set {
	var below colset.Set
	for i := range items {
		if col, ok := items[i].Expr.(*expr.Col); ok && cols.Has(items[i].Col.ID) {
			below.Add(col.ID)
		}
	}
	return below
}
