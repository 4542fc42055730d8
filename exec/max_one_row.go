package exec

import (
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// maxOneRow guards a scalar subquery: it returns an error at a second row, and a row of NULLs if
// its input has no rows.
type maxOneRow struct {
	node *physical.Node
	in   op.Operator
}

func newMaxOneRow(n *physical.Node, in op.Operator) (*maxOneRow, error) {
	return &maxOneRow{n, in}, nil
}

// Open implements op.Operator.
func (m *maxOneRow) Open(ctx *op.Ctx) error { return m.in.Open(ctx) }

// Ordered implements op.Operator: there is only one row.
func (m *maxOneRow) Ordered() bool { return true }

// Stream implements op.Operator.
func (m *maxOneRow) Stream() (op.Stream, error) {
	s, err := m.in.Stream()
	if err != nil {
		return nil, err
	}
	return &oneRow{Stream: s, node: m.node}, nil
}

// Close implements op.Operator.
func (m *maxOneRow) Close() error { return m.in.Close() }

type oneRow struct {
	op.Stream
	node *physical.Node
	done bool
}

// Next implements op.Stream.
func (o *oneRow) Next() (*vec.Batch, error) {
	if o.done {
		return nil, nil
	}
	o.done = true
	b, err := o.Stream.Next()
	if err != nil {
		return nil, err
	}
	if b == nil {
		return o.nulls(), nil
	}
	row := &vec.Batch{N: 1, Cols: make([]*vec.Vector, len(b.Cols))}
	for i, c := range b.Cols {
		row.Cols[i] = clone(nil, c.Slice(0, 1))
	}
	if b.N == 1 {
		b, err = o.Stream.Next()
	}
	if b != nil {
		return nil, sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
	}
	return row, err
}

func (o *oneRow) nulls() *vec.Batch {
	b := &vec.Batch{N: 1}
	for _, c := range o.node.Cols {
		b.Cols = append(b.Cols, vec.NewNull(c.T, 1))
	}
	return b
}
