package operators

import (
	"errors"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu/engine"
	gpujoin "gsql/gpu/join"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// aggregate is a HashAgg without keys over an inner join on the same device: the joined rows are
// never materialised. Columns of tables that are in device memory are not read on the host.
type aggregate struct {
	node      *physical.Node // the HashAgg
	build     *exec.Inputs
	algo      algorithm
	sides     [2]*side
	conds     []condition
	aggs      results
	crossings *exec.Crossings

	ctx  *op.Ctx
	acct *mem.Account
	host op.Operator // does the work if the device failed, else nil
	row  *vec.Batch  // the result, nil once returned
}

// newAggregate returns the operator of a HashAgg over a join.
func (cfg Config) newAggregate(b *exec.Inputs, n *physical.Node) (op.Operator, error) {
	below := n.In[0]
	j, ok := below.Op.(*physical.Join)
	plan := n.Op.(*physical.HashAgg)
	if !ok || below.Device != n.Device || len(j.Residual) > 0 || len(plan.Keys) > 0 {
		return nil, sqlerr.Internal("%s over %s", nameOf(n), below.Op.Kind())
	}
	a := &aggregate{node: n, build: b, crossings: b.Crossings(n)}
	var err error
	if a.algo, err = algorithmOf(j); err != nil {
		return nil, err
	}
	for i := range a.sides {
		s := &side{node: below.In[i], crossings: b.Crossings(below.In[i])}
		if s.in, err = b.Build(s.node); err != nil {
			return nil, err
		}
		a.sides[i] = s
	}
	if err := a.setConditions(&cfg, j); err != nil {
		return nil, err
	}
	for _, g := range plan.Aggs {
		if err := a.addAggregate(&cfg, g); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *aggregate) setConditions(cfg *Config, j *physical.Join) error {
	add := func(op expr.FuncID, l, r expr.Expr) error {
		c, err := newCondition(op, a.sides[0].operand(cfg, l, true), a.sides[1].operand(cfg, r, true))
		a.conds = append(a.conds, c)
		return err
	}
	for _, k := range j.Keys {
		if k.NullSafe {
			return sqlerr.Internal("%s over a join with a null-safe key", nameOf(a.node))
		}
		if err := add(expr.FuncEQ, k.L, k.R); err != nil {
			return err
		}
	}
	for _, r := range j.Ranges {
		if err := add(r.Op, r.L, r.R); err != nil {
			return err
		}
	}
	return nil
}

func (a *aggregate) addAggregate(cfg *Config, g *expr.Agg) error {
	if len(g.Args) == 0 {
		return a.aggs.add(g, 0, nil)
	}
	for i, s := range a.sides {
		if s.has(g.Args[0]) {
			return a.aggs.add(g, i, s.operand(cfg, g.Args[0], false))
		}
	}
	return sqlerr.Internal("%s on %s is not of one side's column", g, a.node.Device)
}

// Open implements op.Operator: it does all the work.
func (a *aggregate) Open(ctx *op.Ctx) error {
	a.ctx, a.acct = ctx, ctx.Mem.Child(nameOf(a.node))
	values, err := a.run()
	var input *inputError
	switch {
	case err == nil:
		a.row, err = a.aggs.batch(values)
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &input):
		return input.err
	}
	return a.fallBack(err)
}

// inputError is an error of an input, not of the device.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }

// run reads the columns that are not on the device before it waits for the device, and computes
// there.
func (a *aggregate) run() (values []gpujoin.Value, err error) {
	if a.node.In[0].Op.(*physical.Join).Spread != nil {
		return a.runSpread()
	}
	for _, s := range a.sides {
		if err := s.readComputed(a.ctx, a.acct); err != nil {
			return nil, &inputError{err}
		}
	}
	e, err := engine.For(string(a.node.Device))
	if err != nil {
		return nil, err
	}
	err = withWidths(func(wide bool) error {
		if err := a.readAbsent(e.Resident(), wide); err != nil {
			return err
		}
		if a.sides[0].rows == 0 || a.sides[1].rows == 0 {
			values = a.aggs.empty()
			return nil
		}
		values, err = a.compute(e, wide)
		return err
	})
	return values, err
}

// readAbsent reads the operands that are not on the device.
func (a *aggregate) readAbsent(resident []engine.Resident, wide bool) error {
	var absent [2][]*operand
	look := func(i int, o *operand, all ...*operand) error {
		if o.vec != nil {
			return nil
		}
		f, err := format(wide, all...)
		if err == nil {
			absent[i] = a.sides[i].look(resident, o, o.key(f), absent[i])
		}
		return err
	}
	for _, c := range a.conds {
		for i, o := range []*operand{c.left, c.right} {
			if err := look(i, o, c.left, c.right); err != nil {
				return err
			}
		}
	}
	for _, r := range a.aggs.all {
		if r.of == nil {
			continue
		}
		if err := look(r.side, r.of, r.of); err != nil {
			return err
		}
	}
	for i, s := range a.sides {
		if err := s.read(a.ctx, a.acct, absent[i]); err != nil {
			return inputErrorOf(err)
		}
	}
	return nil
}

func inputErrorOf(err error) error {
	if errors.Is(err, errUnread) {
		return err
	}
	return &inputError{err}
}

// compute aggregates on the device, part by part if its memory is short.
func (a *aggregate) compute(e *engine.Engine, wide bool) (values []gpujoin.Value, err error) {
	t, err := e.Begin(a.ctx, nameOf(a.node))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.End()) }()
	rows := [2]int64{a.sides[0].rows, a.sides[1].rows}
	crossings := [2]*exec.Crossings{a.sides[0].crossings, a.sides[1].crossings}
	values = a.aggs.empty()
	err = eachPart(span{0, rows[0]}, span{0, rows[1]}, a.node.In[0].Op.(*physical.Join).Pieces, func(l, r span) (bool, error) {
		m := t.Mark()
		part, err := a.part(newLoader(t, crossings, rows, wide), l, r)
		if err = errors.Join(err, t.Release(m)); err != nil {
			return false, err
		}
		a.crossings.FromDevice.Add(int64(valueBytes * len(part)))
		a.aggs.merge(values, part)
		return false, nil
	})
	return values, errors.Join(err, noteTime(t, a.crossings))
}

