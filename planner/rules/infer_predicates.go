package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// inferPredicates adds predicates that follow from others to clusters of inner joins. It puts
// them on top, from where they are pushed to the inputs:
//
//   - a = b and b = c imply a = c, which allows more join orders;
//   - a = b and b < 10 imply a < 10;
//   - (a = 1 AND b = 2) OR (a = 3 AND b = 4) over two inputs implies a = 1 OR a = 3 for
//     one of them and b = 2 OR b = 4 for the other.
func inferPredicates(c *context, n logical.Node) (logical.Node, error) {
	if j, ok := n.(*logical.Join); ok && j.Kind == logical.Inner {
		return inferCluster(c, j), nil
	}
	return logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return inferPredicates(c, in) })
}

// maxClass bounds the columns of a class that are equated pairwise: the number of equalities
// grows with its square.
const maxClass = 10

// inference collects what is known within a cluster of inner joins.
type inference struct {
	c      *context
	known  cond.Set
	equals []*expr.Call // column = column
	facts  map[expr.ColID][]*expr.Call
	ors    []*expr.Call
	leaves []logical.Node
	at     map[expr.ColID]int // places in members
	// members are the columns of equalities in the order in which they were found.
	members []member
}

// member is a column of a class of equal columns, in a disjoint-set forest.
type member struct {
	col    *expr.Col
	parent int // another member, or itself
}

func newInference(c *context) *inference {
	return &inference{c: c, known: cond.Set{}, facts: map[expr.ColID][]*expr.Call{}, at: map[expr.ColID]int{}}
}

func inferCluster(c *context, j *logical.Join) logical.Node {
	f := newInference(c)
	n := f.collect(j)
	classes := f.classes()
	added := f.constants(classes)
	added = append(added, f.equalities(classes)...)
	for _, or := range f.ors {
		added = append(added, f.sides(or)...)
	}
	return filter(n, added)
}

// collect visits the cluster and infers within its leaves on the way.
func (f *inference) collect(n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Join:
		if x.Kind == logical.Inner && !x.Correlated {
			f.learn(x.On, nil)
			l, r := f.collect(x.L), f.collect(x.R)
			if l == x.L && r == x.R {
				return n
			}
			return x.WithInputs([]logical.Node{l, r})
		}
	case *logical.Filter:
		if in, ok := x.In.(*logical.Join); ok && in.Kind == logical.Inner && !in.Correlated {
			f.learn(x.Preds, nil)
			if m := f.collect(in); m != x.In {
				return &logical.Filter{In: m, Preds: x.Preds}
			}
			return n
		}
	}
	f.leaves = append(f.leaves, n)
	f.learnLeaf(n, f.c.out(n))
	if j, ok := n.(*logical.Join); ok && j.Kind == logical.Inner { // correlated
		return n
	}
	m, _ := inferPredicates(f.c, n)
	return m
}

// learnLeaf learns predicates of a leaf over its output columns.
func (f *inference) learnLeaf(n logical.Node, out colset.Set) {
	switch x := n.(type) {
	case *logical.Scan:
		f.learn(x.Preds, &out)
	case *logical.Filter:
		f.learn(x.Preds, &out)
		f.learnLeaf(x.In, out)
	case *logical.Project:
		f.learnLeaf(x.In, out)
	case *logical.Window:
		f.learnLeaf(x.In, out)
	case *logical.Join:
		if !x.Kind.PadsLeft() {
			f.learnLeaf(x.L, out)
		}
		if x.Kind == logical.Inner {
			f.learn(x.On, &out)
			f.learnLeaf(x.R, out)
		}
	case *logical.Aggregate:
		if len(x.Keys) > 0 {
			f.learnLeaf(x.In, out)
		}
	}
}

// learn records predicates. Within a leaf (leaf is not nil), only those over its output columns
// count.
func (f *inference) learn(preds []expr.Expr, leaf *colset.Set) {
	for _, p := range preds {
		x, ok := p.(*expr.Call)
		if !ok || leaf != nil && !f.c.refsOf(p).SubsetOf(*leaf) {
			continue
		}
		f.known.Add(p)
		if x.Fn == expr.FuncOr && leaf == nil {
			f.ors = append(f.ors, x)
		}
		a, ok := column(x)
		if !ok {
			continue
		}
		if l, r := equated(x); l != nil {
			f.equals = append(f.equals, x)
			f.join(l, r)
		} else if constantsOnly(x.Args[1:]) {
			f.facts[a.ID] = append(f.facts[a.ID], x)
		}
	}
}

// equated returns the columns that a conjunct equates, if they have the same type.
func equated(p expr.Expr) (a, b *expr.Col) {
	x, ok := p.(*expr.Call)
	if !ok || x.Fn != expr.FuncEQ {
		return nil, nil
	}
	a, ok1 := x.Args[0].(*expr.Col)
	b, ok2 := x.Args[1].(*expr.Col)
	if !ok1 || !ok2 || a.T != b.T || a.ID == b.ID {
		return nil, nil
	}
	return a, b
}

// column returns the column that a comparison or IN tests.
func column(x *expr.Call) (*expr.Col, bool) {
	if cond.Flipped[x.Fn] == "" && x.Fn != expr.FuncIn || x.Fn == expr.FuncNullSafeEQ {
		return nil, false
	}
	col, ok := x.Args[0].(*expr.Col)
	return col, ok
}

func constantsOnly(es []expr.Expr) bool {
	for _, e := range es {
		switch e.(type) {
		case *expr.Const, *expr.Placeholder:
		default:
			return false
		}
	}
	return true
}

