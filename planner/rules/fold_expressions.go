package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/fold"
	"gsql/sql/expr"
)

// foldExpressions simplifies the expressions of a node: it computes constants, brings logic to a
// normal form and splits conjunctions.
func foldExpressions(c *context, n logical.Node) logical.Node {
	f, in := c.folder(), &c.facts.in
	switch x := n.(type) {
	case *logical.Filter:
		in[0] = x.In
		if ps, ok := f.Predicates(x.Preds); ok {
			return &logical.Filter{In: x.In, Preds: ps}
		}
		return n
	case *logical.Scan:
		in[0] = x
		if ps, ok := f.Predicates(x.Preds); ok {
			m := *x
			m.Preds = ps
			return &m
		}
		return n
	case *logical.Join:
		*in = [2]logical.Node{x.L, x.R}
		return foldJoin(f, x)
	case *logical.Values:
		return logical.MapExprs(n, f.Value)
	}
	*in = logical.InputPair(n)
	return logical.MapExprs(n, f.Value)
}

// foldJoin folds On. A mark distinguishes NULL from FALSE, so its conditions are folded as
// values.
func foldJoin(f *fold.Folder, x *logical.Join) logical.Node {
	var on []expr.Expr
	var ok bool
	if x.Kind == logical.Mark {
		on, ok = fold.SplitAnds(logical.MapList(x.On, f.Value))
	} else {
		on, ok = f.Predicates(x.On)
	}
	if !ok {
		return x
	}
	m := *x
	m.On = on
	return &m
}

// facts implements fold.Facts for the columns of a node's inputs; missing inputs are nil.
type facts struct {
	c  *context
	in [2]logical.Node
}

// NotNull implements fold.Facts.
func (f *facts) NotNull(id expr.ColID) bool {
	for _, in := range f.in {
		if in == nil || !f.c.out(in).Has(id) {
			continue
		}
		col, ok := f.c.column(in, id)
		return ok && col.NotNull
	}
	return false
}

// folder returns a folder over the columns of the inputs, valid until the next call.
func (c *context) folder(in ...logical.Node) *fold.Folder {
	c.facts = facts{c: c}
	copy(c.facts.in[:], in)
	c.fold = fold.Folder{Facts: &c.facts, Eval: c.opt.Eval, Normal: c.folded}
	return &c.fold
}
