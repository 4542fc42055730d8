// Package rules rewrites logical plans: it folds expressions, turns subqueries into joins and
// removes their correlation, moves predicates towards the tables, and drops unread columns and
// operators without effect. It uses no costs; every rewrite is expected to pay off in every case.
//
// A rule is a name and a function. Local rules look at one node and its inputs, and the driver
// applies them top-down until none fires. Tree rules see the whole plan and run once, at their
// place in the sequence.
package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Options control one Rewrite.
type Options struct {
	// Disabled names rules that must not run (SET gsql_disable_rules). The rules that remove
	// subqueries from expressions always run, because no operator executes these.
	Disabled map[string]bool
	// NextID returns column ids that the statement does not use yet. If nil, ids count up from
	// the largest one of the plan.
	NextID func() expr.ColID
	// Eval returns the value of an expression without columns. On an error the expression stays
	// and the error is reported when the statement runs. If nil, eval.Const is used.
	Eval func(expr.Expr) (catalog.Datum, error)
	// Observe is called after each rule that changed something. May be nil.
	Observe func(rule string, before, after logical.Node)
}

// localRule changes a node or returns it unchanged.
type localRule struct {
	name  string
	apply func(*context, logical.Node) logical.Node
}

// treeRule changes a whole plan or returns it unchanged.
type treeRule struct {
	name  string
	apply func(*context, logical.Node) (logical.Node, error)
}

// Names returns the names of all rules, for SET gsql_disable_rules and its messages.
func Names() []string {
	var out []string
	for _, r := range localRules {
		out = append(out, r.name)
	}
	for _, r := range treeRules {
		out = append(out, r.name)
	}
	return append(out, decorrelateName, splitUnionName, extremesName)
}

// Rewrite returns an equivalent plan with the same output schema, and the names of the rules that
// fired, in the order in which each first fired. No expression of the result contains an
// expr.Subquery; joins that could not be decorrelated keep their Correlated mark. An error is a
// bug of a rule (1815) or a subquery whose operands cannot be compared.
func Rewrite(n logical.Node, opt Options) (logical.Node, []string, error) {
	if opt.NextID == nil {
		opt.NextID = idsAfter(n)
	}
	if opt.Eval == nil {
		opt.Eval = func(e expr.Expr) (catalog.Datum, error) { return eval.Const(e, kernel.Tentative(nil)) }
	}
	c := newContext(opt, countNodes(n))
	defer c.release()
	n, err := c.normalize(n)
	for i := 0; err == nil && i < len(treeRules); i++ {
		if n, err = c.applyTree(&treeRules[i], n); err == nil {
			n, err = c.normalize(n)
		}
	}
	return n, slices.Clone(c.trace), err
}

// idsAfter returns a counter of column ids that starts after the largest id of n's subtree. It
// determines that id on the first call.
func idsAfter(n logical.Node) func() expr.ColID {
	last, known := expr.ColID(0), false
	return func() expr.ColID {
		if !known {
			last, known = maxID(n), true
		}
		last++
		return last
	}
}

// maxID returns the largest column id that n's subtree produces or refers to.
func maxID(n logical.Node) expr.ColID {
	var last expr.ColID
	switch x := n.(type) {
	case *logical.Join: // its columns are those of its inputs
		last = x.MarkCol.ID
	case *logical.Scan, *logical.Values, *logical.SetOp, *logical.Recursive, *logical.WorkTable, *logical.Project, *logical.Aggregate, *logical.Rollup, *logical.Window:
		for _, col := range n.Schema() {
			last = max(last, col.ID)
		}
	}
	logical.EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			switch x := e.(type) {
			case *expr.Subquery:
				last = max(last, maxID(x.Plan.(logical.Node)))
			case *expr.Col:
				last = max(last, x.ID)
			}
			return true
		})
	})
	eachInput(n, func(in logical.Node) { last = max(last, maxID(in)) })
	return last
}

// stepsPerNode bounds the firings of local rules. If a plan exceeds it, some rules undo each other.
const stepsPerNode = 200

