package implement

import (
	"math"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// boundlessRows is the number of rows, in addition to those that it keeps, that a worker of a top-N
// collects before it has a bound.
const boundlessRows = 1024

// addBound lets a top-N report to a scan of its input which rows it no longer needs, and returns
// the input with that scan. If no scan can use the bound, it returns in.
func addBound(p *planner, op *physical.Sort, in *physical.Node) *physical.Node {
	if p.disabled[DynamicRule] || in.Est.TotalMS < cost.LeastFilterMS || len(op.Keys) == 0 {
		return in
	}
	kept, rows := float64(op.Limit+op.Offset), max(1, in.Est.Rows)
	if kept < 1 || !op.Bounded() {
		return in
	}
	met := kept*(1+math.Log(max(1, rows/kept))) + (2*kept+boundlessRows)*max(1, float64(p.cpu.P.Workers))
	f := &reduction{p: p, share: met / rows, bound: true, filter: physical.DynamicFilter{ID: p.filters + 1}}
	if f.share > cost.MostKept {
		return in
	}
	to := f.restrict(in, op.Keys[0].Expr)
	if to != nil && to.Est.TotalMS > in.Est.TotalMS-cost.LeastFilterMS {
		if !onlyScans(in) {
			return in
		}
		// Tested last, the bound costs nothing, since the top-N would compare the same values. The
		// estimates do not know which parts of a table the scan skips because of it.
		f.last = true
		to = f.restrict(in, op.Keys[0].Expr)
	}
	if to == nil {
		return in
	}
	p.filters++
	op.Bound = p.filters
	return to
}

// onlyScans reports whether n scans a table and does little else.
func onlyScans(n *physical.Node) bool {
	for {
		switch n.Op.(type) {
		case *physical.Scan:
			return true
		case *physical.Filter, *physical.Project:
			n = n.In[0]
		default:
			return false
		}
	}
}

// boundScan returns a scan with the bound, or nil: the key must be a column.
func (f *reduction) boundScan(n *physical.Node, op *physical.Scan, key expr.Expr) *physical.Node {
	col, ok := key.(*expr.Col)
	if !ok || op.Bound != nil || slices.ContainsFunc(op.Preds, expr.Volatile) {
		return nil
	}
	s := *op
	s.Bound = &physical.DynamicBound{ID: f.filter.ID, Key: col, Early: f.early(n, op)}
	return f.reckonScan(n, &s, s.Bound.Early)
}
