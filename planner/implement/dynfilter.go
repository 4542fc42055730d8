package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// DynamicRule is the name that disables dynamic filters in gsql_disable_rules.
const DynamicRule = "DynamicFilters"

const (
	// mostLoss is the share of the join's price that a filter may be expected to lose: shares are
	// often estimated too high, and a filter that drops few rows is soon abandoned.
	mostLoss = 0.05
	// Even a filter that is not expected to save anything is tried in joins that cost at least
	// leastTrialMS and whose probe side has at least trialRatio times the rows of the build side.
	leastTrialMS, trialRatio = 10, 4
)

// addFilters lets a candidate create dynamic filters from the keys of its build input, if scans
// in the other input can test them and the estimates predict a gain. These include scans below
// aggregates by the key, which then compute only the groups that the join uses.
func (b *bidder) addFilters(c *candidate, in *cost.JoinInput) {
	built := c.op.Built()
	if b.p.disabled[DynamicRule] || len(c.op.Keys) == 0 || !c.op.DropsUnmatched(1-built) {
		return
	}
	build, from := b.r, b.lv.home()
	if built == 0 {
		build, from = b.l, b.rv.home()
	}
	if from.Est.TotalMS+c.ms < cost.LeastFilterMS {
		return
	}
	for i, k := range c.op.Keys {
		share := b.matchShare(i, built)
		if share > cost.MostKept {
			continue
		}
		key := k.L
		if built == 0 {
			key = k.R
		}
		f := &reduction{p: b.p, share: share, filter: physical.DynamicFilter{ID: b.p.filters + 1, Keeps: share}}
		to := f.restrict(from, key)
		if to == nil {
			continue
		}
		less := *in
		kept, dropping := &less.Build, &less.Probe
		if (built == 0) != c.op.BuildLeft {
			kept, dropping = dropping, kept
		}
		ratio := *dropping / *kept
		*dropping *= share
		ms := cpuPrice(b.p, c.algo, &less) + b.p.cpu.MakeFilter(build.Rows)
		saved := from.Est.TotalMS + c.ms - to.Est.TotalMS - ms
		if saved < cost.LeastFilterMS && (ratio < trialRatio || c.ms < leastTrialMS || saved < -mostLoss*c.ms) {
			continue
		}
		b.p.filters++
		c.op.Filters = append(c.op.Filters, physical.MadeFilter{ID: b.p.filters, Key: i, SavesMS: saved})
		*in, c.ms, from = less, ms, to
		c.in[1-built] = to
	}
}

// matchShare returns the share of the probe input's rows that have a partner in the build input
// by key i.
func (b *bidder) matchShare(i, built int) float64 {
	known := &b.matched[built]
	for k := len(*known); k <= i; k++ {
		build, probe := b.r, b.l
		if built == 0 {
			build, probe = b.l, b.r
		}
		*known = append(*known, cost.MatchShare(b.conds.KeyExprs[k:k+1], probe, build))
	}
	return (*known)[i]
}

// reduction pushes a dynamic filter down a plan. It copies the nodes on the way, since other
// candidates use them without the filter.
type reduction struct {
	p      *planner
	share  float64 // share of the rows that pass
	filter physical.DynamicFilter
	lookup float64 // number of values if rows are looked up by them, else 0
	// bound marks the filter as the bound of a top-N, which tightens while its input is read. No
	// operator that first reads its input to the end may stand in between.
	bound bool
	last  bool // a bound is tested after the scan's predicates
}

