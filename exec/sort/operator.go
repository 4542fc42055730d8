// Package sort orders rows: all of them, or the first few. Keys are packed into 64-bit codes that
// have the same order, as far as they fit. The codes are radix sorted together with row numbers,
// and only rows with equal codes are compared key by key. The payload is collected once in
// columns and returned as views of them. Rows that do not fit in memory are sorted in runs on
// disk, which are merged when the result is read.
package sort

import (
	"errors"
	"slices"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/dynfilter"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Operator is the Sort operator; with a limit it is a top-N. Rows with equal keys keep the order
// of the input if the input has one.
type Operator struct {
	// Bound receives the first key of the last row that a top-N keeps, for the scans below; nil
	// if there is none. It is set before Open.
	Bound *dynfilter.Bound
	// Elsewhere sorts the codes of rows in memory in place of the CPU, on devices; nil for the CPU. It is
	// set before Open.
	Elsewhere Sorter
	in        op.Operator
	drained   bool         // the input is drained and closed
	name      string       // of the account
	perRow    int64        // bytes per row that the consumer will need in addition
	types     []types.Type // of the stored columns: the input's, then computed keys
	width     int          // input columns
	keys      []key
	limit     int64 // rows kept, including the offset; negative for all
	bounded   bool  // only the first rows are kept while the input is read
	offset    int64
	ctx       *op.Ctx
	account   *mem.Account
	rows      *colstore.Store
	order     *mem.Buffer[int32]
	lo, hi    int

	arbiter  *spill.Arbiter
	spilling sync.Mutex
	runs     *runs // instead of rows and order, once memory is short
}

// key is one of the sort keys.
type key struct {
	col     int           // column of the store
	program *eval.Program // computes the key; nil for a column of the input
	desc    bool

	volatile bool // the program must not be run twice for a row
}

// New makes the operator of a physical.Sort.
func New(n *physical.Node, in op.Operator) (*Operator, error) {
	plan := n.Op.(*physical.Sort)
	o := &Operator{in: in, name: "Sort", width: len(n.In[0].Cols), limit: -1, offset: plan.Offset}
	if plan.Limit >= 0 {
		o.limit, o.bounded = plan.Limit+plan.Offset, plan.Bounded()
	}
	ids := make([]expr.ColID, o.width)
	at := map[expr.ColID]int{}
	for i, c := range n.In[0].Cols {
		ids[i], at[c.ID] = c.ID, i
		o.types = append(o.types, c.T)
	}
	for _, k := range plan.Keys {
		if c, ok := k.Expr.(*expr.Col); ok {
			if i, ok := at[c.ID]; ok {
				o.keys = append(o.keys, key{col: i, desc: k.Desc})
				continue
			}
		}
		p, err := eval.Compile(k.Expr, ids)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key{col: len(o.types), program: p, desc: k.Desc, volatile: expr.Volatile(k.Expr)})
		o.types = append(o.types, k.Expr.Type())
	}
	return o, nil
}

// Open implements op.Operator. It collects and sorts the input.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Account(o.name).Yielding()
	if err := o.in.Open(ctx); err != nil {
		return err
	}
	if o.limit == 0 {
		return nil
	}
	collectors := make([]*collector, ctx.Workers)
	o.arbiter = spill.NewArbiter(ctx)
	err := op.Drain(ctx, o.in, func(w int, s op.Stream) error {
		collectors[w] = o.newCollector()
		o.arbiter.Begin()
		defer o.arbiter.End(collectors[w])
		return collectors[w].collect(s, o.bounded)
	})
	collectors = slices.DeleteFunc(collectors, func(c *collector) bool { return c == nil })
	if err == nil {
		err = o.closeInput()
	}
	switch {
	case err != nil:
		free(collectors)
		return err
	case len(collectors) == 0:
		return nil
	case o.mustSpill(collectors):
		return o.spillAll(collectors)
	}
	stores := make([]*colstore.Store, len(collectors))
	for i, c := range collectors {
		stores[i] = c.store
		c.coverSort(0)
	}
	if o.rows, err = colstore.Concat(ctx, stores...); err != nil {
		return err
	}
	return o.sortRows()
}

func (o *Operator) sortRows() (err error) {
	if o.order, err = o.orderElsewhere(); o.order == nil && err == nil {
		o.order, err = order(o.ctx, o.account, o.sortKeys(o.rows.Columns()), o.rows.Rows())
	}
	o.lo, o.hi = int(min(o.offset, int64(o.rows.Rows()))), o.rows.Rows()
	if o.limit >= 0 {
		o.hi = int(min(o.limit, int64(o.hi)))
	}
	return err
}

func (o *Operator) sortKeys(cols []*vec.Vector) []column {
	out := make([]column, len(o.keys))
	for i, k := range o.keys {
		out[i] = column{cols[k.col], k.desc}
	}
	return out
}

// closeInput closes the input once. This happens as soon as all rows are collected, to free its
// memory for the sort and the operators above, or else with the operator.
func (o *Operator) closeInput() error {
	if o.drained {
		return nil
	}
	o.drained = true
	return o.in.Close()
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return true }

// Close implements op.Operator.
func (o *Operator) Close() error {
	o.rows.Free()
	o.order.Free()
	o.rows, o.order = nil, nil
	err := o.runs.close()
	o.runs = nil
	o.account.End()
	return errors.Join(err, o.closeInput())
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	if o.runs != nil {
		return o.newMergeStream()
	}
	s := &stream{ctx: o.ctx}
	if o.rows != nil {
		s.cols = o.rows.Columns()[:o.width]
		s.order = o.order.S[o.lo:max(o.lo, o.hi)]
	}
	return s, nil
}

// stream returns the sorted rows as views of the collected columns.
type stream struct {
	ctx   *op.Ctx
	cols  []*vec.Vector
	order []int32
}

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	n := min(len(s.order), s.ctx.Rows())
	if n == 0 {
		return nil, nil
	}
	b := vec.Select(&vec.Batch{Cols: s.cols, N: n}, s.order[:n])
	s.order = s.order[n:]
	return b, nil
}

// Close implements op.Stream.
func (s *stream) Close() error { return nil }
