package join

import (
	"slices"

	"gsql/exec/join/hash"
	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/join/theta"
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Condition is a conjunct that finds pairs: Keys[i] of a left Side, Op, Keys[i] of a right Side,
// where i is its position in Driving.Conditions. L and R are the operands' expressions.
type Condition struct {
	Op   expr.FuncID // "=", "<>", "<", "<=", ">", ">="
	L, R expr.Expr
}

// Driving is the task of a Pairer of NewPaired: to find the row pairs for which all Conditions
// are true.
type Driving struct {
	Conditions []Condition
	// Host finds the same pairs on the CPU, for a Pairer that cannot continue.
	Host match.Pairer
}

// NewPaired makes the operator of node, whose Op is a *physical.Join, over pairs that the
// caller's Pairer finds. Residual predicates, outer rows, marks and NULLs are handled as in New.
// The memory account is named after operator.
func NewPaired(node *physical.Node, l, r op.Operator, operator string, pairer func(*Driving) match.Pairer) (op.Operator, error) {
	j, ok := node.Op.(*physical.Join)
	if !ok {
		return nil, sqlerr.Internal("join of a %T", node.Op)
	}
	if slices.ContainsFunc(j.Keys, func(k physical.KeyPair) bool { return k.NullSafe }) {
		return nil, sqlerr.Internal("%s with a null-safe key", operator)
	}
	cs, d, err := drivingOf(j)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(node, j, d)
	if err != nil {
		return nil, err
	}
	out := &Driving{Host: p.hostPairer(j, cs)}
	for i := range d.l {
		c := Condition{Op: expr.FuncEQ, L: d.l[i], R: d.r[i]}
		if i >= len(d.nullSafe) {
			c.Op = cs[i-len(d.nullSafe)].Op
		}
		out.Conditions = append(out.Conditions, c)
	}
	return &whole{plan: p, l: l, r: r, pairer: pairer(out), name: operator}, nil
}

// drivingOf returns what finds the pairs in the algorithm of j: all keys and ranges in a nested
// loop, otherwise the keys, or the first range if there are no keys. Comparisons come after the
// keys.
func drivingOf(j *physical.Join) ([]theta.Comparison, driving, error) {
	if len(j.Keys)+len(j.Ranges) == 0 {
		return nil, driving{}, sqlerr.Internal("%s without keys or ranges", j.Algo)
	}
	var cs []theta.Comparison
	ranges := j.Ranges
	switch {
	case j.Algo == physical.NestedLoop:
		for _, k := range j.Keys {
			cs = append(cs, theta.Comparison{Op: expr.FuncEQ, L: k.L, R: k.R})
		}
	case len(j.Keys) > 0:
		d, err := drivenByKeys(j)
		return nil, d, err
	default:
		ranges = ranges[:1]
	}
	for _, r := range ranges {
		cs = append(cs, theta.Comparison{Op: r.Op, L: r.L, R: r.R})
	}
	rest, err := condition(nil, j.Ranges[len(ranges):])
	d := driving{residual: append(rest, j.Residual...)}
	d.compare(cs)
	return cs, d, err
}

// hostPairer makes the CPU's Pairer for the keys of the plan, or for comparisons.
func (p *plan) hostPairer(j *physical.Join, cs []theta.Comparison) match.Pairer {
	once := p.once(false)
	switch {
	case j.Algo == physical.NestedLoop:
		return &match.MatcherPairer{Matcher: theta.NewLoopMatcher(cs, false, once)}
	case len(cs) > 0:
		return &theta.RangePairer{Comparisons: cs, Once: once}
	case j.Algo == physical.Hash, j.Algo == physical.Radix:
		return &match.MatcherPairer{Matcher: &hash.Matcher{NullSafe: p.nullSafe, Once: once}}
	}
	return &merge.Pairer{NullSafe: p.nullSafe, Once: once}
}
