// Package join has the CPU's join operators. Matchers and pairers find row pairs by
// the driving predicates of an algorithm; one operator around them checks residuals
// and makes of the pairs what the kind of join wants: padded outer rows, semi and anti
// joins, marks. Output columns are views (gather maps) into the probe batches and the
// collected columns: no value is copied here.
package join

import (
	"errors"
	"slices"

	"gsql/exec/dynfilter"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// New makes the operator of node, whose Op is a *physical.Join, over its inputs, which
// it opens and closes. It is ordered where its probe side is, so that only one stream
// of that side is made; the order of rows is not kept.
func New(node *physical.Node, l, r op.Operator) (op.Operator, error) {
	return NewFiltering(node, l, r, nil)
}

// NewFiltering is New for a join that fills dynamic filters, one for each of its
// MadeFilters, before it opens the input that scans with them are in.
func NewFiltering(node *physical.Node, l, r op.Operator, filters []*dynfilter.Filter) (op.Operator, error) {
	j, ok := node.Op.(*physical.Join)
	if !ok {
		return nil, sqlerr.Internal("join of a %T", node.Op)
	}
	switch j.Algo {
	case physical.Hash, physical.Index, physical.Radix, physical.Merge:
		if len(j.Keys) == 0 {
			return nil, sqlerr.Internal("%s without equality keys", j.Algo)
		}
		return newEquality(node, j, l, r, newFillers(j, filters))
	case physical.Range:
		if len(j.Ranges) == 0 {
			return nil, sqlerr.Internal("%s without range predicates", j.Algo)
		}
		return newRange(node, j, l, r, newFillers(j, filters))
	case physical.NestedLoop:
		return newLoop(node, j, l, r)
	}
	return nil, sqlerr.Internal("join algorithm %q", j.Algo)
}

// newEquality makes the joins driven by equality keys; ranges are residuals of theirs.
func newEquality(node *physical.Node, j *physical.Join, l, r op.Operator, f *fillers) (op.Operator, error) {
	d, err := drivenByKeys(j)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(node, j, d)
	if err != nil {
		return nil, err
	}
	build, probe := node.In[j.Built()], node.In[1-j.Built()]
	p.manyProbes = probe.Est.Rows >= arrangeRatio*build.Est.Rows
	return p.equality(j, 0, l, r, f), nil
}

// equality makes the operator; level counts how often its inputs were dealt out to disk.
func (p *plan) equality(j *physical.Join, level int, l, r op.Operator, f *fillers) op.Operator {
	g := newGrace(p, level, func(p *plan, l, r op.Operator) op.Operator { return p.equality(j, level+1, l, r, nil) })
	switch j.Algo {
	case physical.Hash, physical.Index:
		left := p.buildsLeft(j)
		m := &hashMatcher{nullSafe: p.nullSafe, once: p.once(left), arrange: p.manyProbes}
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, grace: g, fill: f, name: "HashJoin"}
	case physical.Radix:
		left := p.buildsLeft(j)
		m := newRadixMatcher(p, left)
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, grace: g, fill: f, name: "RadixJoin"}
	}
	m := &mergePairer{nullSafe: p.nullSafe, once: p.once(false)}
	return &whole{plan: p, l: l, r: r, pairer: m, grace: g, fill: f, name: "MergeJoin"}
}

// holdKeys makes a join by equality keys that holds the left side.
func holdKeys(p *plan, l, r op.Operator, left bool) (op.Operator, error) {
	m := &hashMatcher{nullSafe: p.nullSafe, once: p.once(left)}
	return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, name: "HashJoin"}, nil
}

// newLoop makes the nested-loop join of any condition.
func newLoop(node *physical.Node, j *physical.Join, l, r op.Operator) (op.Operator, error) {
	cs, d, err := drivenInLoop(node, j)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(node, j, d)
	if err != nil {
		return nil, err
	}
	loop := func(p *plan, l, r op.Operator, left bool) (op.Operator, error) {
		s := &streaming{plan: p, l: l, r: r, buildLeft: left, name: "NestedLoopJoin"}
		if len(d.pairwise) == 0 {
			s.matcher = newLoopMatcher(cs, left, p.once(left))
			return s, nil
		}
		var err error
		s.matcher, err = p.newPairwise(d.pairwise, left)
		return s, err
	}
	return p.spillable(loop, l, r, p.buildsLeft(j))
}

