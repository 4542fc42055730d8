package rules

import (
	"slices"
	"sync"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/fold"
	"gsql/planner/rules/isolate"
	"gsql/sql/expr"
)

// context is the state that the rules share during one call of Rewrite: options, memos of node
// properties (nodes are immutable, so a pointer identifies them) and the trace.
type context struct {
	opt     Options
	from    *sync.Pool
	schemas map[logical.Node][]logical.Column
	outs    map[logical.Node]colset.Set
	frees   map[logical.Node]colset.Set
	folded  map[expr.Expr]bool    // expressions known to be in normal form
	plans   map[logical.Node]bool // subquery plans used so far
	done    map[logical.Node]bool // subtrees on which no local rule fires
	trace   []string              // the rules that fired, each once
	steps   int
	// Arguments of the subpackages. They live here because they would escape to the heap otherwise.
	facts      facts
	fold       fold.Folder
	inputs     sides
	conditions isolate.Join
	err        error // the first error met while building expressions
}

// contexts are reused because their maps would be a large part of the allocations of a short
// statement. Large plans have their own pool: maps that were once large are slow to clear.
var contexts, largeContexts = sync.Pool{New: makeContext}, sync.Pool{New: makeContext}

func makeContext() any {
	return &context{
		schemas: map[logical.Node][]logical.Column{}, outs: map[logical.Node]colset.Set{}, frees: map[logical.Node]colset.Set{},
		folded: map[expr.Expr]bool{}, done: map[logical.Node]bool{}, trace: make([]string, 0, len(localRules)+len(treeRules)),
	}
}

// largePlan is the number of nodes from which a plan counts as large.
const largePlan = 24

func newContext(opt Options, nodes int) *context {
	from := &contexts
	if nodes >= largePlan {
		from = &largeContexts
	}
	c := from.Get().(*context)
	c.opt, c.from = opt, from
	return c
}

// keptMemos bounds the memo entries of a context that returns to the pool.
const keptMemos = 256

func (c *context) release() {
	memos := len(c.folded) + len(c.outs) + len(c.done) + len(c.schemas) + len(c.frees)
	if c.from == &contexts && memos > keptMemos || memos > 64*keptMemos {
		return
	}
	clear(c.schemas)
	clear(c.outs)
	clear(c.frees)
	clear(c.folded)
	clear(c.done)
	clear(c.trace)
	c.opt, c.plans, c.trace, c.steps, c.err = Options{}, nil, c.trace[:0], 0, nil
	c.inputs, c.facts, c.fold = sides{}, facts{}, fold.Folder{}
	c.from.Put(c)
}

// schema returns n.Schema() from a memo. Without it, a deep tree of joins would copy its columns
// once per level and lookup.
func (c *context) schema(n logical.Node) []logical.Column {
	switch x := n.(type) {
	case *logical.Scan:
		return x.Columns
	case *logical.Values:
		return x.Columns
	case *logical.SetOp:
		return x.Columns
	case *logical.Recursive:
		return x.Columns
	case *logical.WorkTable:
		return x.Columns
	case *logical.Project, *logical.Aggregate, *logical.Rollup, *logical.Window, *logical.Join, *logical.MaxOneRow:
	default:
		return c.schema(onlyInput(n))
	}
	if s, ok := c.schemas[n]; ok {
		return s
	}
	var s []logical.Column
	switch x := n.(type) {
	case *logical.Join:
		s = c.joinSchema(x)
	case *logical.MaxOneRow:
		s = logical.Padded(c.schema(x.In))
	default:
		s = n.Schema()
	}
	c.schemas[n] = s
	return s
}

// joinSchema is (*logical.Join).Schema over memoised input schemas.
func (c *context) joinSchema(j *logical.Join) []logical.Column {
	l := c.schema(j.L)
	switch j.Kind {
	case logical.Semi, logical.Anti:
		return l
	case logical.Mark:
		return append(l[:len(l):len(l)], j.MarkCol)
	}
	return j.Kind.Pad(slices.Concat(l, c.schema(j.R)), len(l))
}

