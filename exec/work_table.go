package exec

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// workTable returns the rows that the last iteration of a recursive expression added. They change
// only while no operator that reads them is open.
type workTable struct {
	from   *pieces
	ctx    *op.Ctx
	cursor atomic.Int64
}

func newWorkTable(b *Inputs, n *physical.Node) (op.Operator, error) {
	plan := n.Op.(*physical.WorkTable)
	from := b.work[plan.Work]
	if from == nil {
		return nil, sqlerr.Internal("work table %s outside its recursive expression", plan.Alias)
	}
	return &workTable{from: from}, nil
}

// Open implements op.Operator.
func (w *workTable) Open(ctx *op.Ctx) error {
	w.ctx = ctx
	w.cursor.Store(0)
	return nil
}

// Ordered implements op.Operator.
func (w *workTable) Ordered() bool { return false }

// Stream implements op.Operator.
func (w *workTable) Stream() (op.Stream, error) { return w.from.stream(w.ctx, &w.cursor), nil }

// Close implements op.Operator.
func (w *workTable) Close() error { return nil }
