package fuse

import (
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Fused returns a copy of a subtree in the form in which a device runs it: placeholders are
// replaced by the values for which the plan is made, and dynamic filters are removed. Filters
// reduce the estimated rows between a scan and the join that makes them; the copy's estimates do
// not include this reduction.
func Fused(root *physical.Node) *physical.Node {
	n, _ := fused(root)
	return n
}

// fused returns the copy of n. It also returns the factors by which dynamic filters that are made
// above n have reduced its rows.
func fused(n *physical.Node) (*physical.Node, map[int]float64) {
	c := *n
	c.Op = physical.MapExprs(n.Op, likely)
	c.In = make([]*physical.Node, len(n.In))
	reduced := map[int]float64{}
	for i, in := range n.In {
		below, by := fused(in)
		c.In[i] = below
		for id, keeps := range by {
			reduced[id] = keeps
		}
	}
	switch op := c.Op.(type) {
	case *physical.Scan:
		for _, f := range op.Dynamic {
			reduced[f.ID] = f.Keeps
		}
		if len(op.Dynamic) > 0 || op.Bound != nil {
			s := *op
			s.Dynamic, s.Bound = nil, nil
			c.Op = &s
		}
	case *physical.Join:
		for _, f := range op.Filters {
			delete(reduced, f.ID)
		}
	}
	for _, keeps := range reduced {
		if keeps > 0 {
			c.Est.Rows /= keeps
		}
	}
	return &c, reduced
}

// likely replaces the placeholders of an expression by their values.
func likely(e expr.Expr) expr.Expr {
	return expr.Map(e, func(e expr.Expr) expr.Expr {
		if x, ok := e.(*expr.Placeholder); ok {
			return &expr.Const{Value: x.Value}
		}
		return e
	})
}
