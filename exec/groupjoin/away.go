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

// away is what a group join does where memory has no room for what it holds: both sides go to
// disk, group joins over blocks of them give parts of the aggregates, and an aggregate by the
// probe side's rows, which can go to disk itself, puts these together.
type away struct {
	plan   *physical.GroupJoin
	blocks *spill.Blocks
	above  *physical.Node // aggregates the parts; its input's columns are those of a part
	below  *physical.Node // a group join over blocks
	passed int            // columns of the probe side in the output

	collectors [2]*input.Collector
	free       []func()  // of sides that may not leave memory
	committed  bool      // an input failed, or gave rows that do not come again
	block      bool      // the group join is one over blocks: what it holds has to fit
	shares     *mem.Pool // of the operator, for merged and what it reads
	merged     *agg.Operator
}

const (
	// Ids of columns on disk that are not those of the inputs.
	probeIDs expr.ColID = 1<<30 + iota<<20
	buildIDs
	resultIDs
)

// newAway prepares for the group join of n, of which held and indexed read the probe side and
// the indexed one: held the columns that are passed on first.
func newAway(n *physical.Node, held, indexed *input.Collector, holds spill.Held) *away {
	plan := n.Op.(*physical.GroupJoin)
	a := &away{plan: plan, passed: len(n.Cols) - len(plan.Aggs), collectors: [2]*input.Collector{held, indexed}}
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
	out := append([]logical.Column{number}, storedColumns(probe, probeRefs[:a.passed])...)
	inner.Aggs = nil
	for i, x := range plan.Aggs {
		part := partOf(plan, x)
		for k, e := range part.Args {
			if len(x.Args) > 0 {
				part.Args[k] = standIn(indexed, buildRefs, e)
			}
		}
		inner.Aggs = append(inner.Aggs, part)
		out = append(out, logical.Column{ID: resultIDs + expr.ColID(i), T: part.T})
	}
	a.below = &physical.Node{Op: &inner, Cols: out, Device: physical.CPU, In: []*physical.Node{{Cols: append(probe, number)}, {Cols: build}}}
	a.above = a.merging(out)
	a.blocks = spill.NewBlocks(held, indexed, holds, a.equalKeys(), a.overBlocks)
	return a
}

// equalKeys returns the positions of the equality keys among the expressions of either side.
func (a *away) equalKeys() (at [2][]int) {
	for _, k := range a.plan.Keys {
		for which, e := range [2]expr.Expr{k.L, k.R} {
			same := func(x expr.Expr) bool { return expr.Equal(x, e) }
			at[which] = append(at[which], slices.IndexFunc(a.collectors[which].Exprs(), same))
		}
	}
	return at
}

// overBlocks makes the group join over blocks of the sides.
func (a *away) overBlocks(l, r op.Operator) (op.Operator, error) {
	o, err := New(a.below, l, r)
	switch o := o.(type) {
	case *Operator:
		o.away.block = true
	case *pairwise:
		o.away.block = true
	}
	return o, err
}

// standIn returns what stands for an expression among the stored columns.
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

// partOf returns the aggregate over a block's rows. COUNT(*) counts nothing there for a row
// without partners, of which an outer join makes one only where no block has any.
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

// merging returns the aggregate over parts: by the rows' numbers.
func (a *away) merging(parts []logical.Column) *physical.Node {
	plan := &physical.HashAgg{Keys: []expr.Expr{parts[0].Ref()}}
	for i, c := range parts[1:] {
		m := &expr.Agg{Fn: expr.First, Args: []expr.Expr{c.Ref()}, T: c.T}
		if i >= a.passed {
			switch m.Fn = a.plan.Aggs[i-a.passed].Fn; m.Fn {
			case expr.Count, expr.CountStar:
				m.Fn, m.T = expr.Sum, sumOfCounts
			}
		}
		plan.Aggs = append(plan.Aggs, m)
	}
	return &physical.Node{Op: plan, Cols: parts, Device: physical.CPU, In: []*physical.Node{{Cols: parts}}}
}

