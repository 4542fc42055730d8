package operators

import (
	"errors"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline/run"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// fused is a Pipelines node: a device runs the subtree below it as a whole.
type fused struct {
	cfg       *Config
	node      *physical.Node
	build     *exec.Inputs
	crossings *exec.Crossings
	narrow    bool

	ctx  *op.Ctx
	acct *mem.Account
	rows *fusedRows
	host op.Operator // does the work if the device failed, else nil
}

// newFused returns the operator of a Pipelines node.
func (cfg *Config) newFused(b *exec.Inputs, n *physical.Node) (op.Operator, error) {
	return &fused{cfg: cfg, node: n, build: b, crossings: b.Crossings(n)}, nil
}

// AllowNarrow implements op.Narrowing.
func (f *fused) AllowNarrow() { f.narrow = true }

// Open implements op.Operator: it does all the work except for converting the rows.
func (f *fused) Open(ctx *op.Ctx) error {
	f.ctx, f.acct = ctx, ctx.Mem.Child(nameOf(f.node))
	err := op.Guard(f.run)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return f.fallBack(err)
}

// mostWarnings is how many warnings of divisions by 0 a query adds: a session keeps no more.
const mostWarnings = 1 << 16

// run computes the rows on the device: with whole columns there, or in pieces if the plan says so or
// memory does not suffice.
func (f *fused) run() error {
	if f.failsAgain() {
		return run.ErrFailed
	}
	e, err := engine.For(string(f.node.Device))
	if err != nil {
		return err
	}
	limit, _, _ := e.Memory()
	if n := f.node.Op.(*physical.Pipelines); len(n.Streams) > 0 || n.Passes > 0 || f.wasShort(limit) {
		return f.runOn(true)
	}
	err = f.runOn(false)
	if err == nil || !errors.Is(err, gpu.ErrOutOfMemory) || f.ctx.Err() != nil {
		return err
	}
	if again := f.runOn(true); again != nil {
		return again
	}
	if p := f.cfg.kept.get(f.node); p != nil {
		short := *p
		short.short = limit
		f.cfg.kept.put(f.node, &short)
	}
	if env := f.ctx.Eval.Env; env != nil && f.crossings.Pieces.Load() > 0 {
		env.Warn(uint16(sqlerr.OutOfMemory), nameOf(f.node)+" read tables in pieces: "+sqlerr.From(err).Msg)
	}
	return nil
}

// wasShort reports whether an earlier execution of the plan, with no less memory, had too little for whole
// tables.
func (f *fused) wasShort(limit int64) bool {
	p := f.cfg.kept.get(f.node)
	return p != nil && limit <= p.short
}

// runOn computes the rows within a task of its own, in pieces or not.
func (f *fused) runOn(pieces bool) (err error) {
	e, err := engine.For(string(f.node.Device))
	if err != nil {
		return err
	}
	t, err := e.Begin(f.ctx, nameOf(f.node))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.End()) }()
	l := newTableLoader(f, t, pieces)
	defer l.free()
	q, rows, err := f.compute(l)
	streamed, blocks := t.Streamed()
	f.crossings.ToDevice.Add(l.moved + streamed)
	f.crossings.Pieces.Add(int64(blocks))
	if err != nil {
		return err
	}
	f.crossings.Passes.Store(int64(q.options.Passes))
	if err := f.take(l, q, rows); err != nil {
		return err
	}
	return noteTime(t, f.crossings)
}

// take keeps the rows of a result, in their order.
func (f *fused) take(l *tableLoader, q *prepared, rows *run.Rows) (err error) {
	f.crossings.FromDevice.Add(rows.Bytes())
	for range min(rows.Zeros, mostWarnings) {
		f.ctx.Eval.Env.Warn(uint16(sqlerr.DivisionByZero), "Division by 0")
	}
	if err = f.arrange(q.order, rows); err == nil {
		f.rows, err = newFusedRows(f.ctx, f.node.Cols, q.outs, rows, f.narrow, l.tablesOf(q))
	}
	if err != nil {
		rows.Free()
	}
	return err
}

// fallBack does the work on the CPU.
func (f *fused) fallBack(cause error) error {
	f.free()
	refused := fellBack(f.ctx, nameOf(f.node), f.crossings, cause)
	if refused != nil && !errors.Is(cause, run.ErrFailed) {
		return refused
	}
	host, err := f.build.Build(onCPU(f.node.In[0]))
	if err != nil {
		return err
	}
	if f.narrow {
		op.AllowNarrow(host)
	}
	f.host = host
	if err := host.Open(f.ctx); err != nil || refused == nil {
		return err
	}
	// The query fails in any case: with the CPU's error for the value, if it has one.
	if err := op.Each(f.ctx, host, func(int, *vec.Batch) error { return nil }); err != nil {
		return err
	}
	return refused
}

// Ordered implements op.Operator.
func (f *fused) Ordered() bool {
	if f.host != nil {
		return f.host.Ordered()
	}
	return inOrder(f.node.In[0])
}

// Stream implements op.Operator.
func (f *fused) Stream() (op.Stream, error) {
	switch {
	case f.host != nil:
		return f.host.Stream()
	case f.rows == nil:
		return nil, sqlerr.Internal("%s was not opened", nameOf(f.node))
	}
	return f.rows.stream(f.ctx), nil
}

// Close implements op.Operator.
func (f *fused) Close() error {
	f.free()
	if f.host != nil {
		return f.host.Close()
	}
	return nil
}

// free releases the rows and their memory.
func (f *fused) free() {
	if f.rows != nil {
		f.rows.rows.Free()
		f.rows = nil
	}
	f.acct.End()
}
