package implement

import (
	"slices"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/types"
)

// bidder makes the candidates of one join.
type bidder struct {
	p         *planner
	n         *logical.Join
	lv, rv    variants // the inputs
	cols      []logical.Column
	l, r      *cost.Props
	ln, rn    float64 // needed columns of either side
	lw, rw    float64 // bytes of them
	out       float64
	conds     conditions
	byRange   *rangeDrive        // once asked for
	keyed     [2]*cost.JoinInput // by the input that is built; see keyedInput
	beside    []expr.Expr        // what is residual beside the keys
	matched   [2][]float64
	vectors   *bool  // whether pairs are tested by vector instructions, once asked for
	need      colSet // columns that operators above refer to
	nullAware bool
	forbidden []physical.JoinAlgo // by a hint
	onCPU     []physical.Bid      // once made
}

// conditions are the conjuncts of a join by what algorithms can do with them. Each
// list of expressions runs beside the parsed form.
type conditions struct {
	keys         []physical.KeyPair
	keyExprs     []expr.Expr
	ranges       []physical.RangePred
	rangeExprs   []expr.Expr
	unequal      []physical.RangePred // <>
	unequalExprs []expr.Expr
	rest         []expr.Expr
}

func (p *planner) newBidder(n *logical.Join, lv, rv variants, need colSet) *bidder {
	l, r := lv.columns(), rv.columns()
	b := &bidder{p: p, n: n, lv: lv, rv: rv, need: need, cols: joinColumns(n, l, r, need), l: p.est.Derive(n.L), r: p.est.Derive(n.R), out: p.est.Derive(n).Rows}
	b.conds = classify(n.On, newColSet(l), newColSet(r))
	b.beside = slices.Concat(b.conds.rangeExprs, b.conds.unequalExprs, b.conds.rest)
	kept := need
	if len(b.conds.unequalExprs)+len(b.conds.rest) > 0 {
		kept = need.with(b.conds.unequalExprs...).with(b.conds.rest...)
	}
	b.ln, b.lw = p.widthOf(b.l, l, kept)
	b.rn, b.rw = p.widthOf(b.r, r, kept)
	return b
}

// widthOf gives the number of those among cols that are in kept, and their bytes a row.
func (p *planner) widthOf(props *cost.Props, cols []logical.Column, kept colSet) (n, width float64) {
	for i := range cols {
		if kept.has(cols[i].ID) {
			n++
			width += p.est.ColumnWidth(props, &cols[i])
		}
	}
	return n, width
}

// classify splits the conjuncts of a join into equalities, ranges and inequalities
// between a left and a right expression of the same form, and the rest.
func classify(on []expr.Expr, l, r colSet) conditions {
	var c conditions
	for _, e := range on {
		call, ok := e.(*expr.Call)
		if !ok || len(call.Args) != 2 || !sameForm(call.Args[0].Type(), call.Args[1].Type()) {
			c.rest = append(c.rest, e)
			continue
		}
		op, a, b := call.Fn, call.Args[0], call.Args[1]
		if over(b, l) && over(a, r) {
			op, a, b = cost.Mirror(op), b, a
		} else if !over(a, l) || !over(b, r) {
			c.rest = append(c.rest, e)
			continue
		}
		switch op {
		case "=", "<=>":
			c.keys = append(c.keys, physical.KeyPair{L: a, R: b, NullSafe: op == "<=>"})
			c.keyExprs = append(c.keyExprs, e)
		case "<", "<=", ">", ">=":
			c.ranges = append(c.ranges, physical.RangePred{Op: op, L: a, R: b})
			c.rangeExprs = append(c.rangeExprs, e)
		case "<>":
			c.unequal = append(c.unequal, physical.RangePred{Op: op, L: a, R: b})
			c.unequalExprs = append(c.unequalExprs, e)
		default:
			c.rest = append(c.rest, e)
		}
	}
	return c
}

// over tells whether e refers to columns of s and to no others.
func over(e expr.Expr, s colSet) bool {
	some, all := false, true
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			some = true
			all = all && s.has(c.ID)
		}
		return all
	})
	return some && all
}

// algorithms lists every join algorithm, in the order in which equal bids win.
var algorithms = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range, physical.NestedLoop}