// openInput opens an input and notes that in opened. An input's own want of memory is not one
// that the group join can help.
func (a *away) openInput(ctx *op.Ctx, in op.Operator, opened *bool) error {
	*opened = true
	err := in.Open(ctx)
	a.committed = a.committed || err != nil
	return err
}

// collect reads a side, which is open, and closes it: what it holds is memory for others. The rows
// are freed with a.
func (a *away) collect(ctx *op.Ctx, left bool, in op.Operator, closed *bool, acct *mem.Account) (*match.Side, error) {
	side, err := a.read(ctx, left, in, acct)
	if err == nil || errors.Is(err, spill.ErrSpilled) {
		*closed = true
		err = errors.Join(err, in.Close())
	}
	return side, err
}

// read is collect that leaves the input open.
func (a *away) read(ctx *op.Ctx, left bool, in op.Operator, acct *mem.Account) (*match.Side, error) {
	if ctx.Spill != nil && !a.block {
		side, err := a.blocks.Collect(ctx, left, in, acct)
		a.committed = a.committed || err != nil && !errors.Is(err, spill.ErrSpilled)
		return side, err
	}
	c := a.collectors[1]
	if left {
		c = a.collectors[0]
	}
	side, free, err := c.Collect(ctx, in, acct)
	a.free = append(a.free, free)
	return side, err
}

// helps reports whether an error is one that going to disk remedies.
func (a *away) helps(ctx *op.Ctx, err error) bool {
	return ctx.Spill != nil && !a.committed && !a.block && a.blocks.Spilled(err)
}

// open puts both sides on disk and aggregates the parts.
func (a *away) open(ctx *op.Ctx, inputs [2]op.Operator, opened *[2]bool, acct *mem.Account) error {
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
	if err := a.blocks.Spill(ctx, inputs, open, acct); err != nil {
		return err
	}
	var err error
	if a.merged, err = agg.New(a.above, a.blocks.Results()); err != nil {
		return err
	}
	a.shares = acct.Divide(2)
	return a.merged.Open(ctx.Within(acct, a.shares))
}

// stream returns the rows of the probe side with all their partners' aggregates.
func (a *away) stream() (op.Stream, error) {
	in, err := a.merged.Stream()
	if err != nil {
		return nil, err
	}
	return &wholes{Stream: in, a: a}, nil
}

// close removes what is on disk.
func (a *away) close() error {
	var err error
	if a.merged != nil {
		err = a.merged.Close()
	}
	a.shares.Close()
	for _, free := range a.free {
		free()
	}
	return errors.Join(err, a.blocks.Close())
}

// wholes makes rows of a group join of those of the aggregate over parts.
type wholes struct {
	op.Stream
	a     *away
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
		w.flat, w.out = make([]vec.Vector, len(w.a.plan.Aggs)), make([]vec.Vector, len(w.a.plan.Aggs))
	}
	w.batch = vec.Batch{Cols: append(w.batch.Cols[:0], b.Cols[1:]...), N: b.N, Morsel: b.Morsel}
	for i, x := range w.a.plan.Aggs {
		if x.Fn == expr.Count || x.Fn == expr.CountStar {
			col := &w.batch.Cols[w.a.passed+i]
			*col = w.count(i, x, (*col).Flatten(&w.flat[i]))
		}
	}
	return &w.batch, nil
}

// count makes a count of a sum of counts.
func (w *wholes) count(i int, x *expr.Agg, sums *vec.Vector) *vec.Vector {
	out := &w.out[i]
	out.Type = x.T
	out.Resize(sums.N)
	for k, n := range sums.Dec[:sums.N] {
		out.I64[k] = int64(n.LowBits())
		if w.a.plan.Outer && x.Fn == expr.CountStar {
			out.I64[k] = max(out.I64[k], 1)
		}
	}
	return out
}
