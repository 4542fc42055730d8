package groupjoin

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// stabs tells whether the probe side's rows are found by one operand at most: then all rows
// of a cell have the same partners, and their aggregates are computed once a cell. These
// are stabbing queries (de Berg et al., "Computational Geometry", section 10.3), with
// aggregates in place of the intervals.
func (o *Operator) stabs() bool {
	for i := range o.operands {
		if !expr.Equal(o.operands[i].e, o.operands[0].e) || o.tests[o.operands[i].test].excludes() {
			return false
		}
	}
	return true
}

// stabbed are the aggregates of each cell of the indexed side's windows.
type stabbed struct {
	*division
	rows []int64       // partners
	aggs []*vec.Vector // as the output has them
}

// openStabbed reads the indexed side and computes the aggregates of its cells.
func (o *Operator) openStabbed() error {
	side, err := o.away.collect(o.ctx, false, o.build, o.account) // keys and texts lie there
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
	c := &covering{acct: o.account, cells: d.cuts.cells, from: d.cuts.from, to: d.cuts.to}
	var held holdings
	defer func() { held.free() }()
	if c.all, err = allocIn[int32](&held, o.account, c.cells+1); err != nil {
		return err
	}
	for i := range c.all {
		c.all[i] = int32(i)
	}
	return o.stabbed.aggregate(o, c, side.Keys[k+t:])
}

// mirrored gives the operator with the operands exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// aggregate computes the aggregates of all cells; values are the arguments'.
func (s *stabbed) aggregate(o *Operator, c *covering, values []*vec.Vector) error {
	n := c.cells + 1
	var err error
	if s.rows, err = allocIn[int64](&s.held, o.account, n); err != nil {
		return err
	}
	c.counts(nil, s.rows)
	for i, a := range o.plan.Aggs {
		var v *vec.Vector
		if at := o.argument[i]; at >= 0 {
			v = values[at]
		}
		out := &vec.Vector{Type: a.T}
		if err := s.room(o.account, out, n); err != nil {
			return err
		}
		if err := c.aggregate(a, v, out); err != nil {
			return err
		}
		if o.plan.Outer && a.Fn == expr.CountStar {
			for k, n := range out.I64 {
				out.I64[k] = max(n, 1)
			}
		}
		out.Fixed = true
		s.aggs = append(s.aggs, out)
		if err := o.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// room makes v flat with n values, which lie off the heap where they can.
func (s *stabbed) room(acct *mem.Account, v *vec.Vector, n int) error {
	var err error
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		v.I64, err = allocIn[int64](&s.held, acct, n)
	case types.KindF64:
		v.F64, err = allocIn[float64](&s.held, acct, n)
	case types.KindDec:
		v.Dec, err = allocIn[decimal128.Num](&s.held, acct, n)
	default:
		err = acct.Reserve(16 * int64(n))
	}
	if err == nil {
		v.Resize(n)
	}
	return err
}

// stabbing gives the rows of the probe side's batches with the aggregates of their cells.
type stabbing struct {
	placing
	o        *Operator
	s        *stabbed
	sel      []int32 // rows of the input that the output has
	of       []int32 // their cells
	composer vec.Composer
	out      vec.Batch
}

func (o *Operator) newStabbing(in op.Stream) op.Stream {
	s := &stabbing{o: o, s: o.stabbed, out: vec.Batch{Cols: make([]*vec.Vector, len(o.passed)+len(o.plan.Aggs))}}
	s.placing = s.s.placing(o.ctx.Eval, o.keys, o.operand())
	return &mapped{in, o.ctx, s.each}
}

// operand gives the one by which the probe side's rows are found, nil without tests.
func (o *Operator) operand() *eval.Program {
	if len(o.values) == 0 {
		return nil
	}
	return o.values[0]
}

func (s *stabbing) each(b *vec.Batch) (*vec.Batch, error) {
	if err := s.locate(b); err != nil {
		return nil, err
	}
	return s.batch(b), nil
}

func (s *stabbing) batch(b *vec.Batch) *vec.Batch {
	s.sel, s.of = s.sel[:0], s.of[:0]
	for i, k := range s.at {
		if s.o.plan.Outer || s.s.rows[k] > 0 {
			s.sel, s.of = append(s.sel, int32(i)), append(s.of, k)
		}
	}
	if len(s.sel) == 0 {
		return nil
	}
	s.composer.Reset()
	s.out.N, s.out.Morsel = len(s.sel), b.Morsel
	for i, at := range s.o.passed {
		if s.out.Cols[i] = b.Cols[at]; len(s.sel) < b.N {
			s.out.Cols[i] = s.composer.View(b.Cols[at], s.sel)
		}
	}
	for i, v := range s.s.aggs {
		s.out.Cols[len(s.o.passed)+i] = s.composer.View(v, s.of)
	}
	return &s.out
}
