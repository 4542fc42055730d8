package exec

import (
	"context"
	"errors"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/progress"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Options holds the limits and resources with which a plan runs.
type Options struct {
	Eval      kernel.Ctx
	Mem       *mem.Account   // the query's account; nil for one without a limit
	Workers   int            // greatest number of goroutines; less than 1 means 1
	BatchSize int            // 0 means vec.BatchSize
	RowsRead  *atomic.Int64  // counts source rows; may be nil
	Spill     *spill.Space   // where operators put rows that do not fit in Mem; may be nil
	Analyze   bool           // measures every operator
	Progress  *progress.Plan // counts the rows of every operator; may be nil
	Few       bool           // uses as many goroutines even for plans of few rows: slower, for tests
	Passing   bool           // Consume's consumer keeps no text beyond the next batch
	// FellBack is called for each operator that runs on the CPU because its device failed. It
	// returns an error if that is not allowed. It may be nil and must be safe for concurrent use.
	FellBack func(operator string, cause error) error
}

// Result is a running query: a stream of batches for one goroutine.
type Result struct {
	Cols   []logical.Column
	root   op.Operator
	stream op.Stream
	cancel context.CancelFunc
	meter  *meter
	shares *mem.Pool
	err    error
}

// Run builds and opens a plan. The caller must close the Result, after errors of Next and if it
// stops early, too; after an error from Run there is nothing to close. Errors are *sqlerr.Error;
// cancelling ctx ends the query with error 1317 or 3024.
func Run(ctx context.Context, n *physical.Node, reg *Registry, opt Options) (*Result, error) {
	run := opt.context(n)
	in := &Inputs{reg: reg, shared: new(sharedPlans), progress: opt.Progress}
	if opt.Analyze {
		in.meter = newMeter(run, n)
	}
	root, err := in.Build(n)
	if err != nil {
		return nil, err
	}
	setShares(run, n)
	r := &Result{Cols: n.Cols, root: inOrder(n, root), meter: in.meter, shares: run.Shares}
	run.Context, r.cancel = ctx, func() {}
	if run.Workers > 1 { // otherwise nothing runs concurrently with the caller
		run.Context, r.cancel = context.WithCancel(ctx)
	}
	run.Mem.StopWhen(run.Context.Err)
	err = op.Guard(func() (err error) {
		if err = r.root.Open(run); err == nil {
			r.stream, err = r.root.Stream()
		}
		return err
	})
	if err != nil {
		r.err = err
		_ = r.Close() // the first error is the one to report
		return nil, sqlerr.From(err)
	}
	return r, nil
}

// context returns what the operators of n share, without the context.Context.
func (o *Options) context(n *physical.Node) *op.Ctx {
	run := &op.Ctx{Mem: o.Mem, Workers: max(o.Workers, 1), BatchSize: o.BatchSize, Eval: o.Eval, RowsRead: o.RowsRead, Spill: o.Spill, FellBack: o.FellBack}
	if run.Mem == nil {
		run.Mem = mem.NewRoot("query", 0)
	}
	run.Eval.Mem = run.Mem.Child("functions")
	if n.Serial || !o.Few && isSmall(n) {
		run.Workers = 1
	}
	return run
}

// setShares sets memory aside for the operators of n, so that each can make progress.
func setShares(run *op.Ctx, n *physical.Node) {
	if run.Spill != nil {
		run.Shares = mem.NewPool(run.Mem, holders(n), mostShare*int64(run.Workers))
	}
}

// smallRows is the greatest number of rows for which goroutines cost more than they save.
const smallRows = 20_000

// isSmall reports whether no operator of a plan sees many rows.
func isSmall(n *physical.Node) bool {
	if s, ok := n.Op.(*physical.Scan); ok {
		if st := s.Table.Stats(); st.Rows > smallRows || st.Rows == 0 && !st.Exact {
			return false
		}
	}
	if n.Est.Rows > smallRows {
		return false
	}
	for _, in := range n.In {
		if !isSmall(in) {
			return false
		}
	}
	return true
}

// Next returns the next batch, valid until the following call, or nil, nil at the end.
func (r *Result) Next() (b *vec.Batch, err error) {
	if r.err != nil || r.stream == nil {
		return nil, r.failed()
	}
	r.err = op.Guard(func() (err error) {
		b, err = r.stream.Next()
		return err
	})
	if r.err != nil {
		return nil, r.failed()
	}
	return b, nil
}

func (r *Result) failed() error {
	if r.err == nil {
		return nil
	}
	return sqlerr.From(r.err)
}

// Close ends the query and releases everything it holds. It may be called more than once.
func (r *Result) Close() error {
	if r.root == nil {
		return nil
	}
	r.cancel()
	err := op.Guard(func() error {
		if r.stream != nil {
			return r.stream.Close()
		}
		return nil
	})
	err = errors.Join(err, op.Guard(r.root.Close))
	r.shares.Close()
	r.root, r.stream = nil, nil
	if err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return sqlerr.From(err)
}

// Metrics returns the measurements by node ID. It is called after Close and returns nil unless
// Options.Analyze was set.
func (r *Result) Metrics() map[int]*physical.Metrics {
	if r.meter == nil {
		return nil
	}
	return r.meter.metrics()
}
