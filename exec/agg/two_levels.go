package agg

import (
	"slices"

	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Build makes the operator of a physical.HashAgg. If all aggregates are over the same distinct
// values, it is an aggregate above another one: the lower one groups by the keys and the values, and
// so makes the values distinct with the partitions, the workers and the disk that groups have. A set
// of values in the state of each group would have to be merged, and one group's by a single worker.
func Build(n *physical.Node, in op.Operator) (op.Operator, error) {
	if !HasTwoLevels(n) {
		return New(n, in)
	}
	plan := n.Op.(*physical.HashAgg)
	lower := &physical.Node{Op: &physical.HashAgg{Keys: slices.Concat(plan.Keys, plan.Aggs[0].Args)}, In: n.In, Est: n.In[0].Est}
	refs := make([]expr.Expr, 0, len(plan.Keys)+len(plan.Aggs[0].Args))
	for i, k := range lower.Op.(*physical.HashAgg).Keys {
		id := expr.ColID(i + 1)
		lower.Cols = append(lower.Cols, logical.Column{ID: id, T: k.Type()})
		refs = append(refs, &expr.Col{ID: id, T: k.Type()})
	}
	upper := &physical.HashAgg{Keys: refs[:len(plan.Keys)]}
	for _, a := range plan.Aggs {
		all := *a
		all.Distinct, all.Args = false, refs[len(plan.Keys):]
		upper.Aggs = append(upper.Aggs, &all)
	}
	o, err := New(lower, in)
	if err != nil {
		return nil, err
	}
	return New(&physical.Node{Op: upper, In: []*physical.Node{lower}, Cols: n.Cols, Est: n.Est}, o)
}

// twoLevelRows is the number of expected rows from which two levels pay. Sets of fewer are merged
// quickly, and spill less where a subquery runs many times in little memory.
const twoLevelRows = 1 << 18

// HasTwoLevels reports whether Build makes two aggregates of a physical.HashAgg. Texts among the keys
// would be hashed and compared by both.
func HasTwoLevels(n *physical.Node) bool {
	plan := n.Op.(*physical.HashAgg)
	isText := func(k expr.Expr) bool { return k.Type().Kind() == types.KindStr }
	if n.In[0].Est.Rows < twoLevelRows || len(plan.Aggs) == 0 || slices.ContainsFunc(plan.Keys, isText) || slices.ContainsFunc(plan.Aggs[0].Args, expr.Volatile) {
		return false
	}
	return !slices.ContainsFunc(plan.Aggs, func(a *expr.Agg) bool {
		sums := a.Fn == expr.Count || a.Fn == expr.Sum || a.Fn == expr.Avg
		return !sums || !a.Distinct || !slices.EqualFunc(a.Args, plan.Aggs[0].Args, expr.Equal)
	})
}
