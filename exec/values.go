package exec

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// values returns literal rows; its streams share a cursor.
type values struct {
	node   *physical.Node
	rows   [][]expr.Expr
	ctx    *op.Ctx
	cursor atomic.Int64
}

func newValues(_ *Inputs, n *physical.Node) (op.Operator, error) {
	return &values{node: n, rows: n.Op.(*physical.Values).Rows}, nil
}

// Open implements op.Operator.
func (v *values) Open(ctx *op.Ctx) error {
	v.ctx = ctx
	v.cursor.Store(0)
	return nil
}

// Ordered implements op.Operator.
func (v *values) Ordered() bool { return false }

// Stream implements op.Operator.
func (v *values) Stream() (op.Stream, error) { return v, nil }

// Close implements op.Operator, and op.Stream: a stream holds nothing of its own.
func (v *values) Close() error { return nil }

// Next implements op.Stream. Each batch is new, so other goroutines may use it.
func (v *values) Next() (*vec.Batch, error) {
	if err := v.ctx.Err(); err != nil {
		return nil, err
	}
	size := int64(v.ctx.Rows())
	from := v.cursor.Add(size) - size
	if from >= int64(len(v.rows)) {
		return nil, nil
	}
	rows := v.rows[from:min(from+size, int64(len(v.rows)))]
	b := &vec.Batch{N: len(rows), Morsel: from / size, Cols: make([]*vec.Vector, len(v.node.Cols))}
	for c := range b.Cols {
		col, err := v.column(rows, c)
		if err != nil {
			return nil, err
		}
		b.Cols[c] = col
	}
	return b, nil
}

func (v *values) column(rows [][]expr.Expr, c int) (*vec.Vector, error) {
	out := vec.NewFlat(v.node.Cols[c].T, len(rows))
	for i, row := range rows {
		d, err := value(row[c], v.ctx.Eval)
		if err != nil {
			return nil, err
		}
		d.Put(out, i)
	}
	return out, nil
}

func value(e expr.Expr, ctx kernel.Ctx) (catalog.Datum, error) {
	if c, ok := e.(*expr.Const); ok {
		return c.Value, nil
	}
	return eval.Const(e, ctx)
}