// valueBytes is the size of a value when it is copied to the host.
const valueBytes = 16

func (a *aggregate) part(load *loader, l, r span) ([]gpujoin.Value, error) {
	in, err := load.input(a.conds, l, r)
	if err != nil {
		return nil, err
	}
	aggs, err := a.aggs.load(load, [2]span{l, r})
	if err != nil {
		return nil, err
	}
	return a.algo.aggregate(load.t, in, aggs)
}

// fallBack does the work on the CPU, from the start.
func (a *aggregate) fallBack(cause error) error {
	if err := errors.Join(a.sides[0].close(), a.sides[1].close()); err != nil {
		return err
	}
	a.acct.ReleaseAll()
	if err := fellBack(a.ctx, nameOf(a.node), a.crossings, cause); err != nil {
		return err
	}
	host, err := a.build.Build(onCPU(a.node))
	if err != nil {
		return err
	}
	a.host = host
	return host.Open(a.ctx)
}

// onCPU returns the CPU plan for a plan of a device. Pipelines below it stay on the device: they
// fall back by themselves.
func onCPU(n *physical.Node) *physical.Node {
	if _, ok := n.Op.(*physical.Pipelines); ok || n.Device == physical.CPU {
		return n
	}
	if physical.IsCrossing(n.Op) {
		return onCPU(n.In[0])
	}
	c := *n
	c.Device, c.In = physical.CPU, make([]*physical.Node, len(n.In))
	for i, in := range n.In {
		c.In[i] = onCPU(in)
	}
	return &c
}

// Ordered implements op.Operator.
func (a *aggregate) Ordered() bool { return false }

// Stream implements op.Operator.
func (a *aggregate) Stream() (op.Stream, error) {
	if a.host != nil {
		return a.host.Stream()
	}
	s := &lone{a.row}
	a.row = nil
	return s, nil
}

// Close implements op.Operator.
func (a *aggregate) Close() error {
	err := errors.Join(a.sides[0].close(), a.sides[1].close())
	if a.host != nil {
		err = errors.Join(err, a.host.Close())
	}
	return err
}

// lone is a stream of at most one batch.
type lone struct{ batch *vec.Batch }

// Next implements op.Stream.
func (s *lone) Next() (*vec.Batch, error) {
	b := s.batch
	s.batch = nil
	return b, nil
}

// Close implements op.Stream.
func (s *lone) Close() error { return nil }