// candidates lists every algorithm of the CPU, those that cannot run with the reason. The
// list is the planner's: it is valid until the next one is made.
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
		if len(b.conds.keys) == 0 {
			return "no equality predicate"
		}
	case physical.Range:
		if len(b.conds.ranges) == 0 {
			return "no range predicate"
		}
	}
	return ""
}

// mayBuildLeft tells whether an algorithm has a build side and the kind of join allows
// the left one.
func (b *bidder) mayBuildLeft(algo physical.JoinAlgo) bool {
	switch b.n.Kind {
	case logical.Inner:
		return algo != physical.Merge
	case logical.Left, logical.Semi, logical.Anti:
		return !b.nullAware && (algo == physical.Hash || algo == physical.Index || algo == physical.Radix || algo == physical.NestedLoop ||
			algo == physical.Range && b.l.Rows*streamedShare <= b.r.Rows)
	}
	return false
}

// operator makes a join without its conditions.
func (b *bidder) operator(algo physical.JoinAlgo, buildLeft bool) physical.Join {
	op := physical.Join{Algo: algo, Type: b.n.Kind, BuildLeft: buildLeft, NullAware: b.nullAware}
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
		in.Terms, in.Pairs = max(1, terms(b.n.On...)), in.Build*in.Probe
		in.Vectorised = len(b.conds.rest) > 0 && !b.nullAware && b.isVectorised()
		if len(b.conds.keys)+len(b.conds.ranges) > 0 {
			in.Build = max(in.Build, leastRows(b.sideNode(buildLeft)))
			in.Probe = max(in.Probe, leastRows(b.sideNode(!buildLeft)))
		}
	case physical.Range:
		d := b.drivingRanges()
		op.Ranges, op.Residual = d.ranges, append(d.rest[:len(d.rest):len(d.rest)], b.conds.rest...)
		in.Ranges, in.Pairs = len(op.Ranges), d.pairs
		op.Streamed = in.Build*streamedShare <= in.Probe && haveWords(op.Ranges)
		in.Streamed = op.Streamed
	default:
		op.Keys = b.conds.keys
		op.Residual = b.beside
		in = b.keyedInput(buildLeft)
		if algo == physical.Merge {
			op.SortedL, op.SortedR = in.ProbeSorted, in.BuildSorted
		}
	}
	if algo != physical.NestedLoop {
		in.Terms = terms(op.Residual...)
	}
	c.bytes, c.ms = b.bytes(algo, &in), b.p.cpuPrice(algo, &in)
	c.in = [2]*physical.Node{b.lv.home(), b.rv.home()}
	if algo == physical.Hash && b.keeps(buildLeft) {
		b.keep(&c, &in)
		return c
	}
	b.addFilters(&c, &in)
	return c
}

// keyedInput is input for equality joins.
func (b *bidder) keyedInput(buildLeft bool) cost.JoinInput {
	known := &b.keyed[1]
	if buildLeft {
		known = &b.keyed[0]
	}
	if *known == nil {
		in := b.input(buildLeft)
		in.Keys, in.Pairs = float64(len(b.conds.keys)), b.pairs(b.conds.keyExprs)
		b.describeKeys(&in, buildLeft)
		*known = &in
	}
	return **known
}

// describeKeys sets what prices of equality joins depend on beside the number of keys.
func (b *bidder) describeKeys(in *cost.JoinInput, buildLeft bool) {
	keys := b.conds.keys
	if len(keys) == 1 {
		in.Span = b.span(keys[0], buildLeft)
		in.BuildSorted, in.ProbeSorted = sortedBy(b.r, keys[0].R), sortedBy(b.l, keys[0].L)
	}
	in.Unique = b.isUnique(buildLeft)
	in.BuildText, in.ProbeText = b.p.textBytes(keys, b.l, b.r)
	if buildLeft {
		in.BuildSorted, in.ProbeSorted = in.ProbeSorted, in.BuildSorted
	} else {
		in.BuildText, in.ProbeText = in.ProbeText, in.BuildText
	}
}

// isUnique tells whether hardly two rows of the build side have equal keys.
func (b *bidder) isUnique(buildLeft bool) bool {
	const hardly = 0.9
	values, side := 1.0, b.r
	if buildLeft {
		side = b.l
	}
	for _, k := range b.conds.keys {
		key := k.R
		if buildLeft {
			key = k.L
		}
		values *= side.NDV(key)
	}
	return values >= hardly*side.Rows
}

