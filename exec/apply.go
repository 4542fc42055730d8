package exec

import (
	"errors"
	"sync"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// apply runs its inner plan once for each distinct combination of the values that it binds. It
// keeps the resulting rows as long as memory suffices, and its streams share them.
type apply struct {
	node    *physical.Node
	plan    *physical.Apply
	outer   op.Operator
	inputs  *Inputs
	bind    []*eval.Program
	on      []*eval.Program
	out     []source
	types   []types.Type // of the inner plan
	small   bool         // the inner plan sees few rows
	ctx     *op.Ctx
	account *mem.Account
	running sync.RWMutex // see run
	results results
}

// source is the origin of an output column: the outer row, the inner row or the mark.
type source struct {
	side int // 0 outer, 1 inner, 2 mark
	col  int
}

func newApply(b *Inputs, n *physical.Node) (op.Operator, error) {
	inner := *b
	inner.kept = nil // a join that is the same in every iteration may differ between bindings
	a := &apply{node: n, plan: n.Op.(*physical.Apply), inputs: &inner, types: columnTypes(n.In[1]), small: isSmall(n.In[1])}
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

func columnTypes(n *physical.Node) []types.Type {
	out := make([]types.Type, len(n.Cols))
	for i, c := range n.Cols {
		out[i] = c.T
	}
	return out
}

// Open implements op.Operator.
func (a *apply) Open(ctx *op.Ctx) error {
	a.ctx, a.account = ctx, ctx.Account("Apply").Yielding()
	a.results.of = map[string]*result{}
	return a.outer.Open(ctx)
}

// Ordered implements op.Operator.
func (a *apply) Ordered() bool { return a.outer.Ordered() }

// Close implements op.Operator.
func (a *apply) Close() error {
	err := a.results.close(a.account)
	a.account.End()
	return errors.Join(err, a.outer.Close())
}

// Stream implements op.Operator.
func (a *apply) Stream() (op.Stream, error) {
	s, err := a.outer.Stream()
	if err != nil {
		return nil, err
	}
	return newApplying(a, s), nil
}

// padded reports whether the join keeps outer rows without partners.
func (a *apply) padded() bool {
	return a.plan.Type == logical.Left || a.plan.Type == logical.Single
}

// returnsPairs reports whether output rows have the values of inner rows. If not, the first inner
// row for which On is true decides.
func (a *apply) returnsPairs() bool { return a.plan.Type == logical.Inner || a.padded() }

// enough returns the number of inner rows after which more make no difference, or 0 if all
// matter.
func (a *apply) enough() int {
	switch {
	case len(a.on) > 0:
		return 0
	case a.plan.Type == logical.Single:
		return 2
	case a.returnsPairs():
		return 0
	}
	return 1
}