// restrict returns n with a scan that drops rows whose key has no partner, or nil if no scan can.
// key is an expression over n's columns. Dropping rows by a value of the key before n is valid
// for every n that keeps or drops all rows with equal keys together: there must be no LIMIT, and
// aggregates and set operations must compare the key.
func (f *reduction) restrict(n *physical.Node, key expr.Expr) *physical.Node {
	if n.Device != physical.CPU {
		return nil
	}
	switch op := n.Op.(type) {
	case *physical.Scan:
		if f.bound {
			return f.boundScan(n, op, key)
		}
		return f.scan(n, op, key)
	case *physical.Filter:
		if !slices.ContainsFunc(op.Preds, expr.Volatile) {
			return f.over(n, key, 0)
		}
	case *physical.Project:
		if !slices.ContainsFunc(op.Exprs, expr.Volatile) {
			return f.over(n, replaced(key, n.Cols, op.Exprs), 0)
		}
	case *physical.Join:
		switch {
		case op.Type == logical.Full: // a dropped row's partner would be padded
			return nil
		case slices.ContainsFunc(op.Residual, expr.Volatile):
		case !f.bound:
			return f.join(n, key, op.Keys, op.NullAware)
		case op.Algo == physical.Hash || op.Algo == physical.NestedLoop:
			if probe := 1 - op.Built(); probe == 0 || op.Type == logical.Inner {
				return f.over(n, key, probe)
			}
		}
	}
	if f.bound {
		return nil
	}
	switch op := n.Op.(type) {
	case *physical.HashAgg:
		if !slices.ContainsFunc(op.Aggs, func(a *expr.Agg) bool { return slices.ContainsFunc(a.Args, expr.Volatile) }) {
			return f.over(n, replaced(key, n.Cols[:len(op.Keys)], op.Keys), 0)
		}
	case *physical.Sort:
		if op.Limit < 0 {
			return f.over(n, key, 0)
		}
	case *physical.GroupJoin:
		return f.join(n, key, op.Keys, false)
	case *physical.Join:
		if !op.Keep && !slices.ContainsFunc(op.Residual, expr.Volatile) {
			return f.join(n, key, op.Keys, op.NullAware)
		}
	case *physical.SetOp:
		return f.setOp(n, key)
	}
	return nil
}

// over returns n with one input restricted, or nil.
func (f *reduction) over(n *physical.Node, key expr.Expr, input int) *physical.Node {
	in := f.input(n, key, input)
	if in == nil {
		return nil
	}
	m := *n
	m.In = slices.Clone(n.In)
	m.In[input] = in
	return f.reckon(&m, touched(n, input))
}

// touched returns the share of an operator's price that is due to the rows of one input.
func touched(n *physical.Node, input int) float64 {
	j, ok := n.Op.(*physical.Join)
	if !ok {
		return 1
	}
	probe := 1 - j.Built()
	share := cost.StreamedShare(n.In[probe].Est.Rows+n.Est.Rows, n.In[1-probe].Est.Rows)
	if input == probe {
		return share
	}
	return 1 - share
}

// input returns an input of n restricted, or nil. key is nil if no expression over the input
// equals the key.
func (f *reduction) input(n *physical.Node, key expr.Expr, input int) *physical.Node {
	if key == nil || !classify.Over(key, colset.Of(n.In[input].Cols)) {
		return nil
	}
	return f.restrict(n.In[input], key)
}

// reckon re-estimates a copied node. touched is the share of its price that is due to the rows
// being filtered.
func (f *reduction) reckon(n *physical.Node, touched float64) *physical.Node {
	n.Est.Rows = max(min(n.Est.Rows, 1), n.Est.Rows*f.share)
	n.Est.CostMS *= 1 - touched*(1-f.share)
	n.Est.Bytes *= f.share
	n.Est.TotalMS = n.Est.CostMS
	for _, in := range n.In {
		n.Est.TotalMS += in.Est.TotalMS
	}
	return n
}

func (f *reduction) scan(n *physical.Node, op *physical.Scan, key expr.Expr) *physical.Node {
	if slices.ContainsFunc(op.Preds, expr.Volatile) {
		return nil
	}
	if f.lookup > 0 {
		return f.lookupScan(n, op, key)
	}
	col := lookup.PlainColumn(key) // other expressions could fail for rows that are never read
	if col == nil {
		return nil
	}
	s, d := *op, f.filter
	d.Key, d.Early = col, f.early(n, op)
	s.Dynamic = append(slices.Clone(op.Dynamic), d)
	return f.reckonScan(n, &s, d.Early)
}

// early reports whether testing the filter before the scan's predicates is cheaper.
func (f *reduction) early(n *physical.Node, op *physical.Scan) bool {
	kept := n.Est.Rows / max(1, cost.TableRows(op.Table))
	switch {
	case len(op.Preds) == 0:
		return true
	case f.bound: // costs only one comparison
		return !f.last && f.share < kept
	}
	cols := map[expr.ColID]bool{}
	for _, e := range op.Preds {
		expr.Cols(e, cols)
	}
	return f.p.cpu.FilterFirst(f.share, terms(op.Preds...), float64(len(cols)), kept)
}

