package operators

import (
	"context"
	"errors"
	"sync"

	"gsql/exec"
	"gsql/exec/join"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/gpu/engine"
	"gsql/internal/mem"
	"gsql/planner/physical"
)

// newJoin returns a join whose row pairs a device finds.
func (cfg Config) newJoin(b *exec.Inputs, n *physical.Node) (op.Operator, error) {
	algo, err := algorithmOf(n.Op.(*physical.Join))
	if err != nil {
		return nil, err
	}
	return exec.Binary(func(n *physical.Node, l, r op.Operator) (op.Operator, error) {
		return join.NewPaired(n, l, r, nameOf(n), func(d *join.Driving) match.Pairer {
			return &pairer{cfg: cfg, node: n, algo: algo, driving: d, crossings: b.Crossings(n),
				uploads: [2]*exec.Crossings{b.Crossings(n.In[0]), b.Crossings(n.In[1])}}
		})
	})(b, n)
}

// pairer is a join.Pairer on a device. One goroutine uses the device and passes pairs to the
// workers through a queue.
type pairer struct {
	cfg       Config
	node      *physical.Node
	algo      algorithm
	driving   *join.Driving
	crossings *exec.Crossings
	uploads   [2]*exec.Crossings

	conds   []condition
	rows    [2]int64
	queue   *queue
	cancel  context.CancelFunc
	running sync.WaitGroup
	onHost  bool // the CPU's pairer does the work
}

// Build implements join.Pairer. It returns once the first pairs exist, so that the CPU can take
// over if the device fails before.
func (p *pairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *match.Side) error {
	p.rows = [2]int64{int64(left.Rows), int64(right.Rows)}
	err := p.setConditions(left, right)
	if err == nil {
		err = p.start(ctx, acct)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if err := fellBack(ctx, nameOf(p.node), p.crossings, err); err != nil {
		return err
	}
	p.onHost = true
	return p.driving.Host.Build(ctx, acct, left, right)
}

func (p *pairer) setConditions(left, right *match.Side) error {
	p.conds = nil
	for i, c := range p.driving.Conditions {
		l, r := p.cfg.newOperand(c.L, p.node.In[0], true), p.cfg.newOperand(c.R, p.node.In[1], true)
		l.setValues(left.Keys[i])
		r.setValues(right.Keys[i])
		cond, err := newCondition(c.Op, l, r)
		if err != nil {
			return err
		}
		p.conds = append(p.conds, cond)
	}
	return nil
}

// start begins the join and waits for its first pairs or its end.
func (p *pairer) start(ctx *op.Ctx, acct *mem.Account) error {
	p.queue = newQueue(acct)
	var running context.Context
	running, p.cancel = context.WithCancel(ctx)
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		p.queue.end(op.Guard(func() error { return p.run(running) }))
	}()
	<-p.queue.begun
	return p.queue.failedEarly()
}

// run does the whole join on the device.
func (p *pairer) run(ctx context.Context) (err error) {
	e, err := engine.For(string(p.node.Device))
	if err != nil {
		return err
	}
	t, err := e.Begin(ctx, nameOf(p.node))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.End()) }()
	err = withWidths(func(wide bool) error {
		return eachPart(span{0, p.rows[0]}, span{0, p.rows[1]}, p.node.Op.(*physical.Join).Pieces, func(l, r span) (bool, error) {
			m := t.Mark()
			out, err := p.part(t, wide, l, r)
			return out, errors.Join(err, t.Release(m))
		})
	})
	return errors.Join(err, noteTime(t, p.crossings))
}

// part joins some rows of both sides; out reports whether it emitted pairs.
func (p *pairer) part(t *engine.Task, wide bool, l, r span) (out bool, err error) {
	load := newLoader(t, p.uploads, p.rows, wide)
	in, err := load.input(p.conds, l, r)
	if err != nil {
		return false, err
	}
	found, err := t.Pairs(p.algo.bytes(in, nil), func(out *engine.Pairs) error { return p.algo.pairs(t, in, out) })
	if err != nil {
		return false, err
	}
	for {
		left, right, err := found.Next()
		if err != nil || len(left) == 0 {
			return out, errors.Join(err, found.Close())
		}
		out = true
		p.crossings.FromDevice.Add(int64(8 * len(left)))
		if err := p.queue.give(t.Ctx, &chunk{left: left, right: right, fromLeft: int32(l.from), fromRight: int32(r.from)}); err != nil {
			return out, errors.Join(err, found.Close())
		}
	}
}

// Worker implements join.Pairer.
func (p *pairer) Worker() match.PairWorker {
	if p.onHost {
		return p.driving.Host.Worker()
	}
	return &worker{q: p.queue}
}

// Close implements join.Pairer.
func (p *pairer) Close() {
	if p.cancel != nil {
		p.cancel()
		p.running.Wait()
		p.queue.free()
	}
	p.driving.Host.Close()
}
