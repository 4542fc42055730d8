package exec

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// workRows is what the last iteration of a recursive expression added. It changes only
// while no operator that reads it is open.
type workRows struct{ rows vec.Batch }

// workTable gives the rows of a recursive expression's last iteration; its streams share a
// cursor.
type workTable struct {
	from   *workRows
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
func (w *workTable) Stream() (op.Stream, error) { return w, nil }

// Close implements op.Operator, and op.Stream: a stream holds nothing of its own.
func (w *workTable) Close() error { return nil }

// Next implements op.Stream.
func (w *workTable) Next() (*vec.Batch, error) { return nextSlice(w.ctx, &w.from.rows, &w.cursor) }

// nextSlice gives the next run of rows behind a cursor that several goroutines move.
func nextSlice(ctx *op.Ctx, rows *vec.Batch, cursor *atomic.Int64) (*vec.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	size := int64(ctx.Rows())
	from := cursor.Add(size) - size
	if from >= int64(rows.N) {
		return nil, nil
	}
	b := rows.Slice(int(from), int(min(from+size, int64(rows.N))))
	b.Morsel = from / size
	return b, nil
}
