// Package window computes window functions: it collects its input, sorts it once by partition and
// order keys, and processes the partitions, which workers share.
//
// Aggregates over frames that only grow or only shrink keep one running state. Over sliding
// frames, states from which a row can be removed exactly (counts, sums of integers and decimals)
// follow the frame, and all others use a segment tree over the partition (Leis, Kundhikanjana,
// Kemper and Neumann, "Efficient Processing of Window Functions in Analytical SQL Queries", VLDB
// 2015, section 4). Every function takes O(n log n) time at most, whatever its frame. Functions
// that return the value of some row return views of the collected columns.
//
// Rows that do not fit in memory are computed from disk: see runStream and paging.
package window

import (
	"errors"
	"sync/atomic"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Operator is the Window operator. It returns its rows in the order of its keys. Rows with equal
// keys keep the order of the input if the input has one.
type Operator struct {
	in       op.Operator
	width    int             // input columns
	types    []types.Type    // of the collected columns: the input's, then the computed ones
	programs []*eval.Program // of the computed columns
	computed []expr.Expr     // what they compute
	keys     []sortKey
	specs    []*spec
	results  int
	inRows   float64 // estimated rows of in
	top      int64   // rows are dropped if result topBy is greater; 0 drops none
	topBy    int
	peers    bool // topBy is RANK

	ctx     *op.Ctx
	account *mem.Account
	sorted  *sort.Operator // of the input; nil without keys
	onDisk  bool           // after Open: the rows are on disk
	taken   atomic.Bool    // a stream has taken the rows on disk
	view    *view          // of the single argument, if rows are on disk (see paging)
	rows    *colstore.Store
	n       int                // rows that have positions; they come first
	cols    []*vec.Vector      // of rows
	order   []int32            // row by position; nil if rows stay in input order
	levels  *mem.Buffer[int16] // by position: the first of the compared keys in which the row differs from the previous one
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
	o := &Operator{in: in, width: len(n.In[0].Cols), results: len(plan.Funcs), inRows: n.In[0].Est.Rows, top: plan.Top, topBy: plan.TopBy}
	o.peers = o.top > 0 && plan.Funcs[o.topBy].Fn == expr.Rank
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

// Open implements op.Operator. It collects and sorts the input and computes all functions, unless
// the rows do not fit in memory: they are then on disk, in order.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Account("Window").Yielding()
	o.next.Store(0)
	if len(o.keys) == 0 && ctx.Spill == nil {
		return o.collect()
	}
	keys := make([]sort.Column, len(o.keys))
	for i, k := range o.keys {
		keys[i] = sort.Column{At: k.col, Desc: k.desc}
	}
	o.sorted = sort.Over(&computing{o}, "Window", o.types, keys, o.bytesPerRow())
	err := o.sorted.Open(ctx.Within(o.account, nil))
	if o.onDisk = o.sorted.OnDisk(); err != nil || o.onDisk {
		return err
	}
	rows, order := o.sorted.InMemory()
	if rows == nil {
		return nil
	}
	if len(o.keys) == 0 {
		order = nil
	}
	err = o.over(rows, order)
	if errors.Is(err, sqlerr.OutOfMemory) && ctx.Spill != nil {
		o.drop()
		o.onDisk = true
		err = o.sorted.Spill()
	}
	return err
}

// collect collects the input in its own order and computes all functions.
func (o *Operator) collect() error {
	in := &computing{o}
	if err := in.Open(o.ctx); err != nil {
		return err
	}
	stores := make([]*colstore.Store, o.ctx.Workers)
	err := op.Drain(o.ctx, in, func(w int, s op.Stream) error {
		stores[w] = colstore.New(o.types, o.account)
		for {
			b, err := s.Next()
			if err != nil || b == nil {
				return err
			}
			if err := stores[w].Append(b); err != nil {
				return err
			}
		}
	})
	if err != nil {
		for _, s := range stores {
			s.Free()
		}
		return err
	}
	rows, err := colstore.Concat(o.ctx, stores...)
	if err != nil || rows.Rows() == 0 {
		rows.Free()
		return err
	}
	return o.over(rows, nil)
}

// over computes all functions over collected rows.
func (o *Operator) over(rows *colstore.Store, order []int32) error {
	o.rows, o.n, o.cols, o.order = rows, rows.Rows(), rows.Columns(), order
	if len(o.keys) > 0 {
		if err := o.findChanges(); err != nil {
			return err
		}
	}
	return o.compute()
}

// findChanges finds where keys change.
func (o *Operator) findChanges() (err error) {
	if o.levels, err = mem.Alloc[int16](o.account, o.n); err != nil {
		return err
	}
	keys := make([]*vec.Vector, o.compared())
	for i, k := range o.keys[:len(keys)] {
		keys[i] = o.cols[k.col]
	}
	return o.findLevels(keys)
}

// bytesPerRow estimates the bytes that a sorted row needs for its levels and results.
func (o *Operator) bytesPerRow() int64 { return 2 + 32*int64(o.results) }

// partition returns the number of partition keys of a window that drops rows. All its functions
// have the same.
func (o *Operator) partition() int { return o.specs[0].partition }

// prefix returns the number of leading keys that all functions are partitioned by.
func (o *Operator) prefix() int {
	n := len(o.keys)
	for _, s := range o.specs {
		n = min(n, s.partition)
	}
	return n
}

// row returns the collected row at a position.
func (o *Operator) row(pos int) int32 {
	if o.order == nil {
		return int32(pos)
	}
	return o.order[pos]
}

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return false }

