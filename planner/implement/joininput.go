package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/types"
)

// widthOf returns the number of columns of cols that are in kept, and their bytes per row.
func widthOf(p *planner, props *cost.Props, cols []logical.Column, kept colset.Set) (n, width float64) {
	for i := range cols {
		if kept.Has(cols[i].ID) {
			n++
			width += p.est.ColumnWidth(props, &cols[i])
		}
	}
	return n, width
}

// keyedInput returns the input for prices of equality joins.
func (b *bidder) keyedInput(buildLeft bool) cost.JoinInput {
	known := &b.keyed[1]
	if buildLeft {
		known = &b.keyed[0]
	}
	if *known == nil {
		in := b.input(buildLeft)
		in.Keys, in.Pairs = float64(len(b.conds.Keys)), b.pairs(b.conds.KeyExprs)
		if b.once() && !buildLeft && len(b.beside) == 0 {
			in.Pairs = min(in.Pairs, in.Probe)
		}
		b.describeKeys(&in, buildLeft)
		*known = &in
	}
	return **known
}

// describeKeys sets the properties that prices of equality joins depend on besides the number of
// keys.
func (b *bidder) describeKeys(in *cost.JoinInput, buildLeft bool) {
	keys := b.conds.Keys
	if len(keys) == 1 {
		in.Span = b.span(keys[0], buildLeft)
		if numbers := b.textNumbers(keys[0], buildLeft); numbers > 0 {
			in.Span, in.Numbered = numbers, true
		}
		in.BuildSorted, in.ProbeSorted = sortedBy(b.r, keys[0].R), sortedBy(b.l, keys[0].L)
	}
	in.Unique = b.isUnique(buildLeft)
	in.BuildText, in.ProbeText = textBytes(b.p, keys, b.l, b.r)
	if buildLeft {
		in.BuildSorted, in.ProbeSorted = in.ProbeSorted, in.BuildSorted
	} else {
		in.BuildText, in.ProbeText = in.ProbeText, in.BuildText
	}
}

// isUnique reports whether almost all rows of the build side have distinct keys.
func (b *bidder) isUnique(buildLeft bool) bool {
	const hardly = 0.9
	values, side := 1.0, b.r
	if buildLeft {
		side = b.l
	}
	for _, k := range b.conds.Keys {
		key := k.R
		if buildLeft {
			key = k.L
		}
		values *= side.NDV(key)
	}
	return values >= hardly*side.Rows
}

// textBytes returns the average bytes of the texts among the keys of either side.
func textBytes(p *planner, keys []physical.KeyPair, l, r *cost.Props) (left, right float64) {
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

// textTerms is the additional cost, in terms, of comparing the texts of a pair.
const textTerms = 6

// texts counts the conjuncts that compare texts.
func texts(on []expr.Expr) (n float64) {
	for _, e := range on {
		if c, ok := e.(*expr.Call); ok && len(c.Args) > 0 && c.Args[0].Type().Kind() == types.KindStr {
			n++
		}
	}
	return n
}

// isVectorised reports whether vector instructions can test the join's condition.
func (b *bidder) isVectorised() bool {
	if b.vectors == nil {
		left := colset.Of(b.lv.columns())
		v := pairs.Vectorised(b.n.On, left.Has)
		b.vectors = &v
	}
	return *b.vectors
}

// columnsRead returns the number of columns of one side that conditions read, averaged over both
// sides.
func columnsRead(on []expr.Expr) float64 {
	columns := map[expr.ColID]bool{}
	for _, e := range on {
		expr.Cols(e, columns)
	}
	return float64(len(columns)) / 2
}

// once reports whether one partner settles a left row.
func (b *bidder) once() bool {
	return b.n.Kind == logical.Semi || b.n.Kind == logical.Anti || b.n.Kind == logical.Mark
}

// fewBuildRows is the number of build rows up to which a program does not pay off if all
// conditions compare numbers of the sides.
const fewBuildRows = 64

// isLoopVectorised reports whether a nested loop over build rows runs a program.
func (b *bidder) isLoopVectorised(build float64) bool {
	c := &b.conds
	if b.nullAware || len(c.Rest) == 0 && build <= fewBuildRows {
		return false
	}
	for _, k := range c.Keys {
		if k.L.Type().IsFloat() {
			return false
		}
	}
	for _, r := range slices.Concat(c.Ranges, c.Unequal) {
		if r.L.Type().IsFloat() {
			return false
		}
	}
	return b.isVectorised()
}

// span returns the width of the build key's range if the key is an integer column with known
// bounds, else 0.
func (b *bidder) span(key physical.KeyPair, buildLeft bool) float64 {
	e, p := b.buildKey(key, buildLeft)
	col, ok := e.(*expr.Col)
	if !ok || !col.T.IsInteger() && col.T.ID != types.Date {
		return 0
	}
	if c, ok := p.Col(col.ID); ok && c.Bounded {
		return c.Hi - c.Lo + 1
	}
	return 0
}

// textNumbers returns how many consecutive integers the build key's texts span when encoded as
// numbers, 0 if they are not encoded.
func (b *bidder) textNumbers(key physical.KeyPair, buildLeft bool) float64 {
	e, p := b.buildKey(key, buildLeft)
	return p.TextNumbers(e)
}

func (b *bidder) buildKey(key physical.KeyPair, buildLeft bool) (expr.Expr, *cost.Props) {
	if buildLeft {
		return key.L, b.l
	}
	return key.R, b.r
}

func (b *bidder) sideNode(left bool) logical.Node {
	if left {
		return b.n.L
	}
	return b.n.R
}

// input returns the properties that all algorithms share for a build side.
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

// bytes estimates the memory that a join holds.
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

// Bytes per row that algorithms hold besides its columns.
const (
	hashEntryBytes = 24 // hash, chain and key
	sortEntryBytes = 16 // key and row number
)

func cpuPrice(p *planner, algo physical.JoinAlgo, in *cost.JoinInput) float64 {
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