// spillable makes a join that holds a side, the left one where left is set, and does so blockwise
// where memory has no room.
func (p *plan) spillable(newJoin func(p *plan, l, r op.Operator, left bool) (op.Operator, error), l, r op.Operator, left bool) (op.Operator, error) {
	j, err := newJoin(p, l, r, left)
	if err != nil {
		return nil, err
	}
	j.(*streaming).grace = newBlockwise(p, &blockwise{make: newJoin})
	return j, nil
}

// newRange makes the join driven by sorting for range predicates: both sides, or a
// small one past which the other streams. Comparisons among the residuals take part.
func newRange(node *physical.Node, j *physical.Join, l, r op.Operator, f *fillers) (op.Operator, error) {
	var cs []comparison
	for _, x := range j.Ranges {
		cs = append(cs, comparison{x.Op, x.L, x.R})
	}
	more, rest := split(node, j.Residual)
	cs = append(cs, more...)
	d := driving{residual: rest}
	for _, k := range j.Keys {
		d.l, d.r, d.nullSafe = append(d.l, k.L), append(d.r, k.R), append(d.nullSafe, k.NullSafe)
	}
	for _, c := range cs {
		d.l, d.r = append(d.l, c.l), append(d.r, c.r)
	}
	p, err := newPlan(node, j, d)
	if err != nil {
		return nil, err
	}
	words := len(j.Keys) == 0 && !slices.ContainsFunc(cs, func(c comparison) bool { return !c.hasWords() })
	streamed := func(p *plan, l, r op.Operator, left bool) (op.Operator, error) {
		m := &rangeMatcher{cs: cs, left: left, once: p.once(left), settles: left && p.once(false)}
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, name: "RangeJoin"}, nil
	}
	if j.Streamed && words {
		return p.spillable(streamed, l, r, p.buildsLeft(j))
	}
	sorted := func(p *plan, l, r op.Operator, _ bool) (op.Operator, error) {
		m := &rangePairer{nullSafe: p.nullSafe, cs: cs, once: p.once(false)}
		return &whole{plan: p, l: l, r: r, pairer: m, name: "RangeJoin"}, nil
	}
	held := streamed
	if !words {
		held = func(p *plan, l, r op.Operator, _ bool) (op.Operator, error) {
			pairer := func() Pairer { return &rangePairer{nullSafe: p.nullSafe, cs: cs, once: p.once(false)} }
			return &streaming{plan: p, l: l, r: r, buildLeft: true, matcher: &pairedRounds{spec: p.right, make: pairer}, name: "RangeJoin"}, nil
		}
	}
	away := &blockwise{make: held}
	if !words && p.kind == logical.Inner {
		away = &blockwise{make: sorted, both: true}
	}
	w, err := sorted(p, l, r, false)
	x := w.(*whole)
	x.grace, x.fill = newBlockwise(p, away), f
	return w, err
}

// plan is what all algorithms know of the join.
type plan struct {
	kind      logical.JoinKind
	nullAware bool
	nullSafe  []bool // of the equality keys
	left      *sideSpec
	right     *sideSpec
	cols      []logical.Column // of the output
	out       []outCol         // where they come from
	views     [3]int           // how many of out come from where
	residual  *residual        // nil when there is none
	// manyProbes tells that the side that is not built is expected to be the far larger one.
	manyProbes bool
	unknowns   *residual // null-aware: the whole condition
	// wholeRight is set where the right side is one of several partitions that a null-aware
	// join with a single operand is made of: what all of them have together.
	wholeRight *nullRows
}

// outCol says where an output column comes from.
type outCol struct {
	from source
	at   int32 // position in the side's needed columns
}

type source uint8

const (
	fromLeft source = iota
	fromRight
	fromMark
)

