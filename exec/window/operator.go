// Package window computes window functions: it collects its input, sorts it once by
// partition and order keys, and walks over the partitions, which workers share.
//
// Aggregates over frames that only grow or only shrink keep one running state; over
// sliding frames, states of which a row can be taken away exactly (counts, sums of
// integers and decimals) follow the frame, and all others are answered by a segment
// tree over the partition (Leis, Kundhikanjana, Kemper and Neumann, "Efficient
// Processing of Window Functions in Analytical SQL Queries", VLDB 2015, section 4).
// Every function takes O(n log n) time at most, whatever its frame. Functions that pass
// on a value of some row give views over the collected columns.
package window

import (
	"sync/atomic"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Operator is the Window operator. Its rows come in the order of its keys, rows with
// equal keys in that of the input as far as it has one.
type Operator struct {
	in       op.Operator
	width    int             // input columns
	types    []types.Type    // of the collected columns: the input's, then computed ones
	programs []*eval.Program // of the computed columns
	computed []expr.Expr     // what they compute
	keys     []sortKey
	specs    []*spec
	results  int

	ctx     *op.Ctx
	account *mem.Account
	rows    *colstore.Store
	cols    []*vec.Vector      // of rows
	order   *mem.Buffer[int32] // row by position; nil where rows stay as they came
	levels  *mem.Buffer[int16] // by position: the first key in which the row differs from the one before it
	out     []*result          // by function
	next    atomic.Int64       // first position of the next output batch
}

// sortKey is a key of the sort.
type sortKey struct {
	col  int
	desc bool
}

// New makes the operator of a physical.Window.
func New(n *physical.Node, in op.Operator) (*Operator, error) {
	plan := n.Op.(*physical.Window)
	o := &Operator{in: in, width: len(n.In[0].Cols), results: len(plan.Funcs)}
	c := compiler{o: o, at: map[expr.ColID]int{}}
	for i, col := range n.In[0].Cols {
		c.ids, c.at[col.ID] = append(c.ids, col.ID), i
		o.types = append(o.types, col.T)
	}
	for _, k := range plan.Keys {
		col, err := c.column(k.Expr)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, sortKey{col, k.Desc})
	}
	for i := range plan.Funcs {
		if err := c.function(i, &plan.Funcs[i]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Open implements op.Operator: it collects and sorts the input and computes all
// functions.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Mem.Child("Window")
	o.next.Store(0)
	if err := o.in.Open(ctx); err != nil {
		return err
	}
	if err := o.collect(); err != nil || o.rows == nil {
		return err
	}
	o.cols = o.rows.Columns()
	if o.rows.Rows() == 0 {
		return nil
	}
	if len(o.keys) > 0 {
		if err := o.sort(); err != nil {
			return err
		}
	}
	return o.compute()
}

// collect gathers the input and the computed columns.
func (o *Operator) collect() error {
	stores := make([]*colstore.Store, o.ctx.Workers)
	err := op.Drain(o.ctx, o.in, func(w int, s op.Stream) error {
		stores[w] = colstore.New(o.types, o.account)
		return o.collectStream(stores[w], s)
	})
	if err == nil {
		o.rows, err = colstore.Concat(o.ctx, stores...)
		return err
	}
	for _, s := range stores {
		s.Free()
	}
	return err
}

func (o *Operator) collectStream(store *colstore.Store, s op.Stream) error {
	evals := make([]*eval.Evaluator, len(o.programs))
	for i, p := range o.programs {
		evals[i] = p.NewEvaluator(o.ctx.Eval)
	}
	var whole vec.Batch
	for {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		b, err := s.Next()
		if err != nil || b == nil {
			return err
		}
		whole.N, whole.Morsel = b.N, b.Morsel
		whole.Cols = append(whole.Cols[:0], b.Cols...)
		for _, e := range evals {
			v, err := e.Eval(b)
			if err != nil {
				return err
			}
			whole.Cols = append(whole.Cols, v)
		}
		if err := store.Append(&whole); err != nil {
			return err
		}
	}
}

// sort orders the rows and finds where keys change.
func (o *Operator) sort() (err error) {
	keys, desc := make([]*vec.Vector, len(o.keys)), make([]bool, len(o.keys))
	for i, k := range o.keys {
		keys[i], desc[i] = o.cols[k.col], k.desc
	}
	if o.order, err = sort.Order(o.ctx, o.account, keys, desc, o.rows.Rows()); err != nil {
		return err
	}
	if o.levels, err = mem.Alloc[int16](o.account, o.rows.Rows()); err != nil {
		return err
	}
	return o.findLevels(keys)
}

// row gives the collected row at a position.
func (o *Operator) row(pos int) int32 {
	if o.order == nil {
		return int32(pos)
	}
	return o.order.S[pos]
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return false }

// Close implements op.Operator.
func (o *Operator) Close() error {
	for _, r := range o.out {
		r.free()
	}
	o.rows.Free()
	o.order.Free()
	o.levels.Free()
	o.rows, o.order, o.levels, o.out, o.cols = nil, nil, nil, nil, nil
	if o.account != nil {
		o.account.ReleaseAll()
	}
	return o.in.Close()
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) { return &stream{o: o}, nil }

// stream gives batches of positions, which all streams share.
type stream struct{ o *Operator }

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	o := s.o
	if err := o.ctx.Err(); err != nil || o.rows == nil {
		return nil, err
	}
	size := o.ctx.Rows()
	lo := int(o.next.Add(int64(size))) - size
	hi := min(lo+size, o.rows.Rows())
	if lo >= hi {
		return nil, nil
	}
	in := &vec.Batch{Cols: o.cols[:o.width], N: o.rows.Rows()}
	var b *vec.Batch
	if o.order == nil {
		b = in.Slice(lo, hi)
	} else {
		b = vec.Select(in, o.order.S[lo:hi])
	}
	b.N, b.Morsel = hi-lo, int64(lo/size)
	for _, r := range o.out {
		b.Cols = append(b.Cols, r.slice(lo, hi))
	}
	return b, nil
}

// Close implements op.Stream.
func (s *stream) Close() error { return nil }
