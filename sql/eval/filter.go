package eval

import (
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Filter is a compiled conjunction. The conjuncts are applied in the given order,
// each to the rows that passed those before it. It is immutable.
type Filter struct {
	conjuncts []conjunct
	never     bool // some conjunct is a constant that is not TRUE
}

// conjunct is one predicate: any program, or a comparison of a column of integers or
// doubles with a constant or another column, which writes row numbers directly.
type conjunct struct {
	program *Program // nil for comparisons
	rel     relation
	left    int         // column of the batch
	right   int         // column of the batch, or -1
	value   *vec.Vector // the constant where right is -1
	kind    types.Kind
}

// CompileFilter makes a filter that passes the rows for which every predicate is
// TRUE. Predicates are split at AND.
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
	if c, ok := typedComparison(e, input); ok {
		return c, nil
	}
	p, err := compileFolded(e, input)
	return conjunct{program: p}, err
}

// typedComparison recognises comparisons that need no program.
func typedComparison(e expr.Expr, input []expr.ColID) (conjunct, bool) {
	call, ok := e.(*expr.Call)
	if !ok || len(call.Args) != 2 || relations[call.Fn] == 0 {
		return conjunct{}, false
	}
	rel, a, b := relations[call.Fn], call.Args[0], call.Args[1]
	if _, ok := a.(*expr.Const); ok {
		rel, a, b = rel.swap(), b, a
	}
	c := conjunct{rel: rel, left: position(a, input), right: position(b, input), kind: a.Type().Kind()}
	if k, ok := b.(*expr.Const); ok && !expr.IsNull(k) {
		c.value = k.Value.Vector(1)
	}
	direct := c.kind == types.KindI64 || c.kind == types.KindU64 || c.kind == types.KindF64
	return c, direct && b.Type().Kind() == c.kind && c.left >= 0 && (c.right >= 0 || c.value != nil)
}

func position(e expr.Expr, input []expr.ColID) int {
	if c, ok := e.(*expr.Col); ok {
		for i, id := range input {
			if id == c.ID {
				return i
			}
		}
	}
	return -1
}

// FilterEvaluator runs a filter for one worker.
type FilterEvaluator struct {
	f        *Filter
	programs []*Evaluator
	rows     [2][]int32 // the passing rows: one list is read while the other is written
	spare    [2]vec.Vector
}

// NewEvaluator makes the state to run f.
func (f *Filter) NewEvaluator(ctx Ctx) *FilterEvaluator {
	ev := &FilterEvaluator{f: f, programs: make([]*Evaluator, len(f.conjuncts))}
	for i, c := range f.conjuncts {
		if c.program != nil {
			ev.programs[i] = c.program.NewEvaluator(ctx)
		}
	}
	return ev
}

// Select gives the rows of b for which every predicate is TRUE, ascending; all means
// that every row qualifies, and idx is then nil. idx is valid until the next Select.
func (ev *FilterEvaluator) Select(b *vec.Batch) (idx []int32, all bool, err error) {
	if ev.f.never {
		return nil, b.N == 0, nil
	}
	rows := selection{n: b.N, all: true}
	free := 0 // the list that rows does not occupy
	for i := range ev.f.conjuncts {
		dst := resize(ev.rows[free], b.N)
		ev.rows[free] = dst
		if p := ev.programs[i]; p != nil {
			rows, err = ev.general(p, b, rows, dst)
		} else {
			rows = ev.compare(&ev.f.conjuncts[i], b, rows, dst)
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

// selection is the rows that still qualify: all n, or those listed.
type selection struct {
	idx []int32
	all bool
	n   int
}

// keep makes the selection of the passing rows.
func (s selection) keep(idx []int32) selection {
	if len(idx) == s.n {
		return selection{all: true, n: s.n}
	}
	return selection{idx: idx, n: s.n}
}

// general runs a program over the rows still in and keeps those that are TRUE.
func (ev *FilterEvaluator) general(p *Evaluator, b *vec.Batch, rows selection, dst []int32) (selection, error) {
	if !rows.all {
		b = p.narrowed(b, rows.idx)
	}
	v, err := p.Eval(b)
	if err != nil {
		return rows, err
	}
	if v.Form == vec.Const {
		if v.Null != nil && v.Null[0] || v.I64[0] == 0 {
			return rows.keep(dst[:0]), nil
		}
		return rows, nil
	}
	v = v.Simplify(&ev.spare[0])
	return rows.keep(rows.translate(dropNulls(selectConst(dst, v.I64[:v.N], 0, lt|gt), v.Null))), nil
}

// narrowed gives rows idx of the columns that the program reads; the others are nil.
func (ev *Evaluator) narrowed(b *vec.Batch, idx []int32) *vec.Batch {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(b.Cols)), N: len(idx), Morsel: b.Morsel}
	var c vec.Composer
	for _, l := range ev.p.root.columns {
		out.Cols[l.from] = c.View(b.Cols[l.from], idx)
	}
	return out
}

// translate turns positions in the selection into row numbers, in place.
func (s selection) translate(pos []int32) []int32 {
	if !s.all {
		for i, p := range pos {
			pos[i] = s.idx[p]
		}
	}
	return pos
}

// compare keeps the rows for which a comparison of columns holds. Flat columns are
// read in place, the others are flattened for the rows still in.
func (ev *FilterEvaluator) compare(c *conjunct, b *vec.Batch, rows selection, dst []int32) selection {
	left, right := b.Cols[c.left], c.value
	if c.right >= 0 {
		right = b.Cols[c.right]
	}
	inPlace := left.Form == vec.Flat && (c.right < 0 || right.Form == vec.Flat)
	if !inPlace {
		left = flatRows(left, rows, &ev.spare[0])
		if c.right >= 0 {
			right = flatRows(right, rows, &ev.spare[1])
		}
	}
	var in []int32
	if inPlace && !rows.all {
		in = rows.idx
	}
	switch c.kind {
	case types.KindU64:
		dst = selectOrdered[uint64](dst, left, right, c.rel, in)
	case types.KindF64:
		dst = selectOrdered[float64](dst, left, right, c.rel, in)
	default:
		dst = selectOrdered[int64](dst, left, right, c.rel, in)
	}
	dst = dropNulls(dst, left.Null)
	if c.right >= 0 {
		dst = dropNulls(dst, right.Null)
	}
	if !inPlace {
		dst = rows.translate(dst)
	}
	return rows.keep(dst)
}

func flatRows(v *vec.Vector, rows selection, dst *vec.Vector) *vec.Vector {
	if !rows.all {
		var c vec.Composer
		v = c.View(v, rows.idx)
	}
	return v.Flatten(dst)
}

// dropNulls removes the rows that are NULL.
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
