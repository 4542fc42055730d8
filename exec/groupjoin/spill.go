package groupjoin

import (
	"errors"
	"slices"

	"gsql/exec/agg"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// spilling takes over from a group join when memory does not hold its rows. Both sides spill, group
// joins over pairs of blocks compute partial aggregates, and an aggregate by the probe side's rows,
// which can spill itself, merges them.
type spilling struct {
	plan   *physical.GroupJoin
	blocks *spill.Blocks
	above  *physical.Node // merges the partial aggregates; its input's columns are those of a partial result
	below  *physical.Node // a group join over blocks
	passed int            // columns of the probe side in the output

	collectors [2]*input.Collector
	free       []func()  // for sides that must stay in memory
	committed  bool      // an input failed, or returned rows that cannot be read again
	block      bool      // the group join is one over blocks and must fit in memory
	shares     *mem.Pool // of the operator's memory, for merged and its input
	merged     *agg.Operator
}

const (
	// Ids of spilled columns; the inputs' columns have others.
	probeIDs expr.ColID = 1<<30 + iota<<20
	buildIDs
	resultIDs
)

// newSpilling prepares spilling for the group join of n. held collects the probe side, the passed
// columns first, and indexed the indexed side.
func newSpilling(n *physical.Node, held, indexed *input.Collector, holds spill.Held) *spilling {
	plan := n.Op.(*physical.GroupJoin)
	s := &spilling{plan: plan, passed: len(n.Cols) - len(plan.Aggs), collectors: [2]*input.Collector{held, indexed}}
	probe, probeRefs := held.Stored(probeIDs)
	build, buildRefs := indexed.Stored(buildIDs)
	number := logical.Column{ID: resultIDs - 1, T: input.NumberType}
	inner := *plan
	inner.Keys = slices.Clone(plan.Keys)
	for i, k := range plan.Keys {
		inner.Keys[i].L, inner.Keys[i].R = standIn(held, probeRefs, k.L), standIn(indexed, buildRefs, k.R)
	}
	inner.Ranges = slices.Clone(plan.Ranges)
	for i, r := range plan.Ranges {
		inner.Ranges[i].L, inner.Ranges[i].R = standIn(held, probeRefs, r.L), standIn(indexed, buildRefs, r.R)
	}
	out := append([]logical.Column{number}, storedColumns(probe, probeRefs[:s.passed])...)
	inner.Aggs = nil
	for i, x := range plan.Aggs {
		part := partOf(plan, x)
		for k, e := range part.Args {
			if len(x.Args) > 0 {
				part.Args[k] = standIn(indexed, buildRefs, e)
			}
		}
		inner.Aggs = append(inner.Aggs, part)
		col := logical.Column{ID: resultIDs + expr.ColID(i), T: part.T}
		if x.Distinct { // blocks return pairs
			col.T = x.Args[0].Type()
		}
		out = append(out, col)
	}
	s.below = &physical.Node{Op: &inner, Cols: out, Device: physical.CPU, In: []*physical.Node{{Cols: append(probe, number)}, {Cols: build}}}
	s.above = s.merging(out)
	s.blocks = spill.NewBlocks(held, indexed, holds, s.equalKeys(), s.overBlocks)
	return s
}

// equalKeys returns the positions of the equality keys among the expressions of either side.
func (s *spilling) equalKeys() (at [2][]int) {
	for _, k := range s.plan.Keys {
		for which, e := range [2]expr.Expr{k.L, k.R} {
			same := func(x expr.Expr) bool { return expr.Equal(x, e) }
			at[which] = append(at[which], slices.IndexFunc(s.collectors[which].Exprs(), same))
		}
	}
	return at
}

// overBlocks makes the group join over blocks of the sides.
func (s *spilling) overBlocks(l, r op.Operator) (op.Operator, error) {
	o, err := New(s.below, l, r)
	switch o := o.(type) {
	case *Operator:
		o.spilling.block = true
	case *pairwise:
		o.spilling.block = true
	}
	return o, err
}

// standIn returns the stored column that holds the values of e.
func standIn(c *input.Collector, refs []expr.Expr, e expr.Expr) expr.Expr {
	i := slices.IndexFunc(c.Exprs(), func(x expr.Expr) bool { return expr.Equal(x, e) })
	return refs[i]
}

// storedColumns returns the columns that refs refer to.
func storedColumns(cols []logical.Column, refs []expr.Expr) (out []logical.Column) {
	for _, r := range refs {
		id := r.(*expr.Col).ID
		out = append(out, cols[slices.IndexFunc(cols, func(c logical.Column) bool { return c.ID == id })])
	}
	return out
}

// partOf returns the partial aggregate over a block. In an outer join COUNT(*) must be 0 for a row
// without partners in this block: the row counts as 1 only if no block has a partner.
func partOf(plan *physical.GroupJoin, x *expr.Agg) *expr.Agg {
	part := *x
	part.Args = slices.Clone(x.Args)
	if plan.Outer && x.Fn == expr.CountStar {
		one := &expr.Const{Value: catalog.Datum{Type: types.T(types.Int64), I64: 1}}
		part.Fn, part.Args = expr.Count, []expr.Expr{one}
	}
	return &part
}

// sumOfCounts is the type of sums of counts.
var sumOfCounts = types.Dec(38, 0)

// merging returns the aggregate that merges partial results by row number.
func (s *spilling) merging(parts []logical.Column) *physical.Node {
	plan := &physical.HashAgg{Keys: []expr.Expr{parts[0].Ref()}}
	for i, c := range parts[1:] {
		m := &expr.Agg{Fn: expr.First, Args: []expr.Expr{c.Ref()}, T: c.T}
		if i >= s.passed {
			x := s.plan.Aggs[i-s.passed]
			switch m.Fn = x.Fn; {
			case x.Distinct:
				m.Distinct, m.T = true, x.T
			case m.Fn == expr.Count || m.Fn == expr.CountStar:
				m.Fn, m.T = expr.Sum, sumOfCounts
			}
		}
		plan.Aggs = append(plan.Aggs, m)
	}
	return &physical.Node{Op: plan, Cols: parts, Device: physical.CPU, In: []*physical.Node{{Cols: parts}}}
}

// openInput opens an input and sets opened. If the input itself lacks memory, spilling the group
// join does not help.
func (s *spilling) openInput(ctx *op.Ctx, in op.Operator, opened *bool) error {
	*opened = true
	err := in.Open(ctx)
	s.committed = s.committed || err != nil
	return err
}

// collect reads an open side and closes it, which frees its memory for others. The rows are freed
// with s.
func (s *spilling) collect(ctx *op.Ctx, left bool, in op.Operator, closed *bool, acct *mem.Account) (*match.Side, error) {
	side, err := s.read(ctx, left, in, acct)
	if err == nil || errors.Is(err, spill.ErrSpilled) {
		*closed = true
		err = errors.Join(err, in.Close())
	}
	return side, err
}

// read is collect without closing the input.
func (s *spilling) read(ctx *op.Ctx, left bool, in op.Operator, acct *mem.Account) (*match.Side, error) {
	if ctx.Spill != nil && !s.block {
		side, err := s.blocks.Collect(ctx, left, in, acct)
		s.committed = s.committed || err != nil && !errors.Is(err, spill.ErrSpilled)
		return side, err
	}
	c := s.collectors[1]
	if left {
		c = s.collectors[0]
	}
	side, free, err := c.Collect(ctx, in, acct)
	s.free = append(s.free, free)
	return side, err
}

// helps reports whether spilling can remedy err.
func (s *spilling) helps(ctx *op.Ctx, err error) bool {
	return ctx.Spill != nil && !s.committed && !s.block && s.blocks.Spilled(err)
}

// open spills both sides and merges the partial aggregates.
func (s *spilling) open(ctx *op.Ctx, inputs [2]op.Operator, opened *[2]bool, acct *mem.Account) error {
	open := func(left bool) error {
		which := 1
		if left {
			which = 0
		}
		if opened[which] {
			return nil
		}
		opened[which] = true
		return inputs[which].Open(ctx)
	}
	if err := s.blocks.Spill(ctx, inputs, open, acct); err != nil {
		return err
	}
	var err error
	if s.merged, err = agg.New(s.above, s.blocks.Results()); err != nil {
		return err
	}
	s.shares = acct.Divide(2)
	return s.merged.Open(ctx.Within(acct, s.shares))
}

// stream returns the rows of the probe side with the aggregates over all their partners.
func (s *spilling) stream() (op.Stream, error) {
	in, err := s.merged.Stream()
	if err != nil {
		return nil, err
	}
	return &wholes{Stream: in, s: s}, nil
}

// close frees everything and removes the spilled blocks.
func (s *spilling) close() error {
	var err error
	if s.merged != nil {
		err = s.merged.Close()
	}
	s.shares.Close()
	for _, free := range s.free {
		free()
	}
	return errors.Join(err, s.blocks.Close())
}

// wholes turns rows of the merging aggregate into rows of the group join.
type wholes struct {
	op.Stream
	s     *spilling
	batch vec.Batch
	flat  []vec.Vector // scratch, by aggregate
	out   []vec.Vector // counts, by aggregate
}

// Next implements op.Stream.
func (w *wholes) Next() (*vec.Batch, error) {
	b, err := w.Stream.Next()
	if b == nil || err != nil {
		return nil, err
	}
	if w.out == nil {
		w.flat, w.out = make([]vec.Vector, len(w.s.plan.Aggs)), make([]vec.Vector, len(w.s.plan.Aggs))
	}
	w.batch = vec.Batch{Cols: append(w.batch.Cols[:0], b.Cols[1:]...), N: b.N, Morsel: b.Morsel}
	for i, x := range w.s.plan.Aggs {
		if !x.Distinct && (x.Fn == expr.Count || x.Fn == expr.CountStar) {
			col := &w.batch.Cols[w.s.passed+i]
			*col = w.count(i, x, (*col).Flatten(&w.flat[i]))
		}
	}
	return &w.batch, nil
}

// count turns sums of counts back into a count.
func (w *wholes) count(i int, x *expr.Agg, sums *vec.Vector) *vec.Vector {
	out := &w.out[i]
	out.Type = x.T
	out.Resize(sums.N)
	for k, n := range sums.Dec[:sums.N] {
		out.I64[k] = int64(n.LowBits())
		if w.s.plan.Outer && x.Fn == expr.CountStar {
			out.I64[k] = max(out.I64[k], 1)
		}
	}
	return out
}
