package groupjoin

import (
	"math"
	"slices"

	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// tally is what one worker makes of its share of the streamed side: how many rows each cell
// has, and the aggregates of their arguments.
type tally struct {
	s        *streamed
	keyEvals []*eval.Evaluator
	operand  *eval.Evaluator // nil without a test
	args     []*eval.Evaluator
	keys     []*vec.Vector
	flat     vec.Vector
	finder   finder
	skip     []bool
	group    []int32
	words    []uint64
	at       []int32 // the cell of each row of a batch
	valued   []int32 // the same, but for NULLs

	rows  *mem.Buffer[int64]
	nulls []*mem.Buffer[int64] // by argument; nil until there is one
	cells []aggCells           // by aggregate; nil for COUNT
}

func (s *streamed) newTally() (*tally, error) {
	o := s.o
	t := &tally{s: s, finder: finder{directory: s.groups}, nulls: make([]*mem.Buffer[int64], len(o.streaming.args)), cells: make([]aggCells, len(o.plan.Aggs))}
	for _, p := range o.streaming.keys {
		t.keyEvals = append(t.keyEvals, p.NewEvaluator(o.ctx.Eval))
	}
	if p := o.streaming.operand; p != nil {
		t.operand = p.NewEvaluator(o.ctx.Eval)
	}
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

// drain takes a stream of the streamed side.
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

// add takes a batch of the streamed side.
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

// addArgument adds the values of argument i, which are flat, to its aggregates.
func (t *tally) addArgument(i int, v *vec.Vector) error {
	at, last := t.at, int32(t.s.cuts.cells)
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

// locate finds the cells of a batch's rows.
func (t *tally) locate(b *vec.Batch) error {
	t.skip = slices.Grow(t.skip[:0], b.N)[:b.N]
	clear(t.skip)
	t.at = slices.Grow(t.at[:0], b.N)[:b.N]
	if t.s.groups != nil {
		var err error
		if t.keys, err = evaluate(t.keyEvals, b, t.keys[:0]); err != nil {
			return err
		}
		skipUnequal(flattened(t.keys), t.s.o.nullSafe, t.skip)
		t.group = slices.Grow(t.group[:0], b.N)[:b.N]
		t.finder.groups(t.keys, t.group)
	}
	var v *vec.Vector
	if t.operand != nil {
		var err error
		if v, err = t.operand.Eval(b); err != nil {
			return err
		}
		v = v.Flatten(&t.flat)
	}
	t.find(v)
	last := int32(t.s.cuts.cells)
	for i, skip := range t.skip {
		if skip {
			t.at[i] = last
		}
	}
	return nil
}

// find writes the cells of rows with the operand v, which is nil without a test.
func (t *tally) find(v *vec.Vector) {
	c := t.s.cuts
	if v == nil {
		for i := range t.at {
			t.at[i] = t.inGroup(i, 0)
		}
		return
	}
	coder, kind := t.s.o.tests[0].coder, v.Type.Kind()
	if t.s.groups == nil && coder.ranks == nil && (kind == types.KindI64 || kind == types.KindU64) {
		base := uint64(0)
		if kind == types.KindI64 {
			base = 1 << 63
		}
		search.AllUpTo(c.find, v.I64, base, t.at)
		for i, null := range v.Null {
			t.skip[i] = t.skip[i] || null
		}
		return
	}
	t.words = slices.Grow(t.words[:0], len(t.at))[:len(t.at)]
	coder.encode(t.words, v, t.skip)
	if t.s.groups == nil {
		search.AllUpTo(c.find, t.words, 0, t.at)
		return
	}
	for i, w := range t.words {
		t.at[i] = t.inGroup(i, w)
	}
}

// inGroup gives the cell of a word in the group of row i.
func (t *tally) inGroup(i int, w uint64) int32 {
	switch {
	case t.s.groups == nil:
		return t.s.cuts.cell(0, w)
	case t.group[i] < 0:
		return int32(t.s.cuts.cells)
	}
	return t.s.cuts.cell(t.group[i], w)
}

// merge adds what another worker has, and frees it.
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