// textBytes gives the average bytes of the text among the keys of either side.
func (p *planner) textBytes(keys []physical.KeyPair, l, r *cost.Props) (left, right float64) {
	bytes := func(key expr.Expr, side *cost.Props) float64 {
		t := key.Type()
		if t.Kind() != types.KindStr {
			return 0
		}
		if c, ok := key.(*expr.Col); ok {
			return p.est.Width(side, []logical.Column{{ID: c.ID, T: t}})
		}
		return cost.TypeWidth(t)
	}
	for _, k := range keys {
		left, right = left+bytes(k.L, l), right+bytes(k.R, r)
	}
	return left, right
}

// isVectorised tells whether vector instructions can test the join's condition.
func (b *bidder) isVectorised() bool {
	if b.vectors == nil {
		left := newColSet(b.lv.columns())
		v := pairs.Vectorised(b.n.On, left.has)
		b.vectors = &v
	}
	return *b.vectors
}

func bidName(algo physical.JoinAlgo, buildLeft bool) string {
	if buildLeft {
		return leftNames[algo]
	}
	return string(algo)
}

// leftNames are the names of algorithms that build their left input.
var leftNames = func() map[physical.JoinAlgo]string {
	names := map[physical.JoinAlgo]string{}
	for _, algo := range append([]physical.JoinAlgo{physical.Index}, algorithms...) {
		names[algo] = string(algo) + " (build left)"
	}
	return names
}()

// span gives the width of the build key's range when it is an integer column with
// known bounds, else 0.
func (b *bidder) span(key physical.KeyPair, buildLeft bool) float64 {
	e, p := key.R, b.r
	if buildLeft {
		e, p = key.L, b.l
	}
	col, ok := e.(*expr.Col)
	if !ok || !col.T.IsInteger() && col.T.ID != types.Date {
		return 0
	}
	if c, ok := p.Col(col.ID); ok && c.Bounded {
		return c.Hi - c.Lo + 1
	}
	return 0
}

func (b *bidder) sideNode(left bool) logical.Node {
	if left {
		return b.n.L
	}
	return b.n.R
}

// input gives what all algorithms share, for either build side.
func (b *bidder) input(buildLeft bool) cost.JoinInput {
	in := cost.JoinInput{
		Build: b.r.Rows, BuildWidth: b.rw, BuildCols: b.rn,
		Probe: b.l.Rows, ProbeWidth: b.lw, ProbeCols: b.ln, Out: b.out,
	}
	if buildLeft {
		in.Build, in.Probe = in.Probe, in.Build
		in.BuildWidth, in.ProbeWidth = in.ProbeWidth, in.BuildWidth
		in.BuildCols, in.ProbeCols = in.ProbeCols, in.BuildCols
	}
	return in
}

func (b *bidder) pairs(driving []expr.Expr) float64 {
	return b.l.Rows * b.r.Rows * cost.JoinShare(driving, b.l, b.r)
}

// bytes estimates the memory a join holds.
func (b *bidder) bytes(algo physical.JoinAlgo, in *cost.JoinInput) float64 {
	build := in.Build * in.BuildWidth
	switch algo {
	case physical.NestedLoop:
		return build
	case physical.Hash:
		return build + in.Build*hashEntryBytes
	case physical.Range:
		return build + in.Build*sortEntryBytes
	}
	return build + in.Probe*in.ProbeWidth + (in.Build+in.Probe)*sortEntryBytes
}

// Bytes that algorithms hold a row beside its columns.
const (
	hashEntryBytes = 24 // hash, chain and key
	sortEntryBytes = 16 // key and row number
)

func (p *planner) cpuPrice(algo physical.JoinAlgo, in *cost.JoinInput) float64 {
	switch algo {
	case physical.Hash:
		return p.cpu.HashJoin(in)
	case physical.Radix:
		return p.cpu.RadixJoin(in)
	case physical.Merge:
		return p.cpu.MergeJoin(in)
	case physical.Range:
		return p.cpu.RangeJoin(in)
	}
	return p.cpu.NestedLoop(in)
}
