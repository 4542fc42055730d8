package exec

import (
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// project computes expressions; plain columns pass through without being copied.
type project struct {
	in       op.Operator
	programs []*eval.Program
	columns  bool // nothing is computed
	whole    bool // rows must not be computed a second time
	narrow   bool // results may be Narrow
	ctx      *op.Ctx
}

func newProject(n *physical.Node, in op.Operator) (*project, error) {
	p := &project{in: in, columns: true}
	ids := colIDs(n.In[0])
	for _, e := range n.Op.(*physical.Project).Exprs {
		prog, err := eval.Compile(e, ids)
		if err != nil {
			return nil, err
		}
		p.programs = append(p.programs, prog)
		_, column := e.(*expr.Col)
		p.columns, p.whole = p.columns && column, p.whole || expr.Volatile(e)
	}
	return p, nil
}

// Open implements op.Operator.
func (p *project) Open(ctx *op.Ctx) error {
	p.ctx = ctx
	op.AllowNarrow(p.in)
	return p.in.Open(ctx)
}

// AllowNarrow implements op.Narrowing.
func (p *project) AllowNarrow() { p.narrow = true }

// AllowPassing implements op.Passing. It is ignored if expressions are computed, because
// functions may keep texts of their arguments.
func (p *project) AllowPassing() {
	if p.columns {
		op.AllowPassing(p.in)
	}
}

// Ordered implements op.Operator.
func (p *project) Ordered() bool { return p.in.Ordered() }

// Stream implements op.Operator.
func (p *project) Stream() (op.Stream, error) {
	s, err := p.in.Stream()
	if err != nil {
		return nil, err
	}
	out := &projecting{Stream: s, evals: make([]*eval.Evaluator, len(p.programs)), rows: eval.Divider{Whole: p.whole}}
	for i, prog := range p.programs {
		out.evals[i] = prog.NewEvaluator(p.ctx.Eval)
		if p.narrow {
			out.evals[i].AllowNarrow()
		}
	}
	out.batch.Cols = make([]*vec.Vector, len(out.evals))
	return out, nil
}

// Close implements op.Operator.
func (p *project) Close() error { return p.in.Close() }

// projecting computes the rows of its stream.
type projecting struct {
	op.Stream
	evals []*eval.Evaluator
	batch vec.Batch
	rows  eval.Divider
}

// Next implements op.Stream.
func (p *projecting) Next() (*vec.Batch, error) {
	if p.rows.Done() {
		b, err := p.Stream.Next()
		if b == nil || err != nil {
			for _, e := range p.evals {
				e.Free()
			}
			return nil, err
		}
		p.rows.Add(b)
	}
	if err := p.rows.Compute(p.compute); err != nil {
		return nil, err
	}
	return &p.batch, nil
}

// compute computes the rows of b.
func (p *projecting) compute(b *vec.Batch) (err error) {
	for _, e := range p.evals {
		e.Release()
	}
	for i, e := range p.evals {
		if p.batch.Cols[i], err = e.Eval(b); err != nil {
			return err
		}
	}
	p.batch.N, p.batch.Morsel = b.N, b.Morsel
	return nil
}

// Close implements op.Stream.
func (p *projecting) Close() error {
	for _, e := range p.evals {
		e.Free()
	}
	return p.Stream.Close()
}
