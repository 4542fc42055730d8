package implement

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// overJoin rewrites an aggregate over a projection of a join as one over a join of projections,
// so that a group join can be used (GROUP BY r.a DIV 10). It returns nil if an item has columns
// of both sides, or may be other than NULL for rows that a left join pads.
func overJoin(n *logical.Aggregate) *logical.Aggregate {
	pr, ok := n.In.(*logical.Project)
	if !ok {
		return nil
	}
	j, ok := pr.In.(*logical.Join)
	if !ok || j.Correlated || j.Kind != logical.Inner && j.Kind != logical.Left {
		return nil
	}
	l, r := j.L.Schema(), j.R.Schema()
	left, right := colset.Of(l), colset.Of(r)
	var below [2][]logical.Item
	for _, it := range pr.Items {
		c, isCol := it.Expr.(*expr.Col)
		used := colset.Set{}.With(it.Expr)
		switch {
		case isCol && c.ID == it.Col.ID:
		case expr.Volatile(it.Expr):
			return nil
		case !used.Meets(right):
			below[0] = append(below[0], it)
		case !used.Meets(left) && (j.Kind == logical.Inner || nullOver(it.Expr, right)):
			below[1] = append(below[1], it)
		default:
			return nil
		}
	}
	m := *j
	m.L, m.R = withItems(j.L, l, below[0]), withItems(j.R, r, below[1])
	return &logical.Aggregate{In: &m, Keys: n.Keys, Aggs: n.Aggs}
}

func onlyEqualities(on []expr.Expr) bool {
	for _, e := range on {
		if c, ok := e.(*expr.Call); !ok || c.Fn != expr.FuncEQ && c.Fn != expr.FuncNullSafeEQ {
			return false
		}
	}
	return len(on) > 0
}

// withItems returns n with additional columns.
func withItems(n logical.Node, cols []logical.Column, items []logical.Item) logical.Node {
	if len(items) == 0 {
		return n
	}
	all := make([]logical.Item, 0, len(cols)+len(items))
	for _, c := range cols {
		all = append(all, logical.Item{Col: c, Expr: c.Ref()})
	}
	return &logical.Project{In: n, Items: append(all, items...)}
}

// alternative plans the inputs of the join below an aggregate a second time, for a plan that may
// be discarded. It returns nil for a join by equalities within another alternative: each level of
// nested aggregates would double the work.
func (p *planner) alternative(n *logical.Aggregate, need colset.Set) (b *bidder, err error) {
	j := n.In.(*logical.Join)
	if p.within > 0 && onlyEqualities(j.On) {
		return nil, nil
	}
	p.within++
	defer func() { p.within-- }()
	err = p.tentatively(func() error {
		b, err = p.bidderOf(j, need, false)
		return err
	})
	return b, err
}

// tentatively runs plan, whose result may be discarded or was planned already, and drops the
// notes and counts that it adds.
func (p *planner) tentatively(plan func() error) error {
	notes, joins, able, sorts, hints := len(p.notes), p.joins, p.able, p.sorts, len(p.hints)
	err := plan()
	p.notes, p.joins, p.able, p.sorts, p.hints = p.notes[:notes], joins, able, sorts, p.hints[:hints]
	return err
}
