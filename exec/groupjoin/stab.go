package groupjoin

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// stabs reports whether the probe side has at most one operand: then all rows of a cell have the
// same partners, and aggregates are computed once per cell. These are stabbing queries (de Berg
// et al., "Computational Geometry", section 10.3), with aggregates instead of the intervals.
func (o *Operator) stabs() bool {
	for i := range o.operands {
		if !expr.Equal(o.operands[i].e, o.operands[0].e) || o.tests[o.operands[i].test].excludes() {
			return false
		}
	}
	return true
}

// stabbed holds the aggregates of each cell of the indexed side's windows.
type stabbed struct {
	*division
	rows     []int64 // partners
	results  []results
	emitters []emitter
	held     mem.Buffers // of results
}

func (s *stabbed) free() {
	s.held.Free()
	s.division.free()
}

// openStabbed reads the indexed side and computes the aggregates of its cells.
func (o *Operator) openStabbed() error {
	side, err := o.spilling.collect(o.ctx, false, o.build, &o.closed[1], o.account) // keys and texts are included
	if err != nil {
		return err
	}
	k, t := len(o.nullSafe), len(o.tests)
	dual := &test{}
	for i := range o.tests {
		for _, c := range o.tests[i].conds {
			dual.conds = append(dual.conds, cond{mirrored[c.op], i})
		}
	}
	d, err := o.divide(side.Rows, side.Keys[:k], side.Keys[k:k+t], dual)
	if err != nil {
		return err
	}
	o.stabbed = &stabbed{division: d}
	return o.stabbed.aggregate(o, side.Keys[k+t:])
}

// mirrored maps a comparison to the one with its operands exchanged.
var mirrored = map[expr.FuncID]expr.FuncID{expr.FuncLT: expr.FuncGT, expr.FuncLE: expr.FuncGE, expr.FuncGT: expr.FuncLT, expr.FuncGE: expr.FuncLE}

// aggregate computes the aggregates of all cells. values are those of the arguments.
func (s *stabbed) aggregate(o *Operator, values []*vec.Vector) (err error) {
	c := &covering{ctx: o.ctx, acct: o.account, cells: s.cuts.cells, from: s.cuts.from, to: s.cuts.to, held: &s.held}
	if c.rows, err = c.counts(nil); err != nil {
		return err
	}
	s.rows = c.rows
	for i, a := range o.plan.Aggs {
		var v *vec.Vector
		if at := o.argument[i]; at >= 0 {
			v = values[at]
		}
		e, r, err := c.aggregate(a, v)
		if err != nil {
			return err
		}
		s.emitters, s.results = append(s.emitters, e), append(s.results, r)
		if err := o.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// stabStream returns the rows of the probe side's batches with the aggregates of their cells.
type stabStream struct {
	cellFinder
	o        *Operator
	s        *stabbed
	sel      []int32 // rows of the input that are in the output
	of       []int32 // their cells
	composer vec.Composer
	out      output
}

func (o *Operator) newStabStream(in op.Stream) op.Stream {
	s := &stabStream{o: o, s: o.stabbed, out: newOutput(o.plan, len(o.passed), o.stabbed.emitters)}
	s.cellFinder = s.s.cellFinder(o.ctx.Eval, o.keys, o.operand())
	return &mapped{in, o.ctx, s.each}
}

// operand returns the operand by which the probe side's rows are found, or nil if there are no
// tests.
func (o *Operator) operand() *eval.Program {
	if len(o.values) == 0 {
		return nil
	}
	return o.values[0]
}

func (s *stabStream) each(b *vec.Batch) (*vec.Batch, error) {
	if err := s.locate(b); err != nil {
		return nil, err
	}
	s.sel, s.of = s.sel[:0], s.of[:0]
	for i, k := range s.at {
		if s.o.plan.Outer || s.s.rows[k] > 0 {
			s.sel, s.of = append(s.sel, int32(i)), append(s.of, k)
		}
	}
	if len(s.sel) == 0 {
		return nil, nil
	}
	s.composer.Reset()
	out := &s.out.batch
	out.N, out.Morsel = len(s.sel), b.Morsel
	for i, at := range s.o.passed {
		if out.Cols[i] = b.Cols[at]; len(s.sel) < b.N {
			out.Cols[i] = s.composer.View(b.Cols[at], s.sel)
		}
	}
	return out, s.out.emit(s.s.results, s.of)
}
