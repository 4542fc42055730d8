package exec

import (
	"errors"
	"maps"
	"strconv"
	"sync/atomic"

	"gsql/exec/agg"
	"gsql/exec/colstore"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// recursive runs a recursive common table expression by semi-naive evaluation (Bancilhon,
// "Naive Evaluation of Recursively Defined Relations", 1985): each iteration computes the
// step over nothing but the rows that the one before added. All rows are made in Open;
// the streams share them.
type recursive struct {
	node    *physical.Node
	plan    *physical.Recursive
	inputs  *Inputs // knows work
	work    *workRows
	seed    op.Operator
	small   bool // the step sees few rows
	ctx     *op.Ctx
	account *mem.Account
	rows    rowSet
	out     vec.Batch
	cursor  atomic.Int64
}

// rowSet collects rows: all of them, or different ones alone.
type rowSet interface {
	Append(b *vec.Batch) error
	Rows() int
	Columns() []*vec.Vector
	Free()
}

func newRecursive(b *Inputs, n *physical.Node) (op.Operator, error) {
	r := &recursive{node: n, plan: n.Op.(*physical.Recursive), work: &workRows{}, small: isSmall(n.In[1])}
	inner := *b
	inner.work = maps.Clone(b.work)
	if inner.work == nil {
		inner.work = map[int]*workRows{}
	}
	inner.work[r.plan.Work] = r.work
	inner.kept = map[*physical.Node]*join.Kept{}
	r.inputs = &inner
	// The step is built once here so that its errors come before anything runs.
	if _, err := r.inputs.Build(n.In[1]); err != nil {
		return nil, err
	}
	var err error
	r.seed, err = b.Build(n.In[0])
	return r, err
}

// Open implements op.Operator: it iterates to the end.
func (r *recursive) Open(ctx *op.Ctx) error {
	r.ctx, r.account = ctx, ctx.Mem.Child("Recursive")
	if r.plan.Distinct {
		r.rows = agg.NewSet(columnTypes(r.node), r.account)
	} else {
		r.rows = colstore.New(columnTypes(r.node), r.account)
	}
	if err := r.seed.Open(ctx); err != nil {
		return err
	}
	if err := r.collect(ctx, r.seed); err != nil {
		return err
	}
	if err := r.iterate(); err != nil {
		return err
	}
	lo, hi := 0, r.rows.Rows()
	if r.plan.Count >= 0 {
		lo, hi = int(min(r.plan.Offset, int64(hi))), int(min(r.wanted(), int64(hi)))
	}
	all := vec.Batch{Cols: r.rows.Columns(), N: r.rows.Rows()}
	r.out = *all.Slice(lo, hi)
	return nil
}

// wanted is the number of rows after which a LIMIT is satisfied.
func (r *recursive) wanted() int64 { return r.plan.Offset + r.plan.Count }

// iterate runs the step until it adds nothing, or enough rows are there.
func (r *recursive) iterate() error {
	depth, rounds := maxRecursion(r.ctx), int64(0)
	for from := 0; from < r.rows.Rows() && (r.plan.Count < 0 || int64(r.rows.Rows()) < r.wanted()); {
		if rounds++; rounds > depth {
			return sqlerr.New(sqlerr.CTEMaxRecursionDepth, "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", rounds)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		all := vec.Batch{Cols: r.rows.Columns(), N: r.rows.Rows()}
		r.work.rows = *all.Slice(from, all.N)
		from = all.N
		if err := r.runStep(); err != nil {
			return err
		}
	}
	return nil
}

// defaultRecursion bounds iterations unless cte_max_recursion_depth is set.
const defaultRecursion = 1000

func maxRecursion(ctx *op.Ctx) int64 {
	if ctx.Eval.Env != nil {
		if v, ok := ctx.Eval.Env.Var("cte_max_recursion_depth"); ok {
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				return n
			}
		}
	}
	return defaultRecursion
}

// runStep computes the step over the work table and adds its rows.
func (r *recursive) runStep() error {
	step, err := r.inputs.Build(r.node.In[1])
	if err != nil {
		return err
	}
	ctx := *r.ctx
	if r.small {
		ctx.Workers = 1
	}
	if err = step.Open(&ctx); err == nil {
		err = r.collect(&ctx, step)
	}
	return errors.Join(err, step.Close())
}

// collect adds the rows of in, which is open. They are set aside first: those of the work
// table lie in r.rows and must not move while in reads them.
func (r *recursive) collect(ctx *op.Ctx, in op.Operator) error {
	stores := make([]*colstore.Store, ctx.Workers)
	for i := range stores {
		stores[i] = colstore.New(columnTypes(r.node), r.account)
	}
	err := op.Each(ctx, in, func(w int, b *vec.Batch) error {
		if err := r.account.Reserve(stringBytes(b)); err != nil {
			return err
		}
		return stores[w].Append(b)
	})
	if err != nil {
		for _, s := range stores {
			s.Free()
		}
		return err
	}
	added, err := colstore.Concat(ctx, stores...)
	if err != nil {
		return err
	}
	defer added.Free()
	if added.Rows() == 0 {
		return nil
	}
	return r.rows.Append(&vec.Batch{Cols: added.Columns(), N: added.Rows()})
}

// stringBytes counts the bytes of a batch's strings: a step makes new ones of those it
// finds, and no other operator accounts for them.
func stringBytes(b *vec.Batch) int64 {
	n := 0
	for _, c := range b.Cols {
		if c.Type.Kind() != types.KindStr {
			continue
		}
		for i := range b.N {
			if base, slot := c.Slot(i); slot >= 0 {
				n += len(base.Str[slot])
			}
		}
	}
	return int64(n)
}

// Ordered implements op.Operator.
func (r *recursive) Ordered() bool { return false }

// Stream implements op.Operator.
func (r *recursive) Stream() (op.Stream, error) { return recursing{r}, nil }

// Close implements op.Operator.
func (r *recursive) Close() error {
	if r.rows != nil {
		r.rows.Free()
	}
	if r.account != nil {
		r.account.ReleaseAll()
	}
	err := r.seed.Close()
	for _, k := range r.inputs.kept {
		err = errors.Join(err, k.Close())
	}
	clear(r.inputs.kept)
	return err
}

// recursing is a stream; it shares the cursor and holds nothing of its own.
type recursing struct{ r *recursive }

// Next implements op.Stream.
func (s recursing) Next() (*vec.Batch, error) { return nextSlice(s.r.ctx, &s.r.out, &s.r.cursor) }

// Close implements op.Stream.
func (recursing) Close() error { return nil }
