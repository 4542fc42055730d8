package exec

import (
	"context"
	"errors"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Consume runs a plan to its end and hands every batch to the consumer of the worker
// that made it: consume(w, b) is called from one goroutine for each w below
// opt.Workers. Rows of one worker come with ascending Batch.Morsel; their order over
// all workers is that of Morsel where the plan keeps its source's order. The error is
// the first of the plan's and the consumers'.
func Consume(ctx context.Context, n *physical.Node, reg *Registry, opt Options, consume func(worker int, b *vec.Batch) error) error {
	root, err := Build(n, reg)
	if err != nil {
		return err
	}
	if opt.Passing {
		op.AllowPassing(root)
	}
	run := opt.context(n)
	run.Context = ctx
	err = op.Guard(func() error {
		if err := root.Open(run); err != nil {
			return err
		}
		return op.Each(run, root, consume)
	})
	err = errors.Join(err, op.Guard(root.Close))
	if err != nil {
		return sqlerr.From(err)
	}
	return nil
}
