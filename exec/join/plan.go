package join

import (
	"errors"

	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// plan is the description of a join that all algorithms share.
type plan struct {
	kind      logical.JoinKind
	nullAware bool
	nullSafe  []bool // of the equality keys
	left      *input.Spec
	right     *input.Spec
	cols      []logical.Column // of the output
	out       []outCol         // their sources
	views     [3]int           // by source: number of columns in out
	residual  *residual        // nil without residual predicates
	// manyProbes is set if the probe side is expected to have many times more rows than the build
	// side.
	manyProbes bool
	// leftFirst is set if an operator that holds both sides reads the left one first, because its
	// keys make a filter or its rows cost less: without rows or keys on one side, the other is not
	// computed.
	leftFirst bool
	unknowns  *residual // null-aware joins: the whole condition
	// wholeRight is set if the right side is one of several partitions of a null-aware join with
	// a single operand. It describes all of them together.
	wholeRight *match.NullRows
	// matched is set if right rows stream past one part of the left rows after another. Right
	// rows without a partner are returned after the last part.
	matched *spill.MatchedRows
}

// outCol is the source of an output column.
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
	if p.left, err = input.NewSpec(node.In[0].Cols, needed.number(fromLeft), lk); err != nil {
		return nil, err
	}
	if p.right, err = input.NewSpec(node.In[1].Cols, needed.number(fromRight), rk); err != nil {
		return nil, err
	}
	if err := p.resolveOutput(node.Cols, j, needed); err != nil {
		return nil, err
	}
	return p, p.compileResidual(j, d.residual)
}

// sameForm reports whether values of a and b can be compared bit by bit.
func sameForm(a, b expr.Expr) bool {
	x, y := a.Type(), b.Type()
	return x.Kind() == y.Kind() && x.Scale == y.Scale
}

func (p *plan) resolveOutput(cols []logical.Column, j *physical.Join, needed *neededColumns) error {
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

// condition returns the keys and ranges as expressions.
func condition(keys []physical.KeyPair, ranges []physical.RangePred) ([]expr.Expr, error) {
	var all []expr.Expr
	var errs []error
	add := func(fn expr.FuncID, l, r expr.Expr) {
		e, err := expr.NewCall(fn, []expr.Expr{l, r}, -1)
		all, errs = append(all, e), append(errs, err)
	}
	for _, k := range keys {
		if k.NullSafe {
			add(expr.FuncNullSafeEQ, k.L, k.R)
		} else {
			add(expr.FuncEQ, k.L, k.R)
		}
	}
	for _, r := range ranges {
		add(r.Op, r.L, r.R)
	}
	return all, errors.Join(errs...)
}

// buildsLeft reports whether the left side is built if the algorithm allows it. Null-aware marks
// and the error of Single need all partners of a left row at once.
func (p *plan) buildsLeft(j *physical.Join) bool {
	return j.BuildLeft && !p.nullAware && p.kind != logical.Single
}

// pairs reports whether the kind of join returns its pairs, and not only left rows.
func (p *plan) pairs() bool {
	return p.kind == logical.Inner || p.kind == logical.Left || p.kind == logical.Single || p.kind == logical.Full
}

// marks reports whether the output depends on which rows of a side have a partner.
func (p *plan) marks(which int) bool {
	return p.kind == logical.Full || which == match.LeftSide && p.kind != logical.Inner
}

// keeps reports whether rows of a side without a partner are returned too.
func (p *plan) keeps(which int) bool { return p.marks(which) && p.kind != logical.Semi }

// once reports whether one partner is enough for a probe row.
func (p *plan) once(buildLeft bool) bool {
	return !p.pairs() && p.residual == nil && !buildLeft
}
