package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/implement/branches"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

func (p *planner) join(n *logical.Join, need colset.Set) (variants, error) {
	if n.Correlated {
		return p.apply(n, need)
	}
	return p.joinAs(n, need, n.Kind == logical.Mark)
}

// joinAs implements an uncorrelated join. nullAware is set if a condition that is NULL differs
// from one that is FALSE.
func (p *planner) joinAs(n *logical.Join, need colset.Set, nullAware bool) (variants, error) {
	b, err := p.bidderOf(n, need, nullAware)
	if err != nil {
		return nil, err
	}
	v, err := joinOrSplit(p, b)
	if err != nil {
		return nil, err
	}
	return rowGroupJoin(p, b, extremeJoin(p, b, v))
}

// splitBranchesRule is the name that disables splitBranches in gsql_disable_rules.
const splitBranchesRule = "SplitBranches"

// joinOrSplit returns the cheapest ways to run a join, as a whole or as several joins.
func joinOrSplit(p *planner, b *bidder) (variants, error) {
	out, err := splitNulls(p, b, p.bid(b))
	if err != nil {
		return nil, err
	}
	return splitBranches(p, b, out)
}

// splitBranches considers one join for each branch of a UNION ALL whose rows have different
// conditions, and keeps the cheaper plan.
func splitBranches(p *planner, b *bidder, out variants) (variants, error) {
	if p.disabled[splitBranchesRule] || b.n.Hint != nil || out[0].node == nil {
		return out, nil
	}
	n := branches.Split(b.n, b.cols, p.newID)
	if n == nil || !repeats(b.n.L) || !repeats(b.n.R) {
		return out, nil
	}
	var v variants
	err := p.tentatively(func() (err error) {
		v, err = p.plan(n, colset.Of(b.cols))
		return err
	})
	if err != nil {
		return nil, err
	}
	was, split := out[0].node, *v.home()
	if b.partRows = split.Est.Rows; split.Est.TotalMS >= was.Est.TotalMS {
		return out, nil
	}
	split.Rejected = append([]physical.Bid{planBid(was, was.Est.TotalMS, "one join of all branches")}, split.Rejected...)
	out[0] = variant{node: &split}
	return out, nil
}

// bidderOf plans the inputs of a join.
func (p *planner) bidderOf(n *logical.Join, need colset.Set, nullAware bool) (*bidder, error) {
	below := need.With(n.On...)
	l, err := p.plan(n.L, below)
	if err != nil {
		return nil, err
	}
	r, err := p.plan(n.R, below)
	if err != nil {
		return nil, err
	}
	nullAware = nullAware && !neverNull(n.On, l.columns(), r.columns())
	if !nullAware {
		n = withoutTruths(n)
	}
	b := p.newBidder(n, l, r, need)
	b.nullAware = nullAware
	return b, nil
}

// withoutTruths removes COALESCE(e, FALSE) from the conditions of a join that does not
// distinguish NULL from FALSE.
func withoutTruths(n *logical.Join) *logical.Join {
	on, changed := logical.MapList(n.On, withoutTruth)
	if !changed {
		return n
	}
	m := *n
	m.On = on
	return &m
}

// bid returns the cheapest ways to run a join.
func (p *planner) bid(b *bidder) variants {
	cands := b.candidates()
	p.restrict(b, cands)
	if len(p.devices) == 0 {
		p.joins++
		p.able = p.able || !p.inApply && b.drivable()
		if deviceHint(b.n.Hint) == "gpu" {
			p.hints = append(p.hints, b.n.Hint)
		}
		return p.choose(b, cands, nil)
	}
	offers := b.offers(nil)
	p.steer(b, cands, offers)
	return p.choose(b, cands, offers)
}

// neverNull reports whether no operand of the equalities on can be NULL.
func neverNull(on []expr.Expr, l, r []logical.Column) bool {
	notNull := func(e expr.Expr) bool {
		c, ok := e.(*expr.Col)
		if !ok {
			v, known := expr.Likely(e) // placeholders are never NULL
			return known && !v.Null
		}
		same := func(col logical.Column) bool { return col.ID == c.ID && col.NotNull }
		return slices.ContainsFunc(l, same) || slices.ContainsFunc(r, same)
	}
	for _, e := range on {
		c, ok := e.(*expr.Call)
		if isSure(e) {
			continue
		}
		if !ok || !isComparison(c.Fn) || !notNull(c.Args[0]) || !notNull(c.Args[1]) {
			return false
		}
	}
	return true
}

func isComparison(fn expr.FuncID) bool {
	switch fn {
	case expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
		return true
	}
	return false
}

// joinColumns returns the needed output columns of a join over the given inputs.
func joinColumns(n *logical.Join, l, r []logical.Column, need colset.Set) []logical.Column {
	if n.Kind == logical.Semi || n.Kind == logical.Anti {
		return need.Pick(l)
	}
	cols := need.AppendPicked(make([]logical.Column, 0, need.Among(l)+need.Among(r)+1), l)
	if n.Kind == logical.Mark {
		return append(cols, n.MarkCol)
	}
	return n.Kind.Pad(need.AppendPicked(cols, r), need.Among(l))
}
