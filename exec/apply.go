package exec

import (
	"context"
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// apply runs its inner plan once for each distinct combination of the values that it binds and
// keeps the resulting rows. Its streams share these results.
type apply struct {
	node    *physical.Node
	plan    *physical.Apply
	outer   op.Operator
	inputs  *Inputs
	bind    []*eval.Program
	on      []*eval.Program
	out     []source
	ctx     *op.Ctx
	account *mem.Account
	small   bool // the inner plan sees few rows
	large   sync.Mutex
	mu      sync.Mutex
	results map[string]*result
}

// source is the origin of an output column: the outer row, the inner row or the mark.
type source struct {
	side int // 0 outer, 1 inner, 2 mark
	col  int
}

// result holds the inner plan's rows for one binding.
type result struct {
	once  sync.Once
	store *colstore.Store
	err   error
}

func newApply(b *Inputs, n *physical.Node) (op.Operator, error) {
	inner := *b
	inner.kept = nil // a join that is the same in every iteration may differ between bindings
	a := &apply{node: n, plan: n.Op.(*physical.Apply), inputs: &inner, small: isSmall(n.In[1])}
	outerIDs := colIDs(n.In[0])
	innerIDs := colIDs(n.In[1])
	var err error
	if a.bind, err = compileAll(a.plan.Bind, outerIDs); err != nil {
		return nil, err
	}
	both := append(outerIDs[:len(outerIDs):len(outerIDs)], innerIDs...)
	if a.on, err = compileAll(a.plan.On, both); err != nil {
		return nil, err
	}
	for _, c := range n.Cols {
		a.out = append(a.out, locate(c.ID, outerIDs, innerIDs))
	}
	// The inner plan is built once here so that its errors are reported before execution starts.
	if _, err := a.inputs.Build(n.In[1]); err != nil {
		return nil, err
	}
	a.outer, err = b.Build(n.In[0])
	return a, err
}

func compileAll(es []expr.Expr, ids []expr.ColID) ([]*eval.Program, error) {
	out := make([]*eval.Program, len(es))
	for i, e := range es {
		p, err := eval.Compile(e, ids)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

func locate(id expr.ColID, outer, inner []expr.ColID) source {
	for i, x := range outer {
		if x == id {
			return source{0, i}
		}
	}
	for i, x := range inner {
		if x == id {
			return source{1, i}
		}
	}
	return source{side: 2}
}

// Open implements op.Operator.
func (a *apply) Open(ctx *op.Ctx) error {
	a.ctx, a.account = ctx, ctx.Mem.Child("Apply")
	a.results = map[string]*result{}
	return a.outer.Open(ctx)
}

// Ordered implements op.Operator.
func (a *apply) Ordered() bool { return a.outer.Ordered() }

// Close implements op.Operator.
func (a *apply) Close() error {
	for _, r := range a.results {
		r.store.Free()
	}
	a.results = nil
	if a.account != nil {
		a.account.ReleaseAll()
	}
	return a.outer.Close()
}

// Stream implements op.Operator.
func (a *apply) Stream() (op.Stream, error) {
	s, err := a.outer.Stream()
	if err != nil {
		return nil, err
	}
	return newApplying(a, s), nil
}

// resultCost is the number of bytes charged for a kept binding in addition to its key and rows.
const resultCost = 256

// lookup returns the inner plan's rows for a binding.
func (a *apply) lookup(key []byte, params []catalog.Datum) (*colstore.Store, error) {
	a.mu.Lock()
	r := a.results[string(key)]
	if r == nil {
		r = &result{}
		a.results[string(key)] = r
	}
	a.mu.Unlock()
	r.once.Do(func() {
		if r.err = a.account.Reserve(int64(len(key)) + resultCost); r.err == nil {
			r.store, r.err = a.run(params)
		}
	})
	return r.store, r.err
}

// enough returns the number of inner rows after which more make no difference, or 0 if all
// matter.
func (a *apply) enough() int {
	switch {
	case len(a.on) > 0:
		return 0
	case a.plan.Type == logical.Single:
		return 2
	case a.plan.Type == logical.Inner || a.plan.Type == logical.Left:
		return 0
	}
	return 1
}

// run executes the inner plan. A small plan runs in the calling goroutine; of large ones, only
// one runs at a time, with all workers.
func (a *apply) run(params []catalog.Datum) (store *colstore.Store, err error) {
	inner, err := a.inputs.Build(a.node.In[1])
	if err != nil {
		return nil, err
	}
	ctx := *a.ctx
	ctx.Eval.Params = params
	stop, cancel := context.WithCancel(a.ctx.Context)
	defer cancel()
	ctx.Context = stop
	if a.small {
		ctx.Workers = 1
	} else {
		a.large.Lock()
		defer a.large.Unlock()
	}
	stores := make([]*colstore.Store, ctx.Workers)
	for i := range stores {
		stores[i] = colstore.New(columnTypes(a.node.In[1]), a.account)
	}
	err = inner.Open(&ctx)
	if err == nil {
		err = op.Each(&ctx, inner, func(w int, b *vec.Batch) error {
			if err := stores[w].Append(b); err != nil {
				return err
			}
			if n := a.enough(); n > 0 && stores[w].Rows() >= n {
				cancel() // the rows so far determine the result
			}
			return nil
		})
	}
	if errors.Is(err, context.Canceled) && a.ctx.Err() == nil {
		err = nil
	}
	if err = errors.Join(err, inner.Close()); err != nil {
		for _, s := range stores {
			s.Free()
		}
		return nil, err
	}
	return colstore.Concat(a.ctx, stores...)
}

func columnTypes(n *physical.Node) []types.Type {
	out := make([]types.Type, len(n.Cols))
	for i, c := range n.Cols {
		out[i] = c.T
	}
	return out
}

// padded reports whether the join keeps outer rows without partners.
func (a *apply) padded() bool {
	return a.plan.Type == logical.Left || a.plan.Type == logical.Single
}
