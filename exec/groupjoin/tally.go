package groupjoin

import (
	"math"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// tally is one worker's result over its share of the streamed side: the number of rows in each cell
// and the aggregates of their arguments.
type tally struct {
	cellFinder
	s      *streamed
	args   []*eval.Evaluator
	valued []int32 // the cells of a batch's rows, except for NULLs

	rows  *mem.Buffer[int64]
	nulls []*mem.Buffer[int64] // by argument; nil until there is a NULL
	cells []aggCells           // by aggregate; nil for COUNT
}

func (s *streamed) newTally() (*tally, error) {
	o := s.o
	t := &tally{s: s, cellFinder: s.cellFinder(o.ctx.Eval, o.streaming.keys, o.streaming.operand), nulls: make([]*mem.Buffer[int64], len(o.streaming.args)), cells: make([]aggCells, len(o.plan.Aggs))}
	for _, a := range o.streaming.args {
		e := a.prog.NewEvaluator(o.ctx.Eval)
		if !a.extreme {
			e.AllowNarrow()
		}
		t.args = append(t.args, e)
	}
	var err error
	if t.rows, err = mem.Alloc[int64](o.account, s.cuts.cells+1); err != nil {
		return nil, err
	}
	for i, a := range o.plan.Aggs {
		if t.cells[i], err = newCells(a, s.cuts.cells+1, o.account); err != nil {
			t.free()
			return nil, err
		}
	}
	return t, nil
}

// newCells makes the cells of an aggregate.
func newCells(a *expr.Agg, cells int, acct *mem.Account) (aggCells, error) {
	if a.Fn == expr.Count || a.Fn == expr.CountStar {
		return nil, nil
	}
	t := a.Args[0].Type()
	kind := t.Kind()
	switch {
	case a.Fn == expr.Sum && kind == types.KindF64:
		return newFloatCells(acct, cells)
	case a.Fn == expr.Sum:
		return newExactCells(acct, cells)
	case kind == types.KindStr || kind == types.KindDec:
		return newValueCells(acct, t, a.Fn == expr.Max, cells)
	case a.Fn == expr.Max:
		return newWordCells(acct, cells, math.MaxUint64)
	}
	return newWordCells(acct, cells, 0)
}

// drain adds all rows of a stream of the streamed side.
func (t *tally) drain(in op.Stream) error {
	for {
		if err := t.s.o.ctx.Err(); err != nil {
			return err
		}
		b, err := in.Next()
		if b == nil || err != nil {
			return err
		}
		if err := t.add(b); err != nil {
			return err
		}
	}
}

// add adds a batch of the streamed side.
func (t *tally) add(b *vec.Batch) error {
	if err := t.locate(b); err != nil {
		return err
	}
	rows := t.rows.S
	for _, k := range t.at {
		rows[k]++
	}
	for i, e := range t.args {
		v, err := e.Eval(b)
		if err != nil {
			return err
		}
		if err := t.addArgument(i, v.Tighten(&t.flat)); err != nil {
			return err
		}
	}
	return nil
}

// addArgument adds the values of argument i, which are flat, to the aggregates of the argument.
func (t *tally) addArgument(i int, v *vec.Vector) error {
	at, last := t.at, t.none()
	if v.Null != nil || v.Type.ID == types.Null {
		if t.nulls[i] == nil {
			var err error
			if t.nulls[i], err = mem.Alloc[int64](t.s.o.account, int(last)+1); err != nil {
				return err
			}
		}
		nulls := t.nulls[i].S
		t.valued = append(t.valued[:0], at...)
		at = t.valued
		for k, cell := range at {
			if v.Null == nil || v.Null[k] {
				nulls[cell]++
				at[k] = last
			}
		}
	}
	for _, agg := range t.s.o.streaming.args[i].aggs {
		if c := t.cells[agg]; c != nil {
			c.add(at, v)
		}
	}
	return nil
}

// merge adds another worker's tally and frees it.
func (t *tally) merge(o *tally) {
	add := func(dst, src []int64) {
		for i, n := range src {
			dst[i] += n
		}
	}
	add(t.rows.S, o.rows.S)
	for i, n := range o.nulls {
		switch {
		case n == nil:
		case t.nulls[i] == nil:
			t.nulls[i], o.nulls[i] = n, nil
		default:
			add(t.nulls[i].S, n.S)
		}
	}
	for i, c := range t.cells {
		if c != nil {
			c.merge(o.cells[i])
		}
	}
	o.free()
}

func (t *tally) free() {
	if t == nil {
		return
	}
	t.rows.Free()
	for _, n := range t.nulls {
		n.Free()
	}
	for _, c := range t.cells {
		if c != nil {
			c.free()
		}
	}
}
