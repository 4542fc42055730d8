package join

import (
	"slices"

	"gsql/exec/dynfilter"
	"gsql/exec/join/hash"
	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/join/radix"
	"gsql/exec/join/spill"
	"gsql/exec/join/theta"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// New makes the operator of node, whose Op is a *physical.Join. It opens and closes its inputs.
// If its probe side is ordered, so is the join, which allows only one stream of that side; it
// does not keep the order of rows.
func New(node *physical.Node, l, r op.Operator) (op.Operator, error) {
	return NewFiltering(node, l, r, nil)
}

// NewFiltering is New for a join that fills dynamic filters, one for each of its MadeFilters,
// before it opens the input whose scans use them.
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

// newEquality makes the join driven by equality keys; ranges become residual predicates.
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
	p.manyProbes = probe.Est.Rows >= hash.ArrangeRatio*build.Est.Rows
	p.leftFirst = readsLeftFirst(node, j)
	return p.equality(j, 0, l, r, f), nil
}

// readsLeftFirst reports whether an operator that holds both sides reads the left one first: the plan
// says so if filters are made of its keys, and otherwise it is the cheaper side.
func readsLeftFirst(node *physical.Node, j *physical.Join) bool {
	if len(j.Filters) > 0 {
		return j.LeftFirst
	}
	return node.In[0].Est.TotalMS < node.In[1].Est.TotalMS
}

// equality makes the operator; level is the number of times its inputs have been partitioned on
// disk.
func (p *plan) equality(j *physical.Join, level int, l, r op.Operator, f *fillers) op.Operator {
	g := p.newGrace(j, level)
	switch j.Algo {
	case physical.Hash, physical.Index:
		left := p.buildsLeft(j)
		m := &hash.Matcher{NullSafe: p.nullSafe, Once: p.once(left), Arrange: p.manyProbes}
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, grace: g, fill: f, name: "HashJoin"}
	case physical.Radix:
		left := p.buildsLeft(j)
		m := p.newRadixMatcher(left)
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, grace: g, fill: f, name: "RadixJoin"}
	}
	m := &merge.Pairer{NullSafe: p.nullSafe, Once: p.once(false)}
	return &whole{plan: p, l: l, r: r, pairer: m, grace: g, fill: f, name: "MergeJoin"}
}

// newRadixMatcher makes the matcher, which builds the left side if left is set.
func (p *plan) newRadixMatcher(left bool) *radix.Matcher {
	probe, build, spec := fromLeft, fromRight, p.left
	if left {
		probe, build, spec = fromRight, fromLeft, p.right
	}
	return &radix.Matcher{NullSafe: p.nullSafe, Once: p.once(left), Filters: p.manyProbes, ProbeSide: spec,
		KeepKeys: p.nullAware, ByRow: p.views[probe] > p.views[build]}
}

// holdKeys makes a join by equality keys that holds the left side if left is set, and otherwise
// the right one.
func holdKeys(p *plan, l, r op.Operator, left bool) (op.Operator, error) {
	m := &hash.Matcher{NullSafe: p.nullSafe, Once: p.once(left)}
	return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, name: "HashJoin"}, nil
}

// newLoop makes the nested-loop join, for any condition.
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
			s.matcher = theta.NewLoopMatcher(cs, left, p.once(left))
			return s, nil
		}
		columns, ids := p.columnsOf(d.pairwise)
		var err error
		s.matcher, err = theta.NewPairwise(d.pairwise, columns, ids, left, p.once(left))
		return s, err
	}
	return p.spillable(loop, l, r, p.buildsLeft(j))
}

// newRange makes the join driven by range predicates. It sorts both sides, or a small one past
// which the other streams. Comparisons among the residual predicates take part.
func newRange(node *physical.Node, j *physical.Join, l, r op.Operator, f *fillers) (op.Operator, error) {
	var cs []theta.Comparison
	for _, x := range j.Ranges {
		cs = append(cs, theta.Comparison{Op: x.Op, L: x.L, R: x.R})
	}
	more, rest := split(node, j.Residual)
	cs = append(cs, more...)
	d := driving{residual: rest}
	for _, k := range j.Keys {
		d.l, d.r, d.nullSafe = append(d.l, k.L), append(d.r, k.R), append(d.nullSafe, k.NullSafe)
	}
	for _, c := range cs {
		d.l, d.r = append(d.l, c.L), append(d.r, c.R)
	}
	p, err := newPlan(node, j, d)
	if err != nil {
		return nil, err
	}
	p.leftFirst = readsLeftFirst(node, j)
	words := len(j.Keys) == 0 && !slices.ContainsFunc(cs, func(c theta.Comparison) bool { return !c.HasWords() })
	streamed := func(p *plan, l, r op.Operator, left bool) (op.Operator, error) {
		m := &theta.RangeMatcher{Comparisons: cs, Left: left, Once: p.once(left), Settles: left && p.once(false)}
		return &streaming{plan: p, l: l, r: r, buildLeft: left, matcher: m, name: "RangeJoin"}, nil
	}
	if j.Streamed && words {
		return p.spillable(streamed, l, r, p.buildsLeft(j))
	}
	sorted := func(p *plan, l, r op.Operator, _ bool) (op.Operator, error) {
		m := &theta.RangePairer{NullSafe: p.nullSafe, Comparisons: cs, Once: p.once(false)}
		return &whole{plan: p, l: l, r: r, pairer: m, name: "RangeJoin"}, nil
	}
	held := streamed
	if !words {
		held = func(p *plan, l, r op.Operator, _ bool) (op.Operator, error) {
			pairer := func() match.Pairer {
				return &theta.RangePairer{NullSafe: p.nullSafe, Comparisons: cs, Once: p.once(false)}
			}
			return &streaming{plan: p, l: l, r: r, buildLeft: true, matcher: &spill.PairerMatcher{Spec: p.right, Make: pairer}, name: "RangeJoin"}, nil
		}
	}
	away := &spill.Blockwise{Make: p.again(held), Equal: p.equalKeys()}
	if !words && p.kind == logical.Inner {
		away.Make, away.Both = p.again(sorted), true
	}
	w, err := sorted(p, l, r, false)
	x := w.(*whole)
	x.grace, x.fill = spill.NewBlockwise(p.spilled(), away), f
	return w, err
}
