package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// bidder creates the candidates of one join.
type bidder struct {
	p         *planner
	n         *logical.Join
	lv, rv    variants // the inputs
	cols      []logical.Column
	l, r      *cost.Props
	ln, rn    float64 // needed columns of either side
	lw, rw    float64 // bytes per row of needed columns of either side
	out       float64
	conds     classify.Conditions
	byRange   *rangeDrive        // nil until computed
	keyed     [2]*cost.JoinInput // by the input that is built; see keyedInput
	beside    []expr.Expr        // residual conditions in addition to the keys
	matched   [2][]float64
	vectors   *bool      // whether vector instructions can test pairs; nil until computed
	need      colset.Set // columns that operators above refer to
	nullAware bool
	partRows  float64             // rows expected of the joins of splitBranches, which a disjunction hides; 0 if there are none
	forbidden []physical.JoinAlgo // by a hint
	onCPU     []physical.Bid      // nil until computed
}

func (p *planner) newBidder(n *logical.Join, lv, rv variants, need colset.Set) *bidder {
	l, r := lv.columns(), rv.columns()
	b := &bidder{p: p, n: n, lv: lv, rv: rv, need: need, cols: joinColumns(n, l, r, need), l: p.est.Derive(n.L), r: p.est.Derive(n.R), out: p.est.Derive(n).Rows}
	b.conds = classify.Of(n.On, colset.Of(l), colset.Of(r))
	b.beside = slices.Concat(b.conds.RangeExprs, b.conds.UnequalExprs, b.conds.Rest)
	kept := need
	if len(b.conds.UnequalExprs)+len(b.conds.Rest) > 0 {
		kept = need.With(b.conds.UnequalExprs...).With(b.conds.Rest...)
	}
	b.ln, b.lw = widthOf(p, b.l, l, kept)
	b.rn, b.rw = widthOf(p, b.r, r, kept)
	return b
}

// algorithms lists every join algorithm, in the order in which equal bids win.
var algorithms = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range, physical.NestedLoop}

// candidates returns a candidate for every CPU algorithm; those that cannot run carry the reason.
// The planner owns the list: it is valid until the next call.
func (b *bidder) candidates() []candidate {
	out := b.p.cands[:0]
	for _, algo := range algorithms {
		if why := b.impossible(algo); why != "" {
			out = append(out, candidate{algo: algo, name: string(algo), why: why})
			continue
		}
		out = append(out, b.candidate(algo, false))
		if b.mayBuildLeft(algo) {
			out = append(out, b.candidate(algo, true))
		}
	}
	out = b.indexCandidates(out)
	b.p.cands = out
	return out
}

func (b *bidder) impossible(algo physical.JoinAlgo) string {
	switch algo {
	case physical.Hash, physical.Radix, physical.Merge:
		if len(b.conds.Keys) == 0 {
			return "no equality predicate"
		}
	case physical.Range:
		if len(b.conds.Ranges) == 0 {
			return "no range predicate"
		}
	}
	return ""
}

// mayBuildLeft reports whether an algorithm has a build side and the kind of join allows the left
// input as that side.
func (b *bidder) mayBuildLeft(algo physical.JoinAlgo) bool {
	switch b.n.Kind {
	case logical.Inner:
		return algo != physical.Merge
	case logical.Left, logical.Semi, logical.Anti, logical.Full:
		return !b.nullAware && (algo == physical.Hash || algo == physical.Index || algo == physical.Radix || algo == physical.NestedLoop ||
			algo == physical.Range && b.l.Rows*streamedShare <= b.r.Rows)
	}
	return false
}

// operator returns a join without its conditions.
func (b *bidder) operator(algo physical.JoinAlgo, buildLeft bool) physical.Join {
	op := physical.Join{Algo: algo, Type: b.n.Kind, BuildLeft: buildLeft, NullAware: b.nullAware, Hint: b.n.Hint}
	if b.n.Kind == logical.Mark {
		op.MarkID = b.n.MarkCol.ID
	}
	return op
}

func (b *bidder) candidate(algo physical.JoinAlgo, buildLeft bool) candidate {
	c := candidate{op: b.operator(algo, buildLeft), algo: algo, name: bidName(algo, buildLeft)}
	op, in := &c.op, b.input(buildLeft)
	switch algo {
	case physical.NestedLoop:
		op.Residual = b.n.On
		in.Terms, in.Pairs = max(1, terms(b.n.On...)+textTerms*texts(b.n.On)), in.Build*in.Probe
		if len(b.conds.Keys)+len(b.conds.Ranges) > 0 {
			in.Build = max(in.Build, cost.LeastRows(b.sideNode(buildLeft)))
			in.Probe = max(in.Probe, cost.LeastRows(b.sideNode(!buildLeft)))
		}
		if in.Vectorised = b.isLoopVectorised(in.Build); in.Vectorised {
			in.Tested = columnsRead(b.n.On)
		}
	case physical.Range:
		rangeBid(b, op, &in, buildLeft)
	default:
		op.Keys = b.conds.Keys
		op.Residual = b.beside
		in = b.keyedInput(buildLeft)
		in.Tested = columnsRead(op.Residual)
		if algo == physical.Merge {
			op.SortedL, op.SortedR = in.ProbeSorted, in.BuildSorted
		}
	}
	if algo != physical.NestedLoop && algo != physical.Range {
		in.Terms = terms(op.Residual...)
	}
	c.bytes, c.ms = b.bytes(algo, &in), cpuPrice(b.p, algo, &in)+b.unknownMS()
	c.in = [2]*physical.Node{b.lv.home(), b.rv.home()}
	if algo == physical.Hash && b.keeps(buildLeft) {
		b.keep(&c, &in)
		return c
	}
	other, reverse := c, in
	b.addFilters(&c, &in)
	if holdsBoth(op) && b.l.Rows < b.r.Rows {
		other.op.LeftFirst = true
		if b.addFilters(&other, &reverse); len(other.op.Filters) > 0 && other.total() < c.total() {
			return other
		}
	}
	return c
}

// holdsBoth reports whether a join keeps the rows of both inputs, so that either can be read first.
func holdsBoth(op *physical.Join) bool {
	return op.Algo == physical.Merge || op.Algo == physical.Range && !op.Streamed
}

func bidName(algo physical.JoinAlgo, buildLeft bool) string {
	if buildLeft {
		return leftNames[algo]
	}
	return string(algo)
}

// leftNames maps algorithms to their names when they build the left input.
var leftNames = func() map[physical.JoinAlgo]string {
	names := map[physical.JoinAlgo]string{}
	for _, algo := range append([]physical.JoinAlgo{physical.Index}, algorithms...) {
		names[algo] = string(algo) + " (build left)"
	}
	return names
}()
