package eval

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// Filter is a compiled conjunction. The conjuncts are applied in the given order, each to the
// rows that passed the previous ones. It is immutable.
type Filter struct {
	conjuncts []conjunct
	never     bool // some conjunct is a constant that is not TRUE
}

// conjunct is one predicate: either a program, or a condition that writes row numbers directly.
type conjunct struct {
	program *Program // nil for conditions
	direct  *condition
	whole   bool // computing rows a second time would change something
}

// CompileFilter returns a filter that passes the rows for which every predicate is TRUE.
// Predicates are split at AND.
func CompileFilter(preds []expr.Expr, input []expr.ColID) (*Filter, error) {
	f := &Filter{}
	var fold folder
	for _, p := range preds {
		p, err := fold.fold(expr.Truth(p))
		if err != nil {
			return nil, err
		}
		for _, e := range expr.Conjuncts(p) {
			if c, ok := e.(*expr.Const); ok {
				f.never = f.never || !isTrue(c.Value)
				continue
			}
			c, err := compileConjunct(e, input)
			if err != nil {
				return nil, err
			}
			f.conjuncts = append(f.conjuncts, c)
		}
	}
	return f, nil
}

func compileConjunct(e expr.Expr, input []expr.ColID) (conjunct, error) {
	if c := directCondition(e, input); c != nil {
		return conjunct{direct: c}, nil
	}
	p, err := compileFolded(e, input)
	return conjunct{program: p, whole: expr.Volatile(e)}, err
}

// FilterEvaluator runs a filter for one worker.
type FilterEvaluator struct {
	f        *Filter
	programs []*Evaluator
	pieces   []Divider  // of the batches of the programs
	rows     [2][]int32 // passing rows: one list is read while the other is written
	chooser  chooser
	masks    masks
	spare    vec.Vector
}

// NewEvaluator returns an evaluator that runs f.
func (f *Filter) NewEvaluator(ctx kernel.Ctx) *FilterEvaluator {
	ev := &FilterEvaluator{f: f, programs: make([]*Evaluator, len(f.conjuncts)), pieces: make([]Divider, len(f.conjuncts))}
	for i, c := range f.conjuncts {
		ev.pieces[i].Whole = c.whole
		if c.program != nil {
			ev.programs[i] = c.program.NewEvaluator(ctx)
		}
	}
	return ev
}

// Free releases the memory of texts. The evaluator must not be used again.
func (ev *FilterEvaluator) Free() {
	for _, p := range ev.programs {
		if p != nil {
			p.Free()
		}
	}
}

// Select returns the rows of b for which every predicate is TRUE, in ascending order. If all is
// set, every row qualifies and idx is nil. idx is valid until the next Select.
func (ev *FilterEvaluator) Select(b *vec.Batch) (idx []int32, all bool, err error) {
	if ev.f.never {
		return nil, b.N == 0, nil
	}
	rows, applied := ev.masked(b)
	free := 0 // the list that rows does not use
	if len(rows.idx) > 0 {
		free = 1
	} else if !rows.all {
		return nil, false, nil
	}
	for i := applied; i < len(ev.f.conjuncts); i++ {
		dst := kernel.Resize(ev.rows[free], b.N)
		ev.rows[free] = dst
		if ev.programs[i] != nil {
			rows, err = ev.general(i, b, rows, dst)
		} else {
			rows = ev.direct(ev.f.conjuncts[i].direct, b, rows, dst)
		}
		if err != nil {
			return nil, false, err
		}
		if !rows.all && len(rows.idx) == 0 {
			break
		}
		if !rows.all && &rows.idx[0] == &dst[0] {
			free ^= 1
		}
	}
	return rows.idx, rows.all, nil
}

// selection is the set of rows that still qualify: all n, or those in idx.
type selection struct {
	idx []int32
	all bool
	n   int
}

// keep returns the selection of the rows in idx.
func (s selection) keep(idx []int32) selection {
	if len(idx) == s.n {
		return selection{all: true, n: s.n}
	}
	return selection{idx: idx, n: s.n}
}

// direct keeps the rows that pass a condition.
func (ev *FilterEvaluator) direct(c *condition, b *vec.Batch, rows selection, dst []int32) selection {
	if kept, ok := ev.chooser.byRuns(c, b, rows, dst); ok {
		return kept
	}
	return rows.keep(ev.chooser.choose(c, b, rows, dst))
}

// general runs the program of conjunct i over the selected rows and keeps those for which it is TRUE.
func (ev *FilterEvaluator) general(i int, b *vec.Batch, rows selection, dst []int32) (selection, error) {
	p, pieces := ev.programs[i], &ev.pieces[i]
	if !rows.all {
		b = p.narrowed(b, rows.idx)
	}
	var v *vec.Vector
	n, done, kept := 0, 0, dst[:0]
	eval := func(some *vec.Batch) (err error) {
		v, err = p.Eval(some)
		p.Release() // a condition's values are not texts, so the result stays valid
		n = some.N
		return err
	}
	for pieces.Add(b); ; {
		if err := pieces.Compute(eval); err != nil {
			return rows, err
		}
		if n == b.N {
			return ev.keepTrue(v, rows, dst), nil
		}
		part := ev.keepTrue(v, selection{all: true, n: n}, dst[len(kept):])
		for k := range n {
			if part.all {
				kept = append(kept, int32(done+k))
			} else if k < len(part.idx) {
				kept = append(kept, int32(done)+part.idx[k])
			}
		}
		if done += n; pieces.Done() {
			return rows.keep(rows.translate(kept)), nil
		}
	}
}

// keepTrue keeps those of the selected rows for which a condition, whose values for them are v, is TRUE.
func (ev *FilterEvaluator) keepTrue(v *vec.Vector, rows selection, dst []int32) selection {
	if v.Form == vec.Const {
		if v.Null != nil && v.Null[0] || v.I64[0] == 0 {
			return rows.keep(dst[:0])
		}
		return rows
	}
	if v.InRuns() {
		return rows.keep(rows.translate(ev.trueRuns(v, dst)))
	}
	v = v.Simplify(&ev.spare)
	return rows.keep(rows.translate(dropNulls(selectVector(dst, v.I64[:v.N], 0, kernel.Less|kernel.Greater, nil), v.Null)))
}

// narrowing is the scratch memory of narrowed.
type narrowing struct {
	rows vec.Selector
	cols []*vec.Vector
}

// narrowed returns the rows idx of the columns that the program reads; the other columns are nil.
// The result is valid until the next call.
func (ev *Evaluator) narrowed(b *vec.Batch, idx []int32) *vec.Batch {
	if ev.narrow == nil {
		ev.narrow = &narrowing{cols: make([]*vec.Vector, len(b.Cols))}
	}
	cols := ev.narrow.cols
	for _, l := range ev.p.root.columns {
		cols[l.from] = b.Cols[l.from]
	}
	return ev.narrow.rows.Select(&vec.Batch{Cols: cols, N: b.N, Morsel: b.Morsel}, idx)
}

// translate converts positions in the selection to row numbers, in place.
func (s selection) translate(pos []int32) []int32 {
	if !s.all {
		for i, p := range pos {
			pos[i] = s.idx[p]
		}
	}
	return pos
}

// dropNulls removes the rows whose value is NULL.
func dropNulls(rows []int32, null []bool) []int32 {
	if null == nil {
		return rows
	}
	n := 0
	for _, r := range rows {
		rows[n] = r
		if !null[r] {
			n++
		}
	}
	return rows[:n]
}
