// Package groupjoin implements the GroupJoin operator (Moerkotte and Neumann, "Accelerating
// Queries with Group-By and Join by Groupjoin", VLDB 2011) for comparisons of any kind. It
// returns the rows of the probe side with aggregates over their partners and never produces the
// pairs of the join. The indexed side is sorted so that a row's partners are a window of
// positions, found by binary search; prefix sums and trees of aggregates compute the aggregates
// of the window. If no single order turns two tests into one window, a sweep computes them. If
// the probe side is the smaller one, its windows are ordered instead and the indexed side is
// streamed past them. Each row costs O(log n). Conditions of other kinds are tested pair by pair.
package groupjoin

import (
	"errors"

	"gsql/exec/join/input"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Operator is the GroupJoin operator.
type Operator struct {
	plan         *physical.GroupJoin
	probe, build op.Operator
	nullSafe     []bool // by equality key
	tests        []test
	operands     []operand        // of the probe side
	passed       []int            // positions of the probe side's columns in the output
	keys, values []*eval.Program  // of the probe side: keys, operands
	held         *input.Collector // the probe side's columns, keys and operands, if it is held whole
	indexed      *input.Collector // the indexed side's keys, operands and arguments
	argument     []int            // aggregate -> its argument among the collected values, or -1
	streaming    *streaming       // reads the indexed side if it is streamed; nil if it is collected
	spilling     *spilling        // takes over when memory does not suffice

	ctx     *op.Ctx
	account *mem.Account
	phase   phase
	opened  [2]bool
	closed  [2]bool // inputs that are drained and closed

	index    *index
	measures []measure
	stabbed  *stabbed      // replaces index and measures if each cell has its aggregates
	finished *finishedRows // emitting: all rows
}

// New makes the operator of a physical.GroupJoin over the probe side and the indexed side.
func New(n *physical.Node, probe, build op.Operator) (op.Operator, error) {
	plan := n.Op.(*physical.GroupJoin)
	if len(plan.Where) > 0 {
		return newPairwise(n, probe, build)
	}
	o := &Operator{plan: plan, probe: probe, build: build}
	o.tests, o.operands = testsOf(plan.Ranges)
	if err := o.check(); err != nil {
		return nil, err
	}
	var keys, against []expr.Expr
	for _, k := range plan.Keys {
		keys, against = append(keys, k.L), append(against, k.R)
		o.nullSafe = append(o.nullSafe, k.NullSafe)
	}
	for _, t := range o.tests {
		against = append(against, t.operand)
	}
	for _, a := range plan.Aggs {
		o.argument = append(o.argument, -1)
		if len(a.Args) > 0 {
			o.argument[len(o.argument)-1] = len(against) - len(keys) - len(o.tests)
			against = append(against, a.Args[0])
		}
	}
	if err := o.compileProbe(n, keys); err != nil {
		return nil, err
	}
	var err error
	if o.indexed, err = input.NewCollector(n.In[1].Cols, against); err != nil {
		return nil, err
	}
	o.spilling = newSpilling(n, o.held, o.indexed, o.holds())
	if plan.Streamed {
		err = o.compileStreaming(n.In[1].Cols)
	}
	return o, err
}

// holds returns the sides that are held in memory as a whole.
func (o *Operator) holds() spill.Held {
	switch {
	case o.plan.Streamed:
		return spill.HoldLeft
	case len(o.tests) < 2 || o.stabs():
		return spill.HoldRight
	}
	return spill.HoldBoth
}

// check returns an internal error for plans that the operator does not implement.
func (o *Operator) check() error {
	if o.plan.Streamed && (len(o.tests) > 1 || len(o.tests) == 1 && o.tests[0].excludes()) {
		return sqlerr.Internal("a streamed group join of %d operands", len(o.tests))
	}
	if o.stabs() {
		return nil
	}
	if len(o.tests) > 2 {
		return sqlerr.Internal("a group join of %d operands", len(o.tests))
	}
	if len(o.tests) == 2 {
		for i := range o.tests {
			below, above := o.tests[i].bounded()
			if o.tests[i].excludes() {
				return sqlerr.Internal("a group join with <> and another operand")
			}
			if below != above {
				return nil
			}
		}
		return sqlerr.Internal("a group join of two bands")
	}
	return nil
}

// compileProbe compiles the probe side's keys, operands and passed columns.
func (o *Operator) compileProbe(n *physical.Node, keys []expr.Expr) error {
	in := n.In[0].Cols
	ids := make([]expr.ColID, len(in))
	position := map[expr.ColID]int{}
	for i, c := range in {
		ids[i], position[c.ID] = c.ID, i
	}
	var all []expr.Expr
	for _, c := range n.Cols[:len(n.Cols)-len(o.plan.Aggs)] {
		at, ok := position[c.ID]
		if !ok {
			return sqlerr.Internal("column %s is not of the probe side", c.Name)
		}
		o.passed = append(o.passed, at)
		all = append(all, c.Ref())
	}
	for _, k := range keys {
		p, err := eval.Compile(k, ids)
		if err != nil {
			return err
		}
		o.keys, all = append(o.keys, p), append(all, k)
	}
	for _, x := range o.operands {
		p, err := eval.Compile(x.e, ids)
		if err != nil {
			return err
		}
		o.values, all = append(o.values, p), append(all, x.e)
	}
	var err error
	o.held, err = input.NewCollector(in, all)
	return err
}

// Open implements op.Operator. It indexes the indexed side. If a sweep is needed or the indexed
// side is streamed, it also reads the other side and computes all rows.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Account("GroupJoin")
	next, err := o.open(ctx)
	if o.spilling.helps(ctx, err) {
		o.drop()
		next, err = spilled, o.spilling.open(ctx, [2]op.Operator{o.probe, o.build}, &o.opened, o.account)
	}
	o.phase = next
	return err
}