// out returns the ids of n's output columns.
func (c *context) out(n logical.Node) colset.Set {
	switch n.(type) {
	case *logical.Filter, *logical.Sort, *logical.Limit, *logical.MaxOneRow:
		return c.out(onlyInput(n))
	}
	if s, ok := c.outs[n]; ok {
		return s
	}
	var s colset.Set
	if j, ok := n.(*logical.Join); ok {
		s = c.joinOut(j)
	} else {
		for _, col := range c.schema(n) {
			s.Add(col.ID)
		}
	}
	c.outs[n] = s
	return s
}

func (c *context) joinOut(j *logical.Join) colset.Set {
	switch j.Kind {
	case logical.Semi, logical.Anti:
		return c.out(j.L)
	case logical.Mark:
		s := c.out(j.L).Clone()
		s.Add(j.MarkCol.ID)
		return s
	}
	return c.out(j.L).Union(c.out(j.R))
}

// column finds an output column of n by id without building the schemas of the joins above it.
func (c *context) column(n logical.Node, id expr.ColID) (logical.Column, bool) {
	switch x := n.(type) {
	case *logical.Filter, *logical.Sort, *logical.Limit:
		return c.column(onlyInput(n), id)
	case *logical.MaxOneRow:
		col, ok := c.column(x.In, id)
		col.NotNull = false
		return col, ok
	case *logical.Join:
		switch {
		case c.out(x.L).Has(id):
			col, ok := c.column(x.L, id)
			col.NotNull = col.NotNull && !x.Kind.PadsLeft()
			return col, ok
		case x.Kind == logical.Mark && x.MarkCol.ID == id:
			return x.MarkCol, true
		case x.Kind == logical.Semi || x.Kind == logical.Anti || !c.out(x.R).Has(id):
			return logical.Column{}, false
		}
		col, ok := c.column(x.R, id)
		col.NotNull = col.NotNull && !x.Kind.PadsRight()
		return col, ok
	}
	for _, col := range c.schema(n) {
		if col.ID == id {
			return col, true
		}
	}
	return logical.Column{}, false
}

// refs adds the columns that e refers to, including free columns of its subqueries.
func (c *context) refs(e expr.Expr, set *colset.Set) {
	switch x := e.(type) {
	case *expr.Col:
		set.Add(x.ID)
	case *expr.Call:
		for _, a := range x.Args {
			c.refs(a, set)
		}
	case *expr.Subquery:
		for _, a := range x.Left {
			c.refs(a, set)
		}
		if p, ok := x.Plan.(logical.Node); ok {
			set.AddAll(c.free(p))
		}
	}
}

func (c *context) refsOf(es ...expr.Expr) colset.Set {
	var s colset.Set
	for _, e := range es {
		c.refs(e, &s)
	}
	return s
}

// free returns the correlated columns of n's subtree: those it refers to but does not produce.
func (c *context) free(n logical.Node) colset.Set {
	if s, ok := c.frees[n]; ok {
		return s
	}
	var used, bound colset.Set
	logical.EachExpr(n, func(e expr.Expr) { c.refs(e, &used) })
	if a, ok := n.(*logical.Aggregate); ok {
		for _, k := range a.Keys {
			used.Add(k.ID)
		}
	}
	eachInput(n, func(in logical.Node) {
		bound.AddAll(c.out(in))
		used.AddAll(c.free(in))
	})
	if s, ok := n.(*logical.Scan); ok {
		bound.AddAll(c.out(s))
	}
	s := used.Minus(bound)
	c.frees[n] = s
	return s
}

// newColumn returns a copy of like with a new id.
func (c *context) newColumn(like logical.Column) logical.Column {
	like.ID = c.opt.NextID()
	return like
}