// normalize applies the local rules everywhere until none fires.
func (c *context) normalize(n logical.Node) (logical.Node, error) {
	c.steps = stepsPerNode * (countNodes(n) + 10)
	return c.normalizeNode(n)
}

func (c *context) normalizeNode(n logical.Node) (logical.Node, error) {
	for !c.done[n] {
		m, err := c.applyLocal(n)
		if err != nil {
			return nil, err
		}
		if n, err = logical.MapInputs(m, c.normalizeNode); err != nil {
			return nil, err
		}
		if n == m {
			c.done[n] = true
		}
	}
	return n, nil
}

// applyLocal applies the local rules to n itself until none fires.
func (c *context) applyLocal(n logical.Node) (logical.Node, error) {
	for i := 0; i < len(localRules); i++ {
		r := &localRules[i]
		m := r.apply(c, n)
		if m == n || c.opt.Disabled[r.name] {
			continue
		}
		if c.steps--; c.steps < 0 {
			return nil, sqlerr.Internal("rules do not come to an end, last %s", r.name)
		}
		if err := c.checkSchema(r.name, n, m); err != nil {
			return nil, err
		}
		c.record(r.name, n, m)
		n, i = m, -1
	}
	return n, nil
}

func (c *context) applyTree(r *treeRule, n logical.Node) (logical.Node, error) {
	if c.opt.Disabled[r.name] && !required[r.name] {
		return n, nil
	}
	m, err := r.apply(c, n)
	if err != nil || m == n {
		return n, err
	}
	if err := c.checkSchema(r.name, n, m); err != nil {
		return nil, err
	}
	c.record(r.name, n, m)
	return m, nil
}

func (c *context) record(rule string, before, after logical.Node) {
	if !slices.Contains(c.trace, rule) {
		c.trace = append(c.trace, rule)
	}
	if c.opt.Observe != nil {
		c.opt.Observe(rule, before, after)
	}
}

// checkSchema returns an error if a rewrite changed ids, order or types of the output.
func (c *context) checkSchema(rule string, before, after logical.Node) error {
	if sameOutput(before, after) {
		return nil
	}
	a, b := c.schema(before), c.schema(after)
	same := len(a) == len(b)
	for i := 0; same && i < len(a); i++ {
		same = a[i].ID == b[i].ID && sameKind(a[i].T, b[i].T)
	}
	if same {
		return nil
	}
	return sqlerr.Internal("rule %s changed the schema from %v to %v", rule, a, b)
}

// sameOutput reports cheaply, for most rewrites, that the columns did not change: the nodes that
// determine them are the same. It may return false although they are.
func sameOutput(a, b logical.Node) bool {
	a, b = decider(a), decider(b)
	if a == b {
		return true
	}
	x, ok1 := a.(*logical.Join)
	y, ok2 := b.(*logical.Join)
	if ok1 && ok2 && x.Kind == y.Kind {
		return x.MarkCol.ID == y.MarkCol.ID && sameOutput(x.L, y.L) && sameOutput(x.R, y.R)
	}
	s, ok1 := a.(*logical.Scan)
	t, ok2 := b.(*logical.Scan)
	return ok1 && ok2 && len(s.Columns) == len(t.Columns) && len(s.Columns) > 0 && &s.Columns[0] == &t.Columns[0]
}

// decider descends to the node that determines n's output columns.
func decider(n logical.Node) logical.Node {
	for {
		switch n.(type) {
		case *logical.Filter, *logical.Sort, *logical.Limit:
			n = onlyInput(n)
		default:
			return n
		}
	}
}

// sameKind allows what operators may refine: the binder chooses lengths and precisions, and rules
// may change them. The representation of the values must not change.
func sameKind(a, b types.Type) bool { return a.Kind() == b.Kind() && a.Scale == b.Scale }

func countNodes(n logical.Node) int {
	k := 1
	eachInput(n, func(in logical.Node) { k += countNodes(in) })
	return k
}