// open returns the phase that follows if memory suffices.
func (o *Operator) open(ctx *op.Ctx) (next phase, err error) {
	if o.streaming != nil {
		o.finished, err = o.openStreamed()
		return emitting, err
	}
	if err := o.spilling.openInput(ctx, o.build, &o.opened[1]); err != nil {
		return collecting, err
	}
	if o.stabs() {
		err = o.openStabbed()
	} else {
		err = o.buildIndex()
	}
	if err != nil {
		return collecting, err
	}
	if !o.plan.Outer && (o.index != nil && len(o.index.rows) == 0 || o.stabbed != nil && o.stabbed.vacant()) { // no row of the probe side has a partner
		o.finished = &finishedRows{}
		return emitting, nil
	}
	if err := o.spilling.openInput(ctx, o.probe, &o.opened[0]); err != nil {
		return collecting, err
	}
	if o.stabbed != nil || o.index.sweep == nil {
		return probing, nil
	}
	o.finished, err = o.sweepProbe()
	return emitting, err
}

func (o *Operator) buildIndex() error {
	side, err := o.spilling.collect(o.ctx, false, o.build, &o.closed[1], o.account)
	if err != nil {
		return err
	}
	k, t := len(o.nullSafe), len(o.tests)
	src := &source{rows: side.Rows, keys: side.Keys[:k], operands: side.Keys[k : k+t], values: side.Keys[k+t:]}
	if o.index, err = newIndex(o.ctx, o.account, src, o.nullSafe, o.tests); err != nil {
		return err
	}
	for i, a := range o.plan.Aggs {
		var v *vec.Vector
		if at := o.argument[i]; at >= 0 {
			v = src.values[at]
		}
		m, err := newMeasure(o.ctx, a, v, o.index.rows, o.account)
		if err != nil {
			return err
		}
		o.measures = append(o.measures, m)
		if err := o.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool {
	return o.phase == probing && o.probe.Ordered()
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	switch o.phase {
	case spilled:
		return o.spilling.stream()
	case emitting:
		return &finishedStream{o: o, r: o.finished}, nil
	}
	in, err := o.probe.Stream()
	if err != nil {
		return nil, err
	}
	if o.stabbed != nil {
		return o.newStabStream(in), nil
	}
	return o.newProbeStream(in), nil
}

// Close implements op.Operator.
func (o *Operator) Close() error {
	o.drop()
	err := o.spilling.close()
	o.account.End()
	return errors.Join(err, closeOnce([2]op.Operator{o.probe, o.build}, o.closed))
}

// drop frees the index, the measures and the finished rows.
func (o *Operator) drop() {
	for _, m := range o.measures {
		m.free()
	}
	if o.index != nil {
		o.index.free()
	}
	if o.stabbed != nil {
		o.stabbed.free()
	}
	if o.finished != nil {
		o.finished.free()
	}
	o.measures, o.index, o.stabbed, o.finished = nil, nil, nil, nil
}

// closeOnce closes the inputs that are still open.
func closeOnce(inputs [2]op.Operator, closed [2]bool) (err error) {
	for i, in := range inputs {
		if !closed[i] {
			err = errors.Join(err, in.Close())
		}
	}
	return err
}
