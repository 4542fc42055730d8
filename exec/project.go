package exec

import (
	"errors"
	"math"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// project computes expressions; plain columns pass through without being copied.
type project struct {
	in       op.Operator
	programs []*eval.Program
	columns  bool // nothing is computed
	divides  bool // rows may be computed a second time
	narrow   bool // results may be Narrow
	ctx      *op.Ctx
}

func newProject(n *physical.Node, in op.Operator) (*project, error) {
	p := &project{in: in, columns: true, divides: true}
	ids := colIDs(n.In[0])
	for _, e := range n.Op.(*physical.Project).Exprs {
		prog, err := eval.Compile(e, ids)
		if err != nil {
			return nil, err
		}
		p.programs = append(p.programs, prog)
		_, column := e.(*expr.Col)
		p.columns, p.divides = p.columns && column, p.divides && !expr.Volatile(e)
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
	out := &projecting{Stream: s, evals: make([]*eval.Evaluator, len(p.programs)), divides: p.divides, step: math.MaxInt}
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

// projecting computes the rows of its stream a batch at a time, or in smaller pieces once the values of
// a batch did not fit in memory.
type projecting struct {
	op.Stream
	evals   []*eval.Evaluator
	batch   vec.Batch
	divides bool
	step    int        // rows computed at a time, at most
	rest    *vec.Batch // rows of the last input batch that are still to be computed; nil for none
}

// Next implements op.Stream.
func (p *projecting) Next() (*vec.Batch, error) {
	if p.rest == nil {
		b, err := p.Stream.Next()
		if b == nil || err != nil {
			for _, e := range p.evals {
				e.Free()
			}
			return nil, err
		}
		p.rest = b
	}
	for {
		b := p.rest
		if p.step < b.N {
			b = b.Slice(0, p.step)
		}
		err := p.compute(b)
		if err == nil {
			if b.N < p.rest.N {
				p.rest = p.rest.Slice(b.N, p.rest.N)
			} else {
				p.rest = nil
			}
			return &p.batch, nil
		}
		if b.N < 2 || !p.divides || !errors.Is(err, sqlerr.OutOfMemory) {
			return nil, err
		}
		p.step = b.N / 2
	}
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
