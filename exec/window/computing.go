package window

import (
	"slices"

	"gsql/exec/op"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// computing is the operator's input with the computed columns appended.
type computing struct{ o *Operator }

// Open implements op.Operator. It opens the input in the operator's own context, so that the
// input's memory is separate from the window's, in which its consumer runs.
func (c *computing) Open(*op.Ctx) error { return c.o.in.Open(c.o.ctx) }

// Ordered implements op.Operator.
func (c *computing) Ordered() bool { return c.o.in.Ordered() }

// Close implements op.Operator.
func (c *computing) Close() error { return c.o.in.Close() }

// Stream implements op.Operator.
func (c *computing) Stream() (op.Stream, error) {
	in, err := c.o.in.Stream()
	if err != nil {
		return nil, err
	}
	s := &computed{Stream: in, o: c.o, evals: make([]*eval.Evaluator, len(c.o.programs)), rows: eval.Divider{Whole: slices.ContainsFunc(c.o.computed, expr.Volatile)}}
	for i, p := range c.o.programs {
		s.evals[i] = p.NewEvaluator(c.o.ctx.Eval)
	}
	if c.o.top > 0 {
		return &topStream{in: s, o: c.o}, nil
	}
	return s, nil
}

type computed struct {
	op.Stream
	o     *Operator
	evals []*eval.Evaluator
	batch vec.Batch
	rows  eval.Divider
}

// Next implements op.Stream.
func (s *computed) Next() (*vec.Batch, error) {
	if err := s.o.ctx.Err(); err != nil {
		return nil, err
	}
	if s.rows.Done() {
		b, err := s.Stream.Next()
		if err != nil || b == nil {
			return nil, err
		}
		s.rows.Add(b)
	}
	if err := s.rows.Compute(s.compute); err != nil {
		return nil, err
	}
	return &s.batch, nil
}

// compute makes s.batch the rows of b with the computed columns appended.
func (s *computed) compute(b *vec.Batch) error {
	for _, e := range s.evals {
		e.Release()
	}
	s.batch.N, s.batch.Morsel = b.N, b.Morsel
	s.batch.Cols = append(s.batch.Cols[:0], b.Cols...)
	for _, e := range s.evals {
		v, err := e.Eval(b)
		if err != nil {
			return err
		}
		s.batch.Cols = append(s.batch.Cols, v)
	}
	return nil
}

// Close implements op.Stream.
func (s *computed) Close() error {
	for _, e := range s.evals {
		e.Free()
	}
	return s.Stream.Close()
}
