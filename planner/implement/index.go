package implement

import (
	"math"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

const (
	noIndex = "no unique key to look up"
	// leastScanMS is the price of an input from which it is worth asking whether its rows can
	// be looked up.
	leastScanMS = 0.005
	// leastLooked is the rows of a table from which it may be: joins of many small tables are
	// dear too, but no scan in them is.
	leastLooked = 256
)

// indexCandidates lists the joins that look up rows of one input by the keys of the other.
// Where there are none, one that says why stands for them if a hint asks.
func (b *bidder) indexCandidates(out []candidate) []candidate {
	some, forced := len(out), b.n.Hint != nil && slices.Contains(b.n.Hint.Force, "index")
	if len(b.conds.keys) > 0 && !b.nullAware && !b.p.disabled[DynamicRule] {
		if forced || b.worthLookup(b.lv, b.n.L) {
			out = b.indexCandidate(out, false)
		}
		if b.mayBuildLeft(physical.Index) && (forced || b.worthLookup(b.rv, b.n.R)) {
			out = b.indexCandidate(out, true)
		}
	}
	if len(out) == some && forced {
		out = append(out, candidate{algo: physical.Index, name: string(physical.Index), why: noIndex})
	}
	return out
}

// worthLookup tells whether looking up rows of an input may save something.
func (b *bidder) worthLookup(v variants, n logical.Node) bool {
	return v.home().Est.TotalMS >= leastScanMS && largestTable(n) >= leastLooked
}

// indexCandidate adds the candidate with one side built, if rows of the other can be looked up
// by one of the keys.
func (b *bidder) indexCandidate(out []candidate, buildLeft bool) []candidate {
	c := candidate{op: b.operator(physical.Index, buildLeft), algo: physical.Index, name: bidName(physical.Index, buildLeft)}
	built := c.op.Built()
	probe := 1 - built
	if !c.op.DropsUnmatched(probe) {
		return out
	}
	c.in = [2]*physical.Node{b.lv.home(), b.rv.home()}
	for i, k := range b.conds.keys {
		build, key := b.r, k.L
		if buildLeft {
			build, key = b.l, k.R
		}
		if k.NullSafe {
			continue
		}
		keys := math.Max(build.Rows, leastRows(b.sideNode(buildLeft)))
		f := &reduction{p: b.p, share: b.matchShare(i, built), lookup: keys, filter: physical.DynamicFilter{ID: b.p.filters + 1, Lookup: true}}
		if found := f.restrict(c.in[probe], key); found != nil {
			b.p.filters++
			c.in[probe] = found
			c.op.Keys, c.op.Residual = b.conds.keys, b.beside
			c.op.Filters = []physical.MadeFilter{{ID: b.p.filters, Key: i}}
			in := b.keyedInput(buildLeft)
			in.Probe, in.Terms = math.Min(in.Probe, found.Est.Rows), terms(b.beside...)
			c.bytes, c.ms = b.bytes(physical.Hash, &in), b.p.cpu.HashJoin(&in)
			return append(out, c)
		}
	}
	return out
}

// lookupScan gives a scan that looks up rows by the column key of a unique key, or nil.
func (f *reduction) lookupScan(n *physical.Node, op *physical.Scan, key *expr.Col) *physical.Node {
	t, ok := op.Table.(catalog.KeyFinder)
	if !ok || len(op.Dynamic) > 0 || op.Keys != nil {
		return nil
	}
	at := slices.IndexFunc(n.Cols, func(c logical.Column) bool { return c.ID == key.ID })
	if at < 0 || op.Ordinals[at] < 0 || !t.FindsBy([]int{op.Ordinals[at]}) {
		return nil
	}
	s, d := *op, f.filter
	d.Key, d.Early = key, true
	s.Dynamic = []physical.DynamicFilter{d}
	m := *n
	m.Op = &s
	rows := math.Min(f.lookup, cost.TableRows(op.Table))
	m.Est.Rows = math.Max(math.Min(n.Est.Rows, 1), math.Min(n.Est.Rows*f.share, rows))
	m.Est.CostMS = f.p.cpu.Lookup(f.lookup, rows, float64(len(n.Cols)), cost.TableRows(op.Table), terms(op.Preds...))
	m.Est.TotalMS = m.Est.CostMS
	return &m
}