// root returns the member that represents the class of member i.
func (f *inference) root(i int) int {
	for f.members[i].parent != i {
		up := f.members[f.members[i].parent].parent
		f.members[i].parent = up
		i = up
	}
	return i
}

func (f *inference) member(col *expr.Col) int {
	i, ok := f.at[col.ID]
	if !ok {
		i = len(f.members)
		f.at[col.ID] = i
		f.members = append(f.members, member{col, i})
	}
	return i
}

func (f *inference) join(a, b *expr.Col) {
	i, j := f.member(a), f.member(b)
	f.members[f.root(i)].parent = f.root(j)
}

// classes lists the columns of each class of equal columns.
func (f *inference) classes() [][]*expr.Col {
	at := make([]int, len(f.members)) // class number from 1, by root
	var out [][]*expr.Col
	for i := range f.members {
		root := f.root(i)
		if at[root] == 0 {
			out = append(out, nil)
			at[root] = len(out)
		}
		class := &out[at[root]-1]
		*class = append(*class, f.members[i].col)
	}
	return out
}

// constants applies comparisons with constants to the other columns of a class.
func (f *inference) constants(classes [][]*expr.Col) []expr.Expr {
	var out []expr.Expr
	if len(f.facts) == 0 {
		return nil
	}
	for _, class := range classes {
		for _, from := range class {
			for _, fact := range f.facts[from.ID] {
				out = append(out, f.carry(fact, from, class)...)
			}
		}
	}
	return out
}

func (f *inference) carry(fact *expr.Call, from *expr.Col, class []*expr.Col) []expr.Expr {
	var out []expr.Expr
	for _, to := range class {
		if to.ID == from.ID {
			continue
		}
		m := *fact
		m.Args = slices.Concat([]expr.Expr{to}, fact.Args[1:])
		if f.known.Add(&m) {
			out = append(out, &m)
		}
	}
	return out
}

// equalities equates all columns of a class that come from different leaves.
func (f *inference) equalities(classes [][]*expr.Col) []expr.Expr {
	var out []expr.Expr
	if len(f.equals) < 2 {
		return nil
	}
	for _, class := range classes {
		if len(class) < 3 || len(class) > maxClass { // a class of two is equated by its only predicate
			continue
		}
		for i, a := range class {
			for _, b := range class[i+1:] {
				if f.leaf(a.ID) == f.leaf(b.ID) {
					continue
				}
				e, back := cond.Call(expr.FuncEQ, a, b), cond.Call(expr.FuncEQ, b, a)
				if !f.known.Has(back) && f.known.Add(e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

func (f *inference) leaf(id expr.ColID) int {
	for i, n := range f.leaves {
		if f.c.out(n).Has(id) {
			return i
		}
	}
	return -1
}

// maxDisjuncts bounds the terms of an OR that sides splits.
const maxDisjuncts = 100

// sides returns, for each leaf, what an OR over several leaves implies for that leaf alone. Every
// term must have a conjunct over the leaf.
func (f *inference) sides(or *expr.Call) []expr.Expr {
	if len(or.Args) > maxDisjuncts {
		return nil
	}
	all := f.c.refsOf(or)
	var out []expr.Expr
	for _, n := range f.leaves {
		here := f.c.out(n)
		if !all.Meets(here) {
			continue
		}
		terms := make([]expr.Expr, 0, len(or.Args))
		for _, term := range or.Args {
			var about []expr.Expr
			for _, p := range cond.Flatten(expr.FuncAnd, []expr.Expr{term}) {
				if refs := f.c.refsOf(p); !refs.Empty() && refs.SubsetOf(here) && cond.Stable(p) {
					about = append(about, p)
				}
			}
			if len(about) == 0 {
				break
			}
			terms = append(terms, cond.And(about))
		}
		if len(terms) < len(or.Args) {
			continue
		}
		e := f.c.folder(n).Connective(expr.FuncOr, terms, cond.Call(expr.FuncOr, terms...).(*expr.Call))
		if f.known.Add(e) {
			out = append(out, e)
		}
	}
	return out
}

// inferPartners adds predicates to the conditions of joins that return left rows only with partners
// of an equal column, or without: if all left rows have a < 10, right rows without b < 10 cannot be
// partners by a = b. The predicates move to the right input from there. A mark join would take the
// NULLs among these rows into account.
func inferPartners(c *context, n logical.Node) (logical.Node, error) {
	n, err := logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return inferPartners(c, in) })
	j, ok := n.(*logical.Join)
	if err != nil || !ok || j.Correlated {
		return n, err
	}
	switch j.Kind {
	case logical.Left, logical.Semi, logical.Anti, logical.Single:
		return withPartners(c, j), nil
	}
	return n, nil
}

func withPartners(c *context, j *logical.Join) logical.Node {
	left, right := newInference(c), newInference(c)
	left.learnLeaf(j.L, c.out(j.L))
	if len(left.facts) == 0 {
		return j
	}
	right.learnLeaf(j.R, c.out(j.R))
	right.learn(j.On, nil)
	m := *j
	m.On = j.On[:len(j.On):len(j.On)]
	for _, p := range j.On {
		a, b := equated(p)
		if a == nil {
			continue
		}
		if in := c.out(j.L); !in.Has(a.ID) {
			a, b = b, a
		}
		if !c.out(j.L).Has(a.ID) || !c.out(j.R).Has(b.ID) {
			continue
		}
		for _, fact := range left.facts[a.ID] {
			m.On = append(m.On, right.carry(fact, a, []*expr.Col{b})...)
		}
	}
	if len(m.On) == len(j.On) {
		return j
	}
	return &m
}
