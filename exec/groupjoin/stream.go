package groupjoin

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// mapped is a stream that applies each to the batches of another one. It skips batches for which
// each returns nil.
type mapped struct {
	op.Stream
	ctx  *op.Ctx
	each func(*vec.Batch) (*vec.Batch, error)
}

// Next implements op.Stream.
func (m *mapped) Next() (*vec.Batch, error) {
	for {
		if err := m.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := m.Stream.Next()
		if b == nil || err != nil {
			return nil, err
		}
		if out, err := m.each(b); out != nil || err != nil {
			return out, err
		}
	}
}

// probeStream returns the rows of the probe side's batches with their aggregates.
type probeStream struct {
	o                 *Operator
	prober            *prober
	keyEvals, opEvals []*eval.Evaluator
	keys, operands    []*vec.Vector
	windowList        windowList
	results           []results
	sel               []int32 // rows of the input that are in the output
	all               []int32 // 0, 1, 2, ...
	composer          vec.Composer
	out               output
}

func (o *Operator) newProbeStream(in op.Stream) op.Stream {
	p := &probeStream{o: o, prober: newProber(o.index, o.operands), results: make([]results, len(o.measures)), out: newOutput(o.plan, len(o.passed), emittersOf(o.measures))}
	for _, prog := range o.keys {
		p.keyEvals = append(p.keyEvals, prog.NewEvaluator(o.ctx.Eval))
	}
	for _, prog := range o.values {
		p.opEvals = append(p.opEvals, prog.NewEvaluator(o.ctx.Eval))
	}
	return &mapped{in, o.ctx, p.batch}
}

func (p *probeStream) batch(b *vec.Batch) (*vec.Batch, error) {
	var err error
	if p.keys, err = evaluate(p.keyEvals, b, p.keys[:0]); err != nil {
		return nil, err
	}
	if p.operands, err = evaluate(p.opEvals, b, p.operands[:0]); err != nil {
		return nil, err
	}
	p.prober.find(b.N, p.keys, p.operands, &p.windowList)
	n := p.choose(b.N)
	if n == 0 {
		return nil, nil
	}
	for len(p.all) < n {
		p.all = append(p.all, int32(len(p.all)))
	}
	out := &p.out.batch
	out.N, out.Morsel = n, b.Morsel
	p.composer.Reset()
	for i, at := range p.o.passed {
		if out.Cols[i] = b.Cols[at]; n < b.N {
			out.Cols[i] = p.composer.View(b.Cols[at], p.sel)
		}
	}
	for i, m := range p.o.measures {
		r := &p.results[i]
		r.resize(m.layout(), n)
		if err := m.windows(&p.windowList, r); err != nil {
			return nil, err
		}
	}
	return out, p.out.emit(p.results, p.all[:n])
}

// choose compacts the windows to the rows of the output and returns their number.
func (p *probeStream) choose(n int) int {
	p.sel = p.sel[:0]
	for i := range n {
		if p.o.plan.Outer || p.windowList.rows(i) > 0 {
			p.windowList.move(len(p.sel), i)
			p.sel = append(p.sel, int32(i))
		}
	}
	p.windowList.cut(len(p.sel))
	return len(p.sel)
}

func evaluate(evals []*eval.Evaluator, b *vec.Batch, dst []*vec.Vector) ([]*vec.Vector, error) {
	for _, e := range evals {
		v, err := e.Eval(b)
		if err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// output makes batches of the columns of the probe side followed by the aggregates.
type output struct {
	plan     *physical.GroupJoin
	batch    vec.Batch
	passed   int // columns of the probe side
	emitters []emitter
	aggs     []*vec.Vector
}

func newOutput(plan *physical.GroupJoin, passed int, emitters []emitter) output {
	out := output{plan: plan, passed: passed, emitters: emitters, batch: vec.Batch{Cols: make([]*vec.Vector, passed+len(emitters))}}
	for _, a := range plan.Aggs {
		out.aggs = append(out.aggs, &vec.Vector{Type: a.T})
	}
	return out
}

func emittersOf[E emitter](list []E) (out []emitter) {
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

// emit writes the aggregates of rows sel of the results. A row without partners that an
// outer join keeps is one row of the join.
func (out *output) emit(rs []results, sel []int32) error {
	for i, e := range out.emitters {
		v := out.aggs[i]
		v.Resize(len(sel))
		if err := e.emit(&rs[i], sel, v); err != nil {
			return err
		}
		if a := out.plan.Aggs[i]; a.Fn == expr.Sum {
			for _, sum := range v.F64 { // empty except for floats
				if err := accum.Finite(sum, a); err != nil {
					return err
				}
			}
		}
		if out.plan.Outer && out.plan.Aggs[i].Fn == expr.CountStar {
			for k, n := range v.I64 {
				v.I64[k] = max(n, 1)
			}
		}
		out.batch.Cols[out.passed+i] = v
	}
	return nil
}
