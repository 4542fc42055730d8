package groupjoin

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/exec/keyenc"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// measure makes the measure of aggregate i over the cells.
func (s *streamed) measure(i int, t *tally) (measure, error) {
	o := s.o
	a, arg := o.plan.Aggs[i], o.streaming.of[i]
	var nulls []int64
	if arg >= 0 && t.nulls[arg] != nil {
		nulls = t.nulls[arg].S
	}
	p, err := s.presence(t.rows.S, nulls)
	if err != nil {
		return nil, err
	}
	m, err := s.measureOf(a, p, t.cells[i])
	if err != nil {
		p.free()
	}
	return m, err
}

func (s *streamed) measureOf(a *expr.Agg, p *presence, of aggCells) (measure, error) {
	acct, cells := s.o.account, s.cuts.cells
	switch c := of.(type) {
	case *exactCells:
		return c.measure(a, p, acct)
	case floatCells:
		tree, err := mem.Alloc[accum.Float](acct, 2*treeSize(cells))
		if err != nil {
			return nil, err
		}
		copy(tree.S[treeSize(cells):], c.S[:cells])
		buildFloats(tree.S)
		return &floatSums{presence: p, tree: tree}, nil
	case nil:
		return &counting{presence: p}, nil
	}
	rows, err := mem.Alloc[int32](acct, cells)
	if err != nil {
		return nil, err
	}
	defer rows.Free()
	for k := range rows.S {
		rows.S[k] = int32(k)
	}
	return newExtremes(s.o.ctx, a.Fn == expr.Max, p, extremesOf(a.Args[0].Type(), p, of, cells), rows.S, acct)
}

// measure makes a measure with prefix sums.
func (c *exactCells) measure(a *expr.Agg, p *presence, acct *mem.Account) (measure, error) {
	m := &exactSums{exactOut: exactOut{a.String(), int(a.Args[0].Type().Scale), !c.used}, presence: p}
	cells := len(c.small.S) - 1
	var err error
	if m.small {
		if m.sums, err = mem.Alloc[int64](acct, cells+1); err != nil {
			return nil, err
		}
		for k, x := range c.small.S[:cells] {
			m.sums.S[k+1] = m.sums.S[k] + x
		}
		return m, nil
	}
	c.flush()
	if m.prefix, err = mem.Alloc[accum.Exact](acct, cells+1); err != nil {
		return nil, err
	}
	var sum accum.Exact
	for k, x := range c.wide.S[:cells] {
		c.ok = sum.AddChecked(x.Lo, x.Hi) && c.ok
		m.prefix.S[k+1] = sum
	}
	if !c.ok {
		m.prefix.Free()
		return nil, m.overflow()
	}
	return m, nil
}

// extremesOf returns the extreme of each cell as a vector.
func extremesOf(t types.Type, p *presence, of aggCells, cells int) *vec.Vector {
	v := &vec.Vector{Type: t, N: cells}
	switch c := of.(type) {
	case *valueCells[string]:
		v.Str, v.Null = c.best[:cells], absent(c.met[:cells])
	case *valueCells[decimal128.Num]:
		v.Dec, v.Null = c.best[:cells], absent(c.met[:cells])
	case *wordCells:
		v.Resize(cells)
		for k, w := range c.S[:cells] {
			if p.has(int32(k)) {
				keyenc.DecodeOrderKey(v, k, w^c.flip)
			}
		}
	}
	return v
}

func absent(met []bool) []bool {
	out := make([]bool, len(met))
	for i, m := range met {
		out[i] = !m
	}
	return out
}