// reckonScan returns n with a scan that tests one more filter. The filter's column is read for
// the rows that earlier tests leave, and the filter saves nothing of the predicates tested before
// it.
func (f *reduction) reckonScan(n *physical.Node, op *physical.Scan, early bool) *physical.Node {
	m, all, tested := *n, cost.TableRows(op.Table), n.Est.Rows
	m.Op = op
	f.reckon(&m, 1)
	others := n.Est.CostMS - op.FilterMS
	reading := others / max(1, float64(len(n.Cols))) * (1 - f.share)
	if early {
		tested = all
		if !f.bound { // a bound is tested before filters
			tested *= keptBefore(op.Dynamic[:len(op.Dynamic)-1])
		}
		others *= f.share
	} else {
		others = min(others, others*f.share+(1-f.share)*f.p.cpu.Filter(all, terms(op.Preds...)))
	}
	op.FilterMS += f.p.cpu.TestFilter(tested) + reading
	m.Est.CostMS = others + op.FilterMS
	m.Est.TotalMS = m.Est.CostMS
	return &m
}

// keptBefore returns the share of a table's rows that pass the dynamic filters tested before
// predicates.
func keptBefore(filters []physical.DynamicFilter) float64 {
	kept := 1.0
	for _, d := range filters {
		if d.Early {
			kept *= d.Keeps
		}
	}
	return kept
}

// join restricts those inputs of a join or group join that have the key: the input with its
// columns, and the other one if the join equates the key with an expression there. If a right
// column is NULL for left rows without partners, neither input can be restricted by it. If NULLs
// affect the result, the right input must stay complete.
func (f *reduction) join(n *physical.Node, key expr.Expr, keys []physical.KeyPair, nullAware bool) *physical.Node {
	left, right := key, key
	for _, k := range keys {
		switch {
		case expr.Equal(k.L, key):
			right = k.R
		case expr.Equal(k.R, key):
			left = k.L
		}
	}
	if left != key && keepsLeft(n.Op) {
		return nil
	}
	out := f.over(n, left, 0)
	if nullAware || right == key && keepsLeft(n.Op) {
		return out
	}
	if out == nil {
		return f.over(n, right, 1)
	}
	if in := f.input(n, right, 1); in != nil {
		out.Est.TotalMS += in.Est.TotalMS - n.In[1].Est.TotalMS
		out.In[1] = in
	}
	return out
}

// keepsLeft reports whether left rows without partners stay in the result, padded with NULLs.
func keepsLeft(op physical.Op) bool {
	switch op := op.(type) {
	case *physical.Join:
		return op.Type == logical.Left || op.Type == logical.Single
	case *physical.GroupJoin:
		return op.Outer
	}
	return false
}

func (f *reduction) setOp(n *physical.Node, key expr.Expr) *physical.Node {
	m := *n
	m.In = slices.Clone(n.In)
	found := false
	for i, in := range n.In {
		if r := f.restrict(in, replaced(key, n.Cols, refs(in.Cols))); r != nil {
			m.In[i], found = r, true
		}
	}
	if !found {
		return nil
	}
	return f.reckon(&m, 1)
}

// replaced returns e with the columns cols replaced by the expressions by. It returns nil if e
// has other columns or is volatile.
func replaced(e expr.Expr, cols []logical.Column, by []expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		for i := range cols {
			if cols[i].ID == x.ID && !expr.Volatile(by[i]) && lookup.SameForm(by[i].Type(), x.T) {
				return by[i]
			}
		}
		return nil
	case *expr.Call:
		m := *x
		m.Args = make([]expr.Expr, len(x.Args))
		for i, a := range x.Args {
			if m.Args[i] = replaced(a, cols, by); m.Args[i] == nil {
				return nil
			}
		}
		return &m
	case *expr.Const, *expr.Placeholder:
		return e
	}
	return nil
}

// numberFilters renumbers the dynamic filters that remain in a plan from 1.
func numberFilters(n *physical.Node, by map[int]int) {
	switch op := n.Op.(type) {
	case *physical.Join:
		for i := range op.Filters {
			f := &op.Filters[i]
			by[f.ID] = len(by) + 1
			f.ID = by[f.ID]
		}
	case *physical.Sort:
		if op.Bound > 0 {
			by[op.Bound] = len(by) + 1
			op.Bound = by[op.Bound]
		}
	case *physical.Scan:
		for i := range op.Dynamic {
			op.Dynamic[i].ID = by[op.Dynamic[i].ID]
		}
		if op.Bound != nil {
			op.Bound.ID = by[op.Bound.ID]
		}
	}
	for _, in := range n.In {
		numberFilters(in, by)
	}
}