func newPlan(node *physical.Node, j *physical.Join, d driving) (*plan, error) {
	p := &plan{kind: j.Type, nullSafe: d.nullSafe}
	p.nullAware = j.NullAware && (j.Type == logical.Mark || j.Type == logical.Anti) && len(d.l)+len(d.residual) > 0
	lk, rk := d.l, d.r
	for i := range lk {
		if !sameForm(lk[i], rk[i]) && (i >= len(d.nullSafe) || !lk[i].Type().IsInteger() || !rk[i].Type().IsInteger()) {
			return nil, sqlerr.Internal("join operands %s and %s have the types %s and %s", lk[i], rk[i], lk[i].Type(), rk[i].Type())
		}
	}
	needed := newMarked(node.In[0].Cols, node.In[1].Cols)
	for i := range node.Cols {
		needed.add(node.Cols[i].ID)
	}
	needed.addAll(d.residual...)
	needed.addAll(d.pairwise...)
	if p.nullAware {
		needed.addAll(lk...)
		needed.addAll(rk...)
	}
	var err error
	if p.left, err = newSideSpec(node.In[0].Cols, needed.number(fromLeft), lk); err != nil {
		return nil, err
	}
	if p.right, err = newSideSpec(node.In[1].Cols, needed.number(fromRight), rk); err != nil {
		return nil, err
	}
	if err := p.resolveOutput(node.Cols, j, needed); err != nil {
		return nil, err
	}
	return p, p.compileResidual(j, d.residual)
}

// sameForm tells whether values of a and b can be compared bit by bit.
func sameForm(a, b expr.Expr) bool {
	x, y := a.Type(), b.Type()
	return x.Kind() == y.Kind() && x.Scale == y.Scale
}

func (p *plan) resolveOutput(cols []logical.Column, j *physical.Join, needed *marked) error {
	p.cols, p.out = cols, make([]outCol, len(cols))
	for i := range cols {
		c := &cols[i]
		from, at := needed.place(c.ID)
		if at < 0 && j.Type == logical.Mark && c.ID == j.MarkID {
			from = fromMark
		} else if at < 0 {
			return sqlerr.Internal("join has no column %s", c.Name)
		}
		p.out[i] = outCol{from, int32(at)}
		p.views[from]++
	}
	return nil
}

func (p *plan) compileResidual(j *physical.Join, rest []expr.Expr) (err error) {
	if len(rest) > 0 {
		if p.residual, err = p.newResidual(rest); err != nil {
			return err
		}
	}
	if !p.nullAware {
		return nil
	}
	all, err := condition(j.Keys, j.Ranges)
	if err != nil {
		return err
	}
	p.unknowns, err = p.newResidual(append(all, j.Residual...))
	return err
}

// condition gives keys and ranges as expressions.
func condition(keys []physical.KeyPair, ranges []physical.RangePred) ([]expr.Expr, error) {
	var all []expr.Expr
	var errs []error
	add := func(fn string, l, r expr.Expr) {
		e, err := expr.NewCall(fn, []expr.Expr{l, r}, -1)
		all, errs = append(all, e), append(errs, err)
	}
	for _, k := range keys {
		if k.NullSafe {
			add("<=>", k.L, k.R)
		} else {
			add("=", k.L, k.R)
		}
	}
	for _, r := range ranges {
		add(r.Op, r.L, r.R)
	}
	return all, errors.Join(errs...)
}

// buildsLeft tells whether the left side is built, where that is possible: marks with
// NULL and the error of Single need the partners of a left row together.
func (p *plan) buildsLeft(j *physical.Join) bool {
	return j.BuildLeft && !p.nullAware && p.kind != logical.Single
}

// pairs tells whether the kind gives its pairs, and not only what became of left rows.
func (p *plan) pairs() bool {
	return p.kind == logical.Inner || p.kind == logical.Left || p.kind == logical.Single
}

// once tells whether one partner of a probe row settles it.
func (p *plan) once(buildLeft bool) bool {
	return !p.pairs() && p.residual == nil && !buildLeft
}