// Close implements op.Operator.
func (o *Operator) Close() error {
	if o.sorted == nil {
		o.rows.Free()
	}
	o.drop()
	defer o.account.End() // the sort's memory is part of it
	if o.sorted != nil {
		return o.sorted.Close()
	}
	return o.in.Close()
}

// drop frees what was computed from the rows.
func (o *Operator) drop() {
	for _, r := range o.out {
		r.free()
	}
	o.levels.Free()
	o.rows, o.order, o.levels, o.out, o.cols = nil, nil, nil, nil, nil
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	if o.onDisk && o.taken.CompareAndSwap(false, true) {
		return o.newRunStream()
	}
	return &stream{o: o}, nil
}

// stream returns batches of positions. All streams share the positions.
type stream struct{ o *Operator }

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	for {
		b, err := s.next()
		if err != nil || b == nil || s.o.top == 0 {
			return b, err
		}
		if b = s.o.within(b); b.N > 0 {
			return b, nil
		}
	}
}

// within drops the rows of a batch whose rank exceeds the limit.
func (o *Operator) within(b *vec.Batch) *vec.Batch {
	rank := b.Cols[o.width+o.topBy].I64
	idx := make([]int32, 0, b.N)
	for i, x := range rank {
		if x <= o.top {
			idx = append(idx, int32(i))
		}
	}
	if len(idx) == b.N {
		return b
	}
	return vec.Select(b, idx)
}

func (s *stream) next() (*vec.Batch, error) {
	o := s.o
	if err := o.ctx.Err(); err != nil || o.rows == nil {
		return nil, err
	}
	size := o.ctx.Rows()
	lo := int(o.next.Add(int64(size))) - size
	hi := min(lo+size, o.n)
	if lo >= hi {
		return nil, nil
	}
	in := &vec.Batch{Cols: o.cols[:o.width], N: o.n}
	var b *vec.Batch
	if o.order == nil {
		b = in.Slice(lo, hi)
	} else {
		b = vec.Select(in, o.order[lo:hi])
	}
	b.N, b.Morsel = hi-lo, int64(lo/size)
	for _, r := range o.out {
		b.Cols = append(b.Cols, r.slice(lo, hi))
	}
	return b, nil
}

// Close implements op.Stream.
func (s *stream) Close() error { return nil }
