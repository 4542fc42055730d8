package implement

import (
	"math"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Reasons why there is no index join.
const (
	noIndex    = "no unique key to look up"
	noIndexYet = "too little to read for looking rows up"
	// leastScanMS is the least price of an input for which looking up its rows is considered.
	leastScanMS = 0.005
)

// indexCandidates appends the joins that look up rows of one input by the keys of the other. If
// there are none, it may append a placeholder with the reason.
func (b *bidder) indexCandidates(out []candidate) []candidate {
	some, forced := len(out), b.n.Hint != nil && slices.Contains(b.n.Hint.Force, "index")
	able, why := len(b.conds.Keys) > 0 && !b.p.disabled[DynamicRule], noIndex
	if able && !forced {
		why = noIndexYet
	}
	if able && !b.nullAware && (forced || worthLookup(b, b.lv, b.n.L)) {
		out, why = indexCandidate(b, out, false), noIndex
	}
	if able && b.mayBuildLeft(physical.Index) && (forced || worthLookup(b, b.rv, b.n.R)) {
		out, why = indexCandidate(b, out, true), noIndex
	}
	if len(out) == some && (forced || able && !b.p.winnersOnly) {
		out = append(out, candidate{algo: physical.Index, name: string(physical.Index), why: why})
	}
	return out
}

// worthLookup reports whether looking up rows of an input may pay off. Joins of many small tables
// may be expensive too, but none of their scans is.
func worthLookup(b *bidder, v variants, n logical.Node) bool {
	return v.home().Est.TotalMS >= leastScanMS && cost.LargestTable(n) >= lookup.LeastRows
}

// indexCandidate appends the candidate with one side built, if some of the keys can look up rows
// of the other side.
func indexCandidate(b *bidder, out []candidate, buildLeft bool) []candidate {
	c := candidate{op: b.operator(physical.Index, buildLeft), algo: physical.Index, name: bidName(physical.Index, buildLeft)}
	if !c.op.DropsUnmatched(1 - c.op.Built()) {
		return out
	}
	c.in = [2]*physical.Node{b.lv.home(), b.rv.home()}
	for i := range b.conds.Keys {
		if lookUp(b, &c, []int{i}) {
			return append(out, c)
		}
	}
	if len(b.conds.Keys) > 1 {
		for _, by := range compositeKeys(b, b.sideNode(!buildLeft), probeKeys(b, buildLeft), nil) {
			if lookUp(b, &c, by) {
				return append(out, c)
			}
		}
	}
	return out
}

// probeKeys returns the operands of the keys over the probe side.
func probeKeys(b *bidder, buildLeft bool) []expr.Expr {
	out := make([]expr.Expr, len(b.conds.Keys))
	for i, k := range b.conds.Keys {
		if out[i] = k.L; buildLeft {
			out[i] = k.R
		}
	}
	return out
}

// compositeKeys appends, for each table read below n, the keys that together identify its rows.
func compositeKeys(b *bidder, n logical.Node, keys []expr.Expr, out [][]int) [][]int {
	if s, ok := n.(*logical.Scan); ok {
		if k, ok := lookup.Of(s.Table, keys, s.Ordinal); ok && len(k.Operands) > 1 {
			out = append(out, k.Operands)
		}
		return out
	}
	for _, in := range n.Inputs() {
		out = compositeKeys(b, in, keys, out)
	}
	return out
}

// lookUp turns c into the join that looks up rows by the given keys, and reports whether that is
// possible.
func lookUp(b *bidder, c *candidate, by []int) bool {
	built := c.op.Built()
	side, build := b.sideNode(built == 0), b.r
	if built == 0 {
		build = b.l
	}
	exprs, operands := make([]expr.Expr, len(by)), make([]expr.Expr, len(by))
	for at, i := range by {
		k := b.conds.Keys[i]
		key, other := k.L, k.R
		if built == 0 {
			key, other = other, key
		}
		if k.NullSafe && !neverNullIn(other, build) { // keys do not find NULLs
			return false
		}
		exprs[at], operands[at] = b.conds.KeyExprs[i], key
	}
	share := cost.MatchShare(exprs, probeSide(b, built), build)
	f := &reduction{p: b.p, share: share, lookup: math.Max(build.Rows, cost.LeastRows(side)), filter: physical.DynamicFilter{ID: b.p.filters + 1, Lookup: true}}
	found := f.restrict(c.in[1-built], tuple(operands))
	if found == nil {
		return false
	}
	for _, i := range by {
		b.p.filters++
		c.op.Filters = append(c.op.Filters, physical.MadeFilter{ID: b.p.filters, Key: i})
	}
	c.in[1-built] = found
	c.op.Keys, c.op.Residual = b.conds.Keys, b.beside
	in := b.keyedInput(built == 0)
	in.Probe, in.Terms, in.Tested = math.Min(in.Probe, found.Est.Rows), terms(b.beside...), columnsRead(b.beside)
	c.bytes, c.ms = b.bytes(physical.Hash, &in), b.p.cpu.HashJoin(&in)
	return true
}

// probeSide returns the properties of the input that is not built.
func probeSide(b *bidder, built int) *cost.Props {
	if built == 0 {
		return b.r
	}
	return b.l
}

// neverNullIn reports whether the statistics of a column record no NULL.
func neverNullIn(e expr.Expr, side *cost.Props) bool {
	c, ok := e.(*expr.Col)
	if !ok {
		return false
	}
	col, ok := side.Col(c.ID)
	return ok && col.Null == 0
}

// tupleOf is the function of an expression that combines several. It is never evaluated.
const tupleOf = "tuple"

// tuple combines several expressions into one, which reductions push down a plan together.
func tuple(es []expr.Expr) expr.Expr {
	if len(es) == 1 {
		return es[0]
	}
	return &expr.Call{Fn: tupleOf, Args: es, Pos: -1}
}

// lookupScan returns n with a scan that looks up rows by the key, or nil.
func (f *reduction) lookupScan(n *physical.Node, op *physical.Scan, key expr.Expr) *physical.Node {
	if len(op.Dynamic) > 0 || op.Keys != nil {
		return nil
	}
	operands := []expr.Expr{key}
	if c, ok := key.(*expr.Call); ok && c.Fn == tupleOf {
		operands = c.Args
	}
	k, ok := lookup.Of(op.Table, operands, func(id expr.ColID) int {
		at := slices.IndexFunc(n.Cols, func(c logical.Column) bool { return c.ID == id })
		if at < 0 {
			return at
		}
		return op.Ordinals[at]
	})
	if !ok || len(k.Operands) != len(operands) {
		return nil
	}
	s := *op
	s.Dynamic = make([]physical.DynamicFilter, len(operands))
	for i, e := range operands {
		d := f.filter
		d.ID, d.Key, d.Early = f.filter.ID+i, e, true
		if col := lookup.PlainColumn(e); col != nil {
			d.Key = col
		}
		s.Dynamic[i] = d
	}
	return f.lookedUp(n, &s)
}

// lookedUp returns n with a scan that looks up rows.
func (f *reduction) lookedUp(n *physical.Node, s *physical.Scan) *physical.Node {
	m := *n
	m.Op = s
	rows := math.Min(f.lookup, cost.TableRows(s.Table))
	m.Est.Rows = math.Max(math.Min(n.Est.Rows, 1), math.Min(n.Est.Rows*f.share, rows))
	m.Est.CostMS = f.p.cpu.Lookup(f.lookup, rows, float64(len(n.Cols)), cost.TableRows(s.Table), terms(s.Preds...))
	m.Est.TotalMS = m.Est.CostMS
	return &m
}
