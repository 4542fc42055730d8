// Package rollup adds to groups the groups of each prefix of their keys. The rows of a level are
// collected, and an aggregation over them makes those of the next coarser level, so that each row is
// grouped again at most once. Collected rows spill when memory is scarce.
package rollup

import (
	"errors"
	"slices"
	"sync/atomic"

	"gsql/exec/agg"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Operator is the Rollup operator.
type Operator struct {
	in      op.Operator
	closed  bool             // in
	finest  []int            // columns of in: the distinct keys, then the values to merge
	cols    []logical.Column // of the finest level, in this order
	keyAt   []int            // positions of the keys in cols
	keys    int              // distinct keys, which come first in cols
	aggs    []*expr.Agg
	ctx     *op.Ctx
	account *mem.Account
	levels  []*level // the finest first
	cursor  atomic.Int64
}

// New makes the operator of a physical.Rollup.
func New(n *physical.Node, in op.Operator) (*Operator, error) {
	plan := n.Op.(*physical.Rollup)
	o := &Operator{in: in, aggs: plan.Aggs}
	cols := n.In[0].Cols
	for _, k := range plan.Keys {
		at, err := position(cols, k)
		if err != nil {
			return nil, err
		}
		i := slices.Index(o.finest, at)
		if i < 0 {
			i = len(o.finest)
			o.finest, o.cols = append(o.finest, at), append(o.cols, cols[at])
		}
		o.keyAt = append(o.keyAt, i)
	}
	o.keys = len(o.cols)
	for _, a := range plan.Aggs {
		at, err := position(cols, a.Args[0])
		if err != nil {
			return nil, err
		}
		o.finest, o.cols = append(o.finest, at), append(o.cols, cols[at])
	}
	return o, nil
}

// position returns the position of the column e among cols.
func position(cols []logical.Column, e expr.Expr) (int, error) {
	if c, ok := e.(*expr.Col); ok {
		if at := slices.IndexFunc(cols, func(col logical.Column) bool { return col.ID == c.ID }); at >= 0 {
			return at, nil
		}
	}
	return 0, sqlerr.Internal("a rollup of %s, which its input lacks", e)
}

// Open implements op.Operator. It computes all levels.
func (o *Operator) Open(ctx *op.Ctx) error {
	o.ctx, o.account = ctx, ctx.Account("Rollup")
	if err := o.in.Open(ctx); err != nil {
		return err
	}
	l := newLevel(o, len(o.keyAt))
	o.levels = append(o.levels, l)
	if err := l.collect(ctx, o.in, o.finest); err != nil {
		return err
	}
	for ; l.depth > 0 && l.rows > 0; l = o.levels[len(o.levels)-1] {
		if err := o.coarser(l); err != nil {
			return err
		}
	}
	return nil
}

// coarser computes the level above l.
func (o *Operator) coarser(l *level) error {
	up := newLevel(o, l.depth-1)
	o.levels = append(o.levels, up)
	groups, err := agg.New(l.grouping(up), &scan{level: l})
	if err != nil {
		return err
	}
	up.source = groups
	ctx := *o.ctx
	if l.rows <= fewRows {
		ctx.Workers = 1
	}
	if err := groups.Open(&ctx); err != nil {
		return err
	}
	return up.collect(&ctx, groups, nil)
}

// fewRows is the number of rows up to which one worker groups them.
const fewRows = 20_000

// Ordered implements op.Operator.
func (o *Operator) Ordered() bool { return false }

// Close implements op.Operator.
func (o *Operator) Close() error {
	var err error
	for _, l := range o.levels {
		err = errors.Join(err, l.free())
	}
	o.levels = nil
	o.account.End()
	return errors.Join(err, o.closeInput())
}

// closeInput closes the input once.
func (o *Operator) closeInput() error {
	if o.closed {
		return nil
	}
	o.closed = true
	return o.in.Close()
}

// typesOf returns the types of columns.
func typesOf(cols []logical.Column) []types.Type {
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = c.T
	}
	return out
}
