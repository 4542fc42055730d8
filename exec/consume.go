package exec

import (
	"context"
	"errors"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Consume runs a plan to its end and passes every batch to the consumer of the worker that made
// it: consume(w, b) is called from one goroutine for each w below opt.Workers. The batches of one
// worker have ascending Batch.Morsel; if the plan keeps the order of its source, sorting the
// batches of all workers by Morsel restores it. After the last batch of w, ended(w, err) is called
// for each w, in the same goroutine; err is the worker's error, which ended returns or replaces. If the
// plan cannot be started, ended is not called. Consume returns the first error of the plan or of a
// consumer.
func Consume(ctx context.Context, n *physical.Node, reg *Registry, opt Options, consume func(worker int, b *vec.Batch) error, ended func(worker int, err error) error) error {
	root, err := (&Inputs{reg: reg, shared: new(sharedPlans), progress: opt.Progress}).Build(n)
	if err != nil {
		return err
	}
	if opt.Passing {
		op.AllowPassing(root)
	}
	run := opt.context(n)
	run.Context = ctx
	setShares(run, n)
	defer run.Shares.Close()
	err = op.Guard(func() error {
		if err := root.Open(run); err != nil {
			return err
		}
		return op.EachUntil(run, root, opt.Workers, consume, ended)
	})
	err = errors.Join(err, op.Guard(root.Close))
	if err != nil {
		return sqlerr.From(err)
	}
	return nil
}
