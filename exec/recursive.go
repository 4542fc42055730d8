package exec

import (
	"errors"
	"maps"
	"strconv"
	"sync/atomic"

	"gsql/exec/agg/keytable"
	"gsql/exec/colstore"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// recursive runs a recursive common table expression by semi-naive evaluation (Bancilhon, "Naive
// Evaluation of Recursively Defined Relations", 1985): each iteration computes the step over only
// the rows that the previous one added. Open computes all rows; the streams share them. All rows
// spill once they no longer fit in memory.
type recursive struct {
	node    *physical.Node
	plan    *physical.Recursive
	inputs  *Inputs // include work
	work    *pieces // the rows that the last iteration added
	seed    op.Operator
	small   bool // the step sees few rows
	ctx     *op.Ctx
	account *mem.Account
	rows    rowSet // nil once they are on disk
	disk    recursiveDisk
	out     pieces
	cursor  atomic.Int64 // of out
}

// rowSet collects rows: all of them, or only distinct ones.
type rowSet interface {
	Append(b *vec.Batch) error
	Rows() int
	Columns() []*vec.Vector
	Free()
}

func newRecursive(b *Inputs, n *physical.Node) (op.Operator, error) {
	r := &recursive{node: n, plan: n.Op.(*physical.Recursive), work: &pieces{}, small: isSmall(n.In[1])}
	inner := *b
	inner.work = maps.Clone(b.work)
	if inner.work == nil {
		inner.work = map[int]*pieces{}
	}
	inner.work[r.plan.Work] = r.work
	inner.kept = map[*physical.Node]*join.Kept{}
	r.inputs = &inner
	// The step is built once here so that its errors are reported before execution starts.
	if _, err := r.inputs.Build(n.In[1]); err != nil {
		return nil, err
	}
	var err error
	r.seed, err = b.Build(n.In[0])
	return r, err
}

// Open implements op.Operator. It iterates to the end.
func (r *recursive) Open(ctx *op.Ctx) error {
	r.ctx, r.account = ctx, ctx.Account("Recursive").Yielding()
	if r.plan.Distinct {
		r.rows = keytable.NewSet(columnTypes(r.node), r.account, ctx.Err)
	} else {
		r.rows = colstore.New(columnTypes(r.node), r.account)
	}
	if err := r.seed.Open(ctx); err != nil {
		return err
	}
	if err := r.add(ctx, r.seed); err != nil {
		return err
	}
	if err := r.iterate(); err != nil {
		return err
	}
	r.out.reset(r.disk.file, r.disk.blocks, r.inMemory(0))
	if r.plan.Count >= 0 {
		r.out.lo, r.out.hi = int(min(r.plan.Offset, int64(r.out.hi))), int(min(r.wanted(), int64(r.out.hi)))
	}
	return nil
}

// inMemory returns the rows in memory, from row at on.
func (r *recursive) inMemory(at int) *vec.Batch {
	if r.rows == nil || r.rows.Rows() == 0 {
		return &vec.Batch{}
	}
	all := vec.Batch{Cols: r.rows.Columns(), N: r.rows.Rows()}
	return all.Slice(at, all.N)
}

// count returns the number of rows.
func (r *recursive) count() int64 {
	if r.rows == nil {
		return r.disk.rows
	}
	return int64(r.rows.Rows())
}

// wanted returns the number of rows that satisfy the LIMIT.
func (r *recursive) wanted() int64 { return r.plan.Offset + r.plan.Count }

// iterate runs the step until it adds no row or there are enough rows.
func (r *recursive) iterate() error {
	depth, rounds := maxRecursion(r.ctx), int64(0)
	for r.work.hi > 0 && (r.plan.Count < 0 || r.count() < r.wanted()) {
		if rounds++; rounds > depth {
			return sqlerr.New(sqlerr.CTEMaxRecursionDepth, "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", rounds)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.runStep(); err != nil {
			return err
		}
	}
	return nil
}

// defaultRecursion is the greatest number of iterations unless cte_max_recursion_depth is set.
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

// runStep computes the step over the work table and adds the resulting rows.
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
		err = r.add(&ctx, step)
	}
	return errors.Join(err, step.Close())
}

// add adds the rows of in, which is open. It sets them aside first: r.rows holds the work table,
// whose rows must not move while in reads them.
func (r *recursive) add(ctx *op.Ctx, in op.Operator) error {
	added, fresh, err := r.collect(ctx, in)
	if err != nil {
		return err
	}
	defer added.Free()
	if r.rows != nil && fresh == nil {
		known := r.rows.Rows()
		err = r.addInMemory(added)
		if err == nil && !(ctx.Spill != nil && r.account.Crowds()) {
			r.work.reset(nil, nil, r.inMemory(known))
			return nil
		}
		if err != nil && !r.mayLeave(ctx, err) {
			return err
		}
		if err := r.spillFirst(known); err != nil {
			return err
		}
	}
	return r.addOnDisk(added, fresh)
}

// checkRows is the number of rows that are added between checks for cancellation.
const checkRows = 1 << 14

// addInMemory adds rows to those in memory.
func (r *recursive) addInMemory(added *colstore.Store) error {
	all := vec.Batch{Cols: added.Columns(), N: added.Rows()}
	for lo := 0; lo < all.N; lo += checkRows {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.rows.Append(all.Slice(lo, min(lo+checkRows, all.N))); err != nil {
			return err
		}
	}
	return nil
}

// Ordered implements op.Operator.
func (r *recursive) Ordered() bool { return false }

// Stream implements op.Operator.
func (r *recursive) Stream() (op.Stream, error) { return r.out.stream(r.ctx, &r.cursor), nil }

// Close implements op.Operator.
func (r *recursive) Close() error {
	if r.rows != nil {
		r.rows.Free()
	}
	r.disk.seen.bits.Free()
	r.account.End()
	err := errors.Join(r.seed.Close(), r.disk.file.Close())
	for _, k := range r.inputs.kept {
		err = errors.Join(err, k.Close())
	}
	clear(r.inputs.kept)
	return err
}
