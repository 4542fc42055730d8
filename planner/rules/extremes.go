package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// extremesName is the rule that disables distinctByExtremes, which runs within convertSubqueries.
const extremesName = "DistinctExtremes"

// distinctByExtremes rewrites the parts of j's right input that drop repeated rows (a UNION,
// DISTINCT, or aggregates of distinct values) if each of their branches compares outer values by
// at most one inequality. A row is in the branch with b < o.b if the least b of the rows equal to
// it is less than o.b. So the branches become one relation of distinct rows with their least or
// greatest operands. It does not depend on outer values, and each of its rows passes at most once.
// Otherwise rows would be compared for each outer value, after all pairs have been made. Where
// branches have several comparisons, distinct rows are numbered so that a group join can count them.
func (c *context) distinctByExtremes(j *logical.Join) *logical.Join {
	padded := j.Kind == logical.Inner || j.Kind == logical.Left || j.Kind == logical.Single
	if !padded || c.opt.Disabled[extremesName] {
		return j
	}
	e := extremes{c: c, left: j.L, outer: c.out(j.L)}
	r := e.rewrite(j.R)
	if r == j.R {
		return j
	}
	c.record(extremesName, j.R, r)
	m := *j
	m.R = r
	return &m
}

// extremes rewrites parts of a plan with outer columns.
type extremes struct {
	c     *context
	left  logical.Node // whose columns are the outer ones
	outer colset.Set
}

func (e *extremes) rewrite(n logical.Node) logical.Node {
	if !e.c.free(n).Meets(e.outer) {
		return n
	}
	switch x := n.(type) {
	case *logical.Join:
		if x.Correlated {
			return n
		}
	case *logical.SetOp:
		if x.Kind == logical.Union && !x.All {
			if m := e.distinct(x, x.Columns, refs(x.Columns)); m != nil {
				return m
			}
		}
	case *logical.Aggregate:
		if m := e.aggregate(x); m != nil {
			return m
		}
	}
	n, _ = logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return e.rewrite(in), nil })
	return n
}

func refs(cols []logical.Column) []expr.Expr {
	out := make([]expr.Expr, len(cols))
	for i := range cols {
		out[i] = cols[i].Ref()
	}
	return out
}

// aggregate rewrites DISTINCT, and aggregates of the distinct values of one expression. It returns
// nil if it does not apply.
func (e *extremes) aggregate(x *logical.Aggregate) logical.Node {
	if len(x.Aggs) == 0 {
		return e.distinct(x.In, x.Keys, refs(x.Keys))
	}
	if len(x.Keys) > 0 {
		return nil
	}
	m := logical.Aggregate{Aggs: slices.Clone(x.Aggs)}
	var of expr.Expr
	for i := range m.Aggs {
		a := *m.Aggs[i].Agg
		if !ofDistinct(&a) || of != nil && !expr.Equal(of, a.Args[0]) {
			return e.counted(x)
		}
		of, a.Distinct = a.Args[0], false
		m.Aggs[i].Agg = &a
	}
	if !cond.Stable(of) {
		return nil
	}
	col := logical.Column{ID: e.c.opt.NextID(), Name: of.String(), T: of.Type()}
	for i := range m.Aggs {
		m.Aggs[i].Agg.Args = []expr.Expr{col.Ref()}
	}
	if m.In = e.distinct(x.In, []logical.Column{col}, []expr.Expr{of}); m.In == nil {
		return e.counted(x)
	}
	return &m
}

// ofDistinct reports whether an aggregate counts or adds distinct values. Sums of doubles depend on
// the order, and texts may be equal without being identical.
func ofDistinct(a *expr.Agg) bool {
	if !a.Distinct || len(a.Args) != 1 || a.Fn != expr.Count && a.Fn != expr.Sum {
		return false
	}
	t := a.Args[0].Type()
	return hasExtremes(t) && (a.Fn == expr.Count || !t.IsFloat())
}

// hasExtremes reports whether MIN and MAX of a type agree with its comparisons.
func hasExtremes(t types.Type) bool {
	return t.IsInteger() || t.ID == types.Decimal || t.IsFloat() || t.IsTemporal()
}

// branches calls add with the branches of n and reports whether all have the required form. rows
// are the values of the result's columns over those of n.
func (e *extremes) branches(n logical.Node, rows []expr.Expr, add func(n logical.Node, rows []expr.Expr) bool) bool {
	switch x := n.(type) {
	case *logical.Project:
		for i := range x.Items {
			if !cond.Stable(x.Items[i].Expr) {
				return false
			}
		}
		return e.branches(x.In, substituted(rows, itemsByID(x.Items)), add)
	case *logical.SetOp:
		if x.Kind != logical.Union {
			return false
		}
		for _, in := range []logical.Node{x.L, x.R} {
			by := map[expr.ColID]expr.Expr{}
			for i, col := range e.c.schema(in) {
				if col.T != x.Columns[i].T {
					return false
				}
				by[x.Columns[i].ID] = col.Ref()
			}
			if !e.branches(in, substituted(rows, by), add) {
				return false
			}
		}
		return true
	}
	return add(n, rows)
}

// distinct returns the distinct rows of n, whose columns are cols and have the values rows. It
// returns nil if it does not apply.
func (e *extremes) distinct(n logical.Node, cols []logical.Column, rows []expr.Expr) logical.Node {
	u := unionOf{extremes: e, cols: cols}
	if !e.branches(n, rows, u.add) || len(u.by) > 2 || len(u.by) == 1 && u.by[0].op == "" {
		return nil
	}
	if len(u.branches) == 1 && len(u.branches[0].eqs) > 0 {
		return nil // it reads only the rows of the outer keys, which may be few
	}
	return u.apart(u.relation())
}

// counted rewrites COUNT(DISTINCT x), and COUNT over a UNION, if branches compare outer values by
// several comparisons. The branches become one relation, and its equal rows get one number. Rows
// are in the result if they satisfy the comparisons of their branch. A group join counts the
// numbers of these rows without making the pairs. counted returns nil if it does not apply.
func (e *extremes) counted(x *logical.Aggregate) logical.Node {
	of := x.Aggs[0].Agg
	for _, it := range x.Aggs[1:] {
		if it.Agg.Fn != of.Fn || it.Agg.Distinct != of.Distinct || len(it.Agg.Args) != len(of.Args) || len(of.Args) > 0 && !expr.Equal(it.Agg.Args[0], of.Args[0]) {
			return nil
		}
	}
	n, rows, present := e.countedRows(x.In, of)
	u := comparedUnion{extremes: e}
	if n == nil || !e.branches(n, rows, u.add) {
		return nil
	}
	m := logical.Aggregate{Aggs: slices.Clone(x.Aggs)}
	in, number := u.numbered(rows, present)
	m.In = filter(in, u.conditions())
	for i := range m.Aggs {
		a := *of
		a.Fn, a.Distinct, a.Args = expr.Count, true, []expr.Expr{number.Ref()}
		m.Aggs[i].Agg = &a
	}
	return &m
}

// countedRows returns the input of an aggregate that counts distinct rows, and the values in which
// these differ. Only rows in which present, if it is not nil, is not NULL count.
func (e *extremes) countedRows(in logical.Node, of *expr.Agg) (n logical.Node, rows []expr.Expr, present expr.Expr) {
	switch {
	case of.Fn != expr.CountStar && (of.Fn != expr.Count || len(of.Args) != 1 || !cond.Stable(of.Args[0])):
		return nil, nil, nil
	case of.Distinct:
		return in, of.Args, of.Args[0]
	case of.Fn == expr.Count:
		present = of.Args[0]
	}
	for {
		switch x := in.(type) {
		case *logical.Project:
			if present != nil {
				present = cond.Substitute(present, itemsByID(x.Items))
			}
			in = x.In
			continue
		case *logical.SetOp:
			if x.Kind == logical.Union && !x.All && (present == nil || e.c.refsOf(present).SubsetOf(e.c.out(x))) && e.distinct(x, x.Columns, refs(x.Columns)) == nil {
				return x, refs(x.Columns), present
			}
		}
		return nil, nil, nil
	}
}

// comparedUnion describes branches whose distinct rows are counted.
type comparedUnion struct {
	*extremes
	branches []comparedBranch
	operands []logical.Column // of the relation: columns that branches compare with outer ones
	branch   logical.Column   // of the relation: the number of a row's branch
}

// comparedBranch is a branch without outer columns, and the comparisons with them.
type comparedBranch struct {
	in    logical.Node
	rows  []expr.Expr
	preds []expr.Expr
	by    map[int]logical.Column // operand -> column of in
}

// add appends the branch n.
func (u *comparedUnion) add(n logical.Node, rows []expr.Expr) bool {
	p := puller{c: u.c, outer: u.outer, duplicates: true}
	in, preds := p.pull(n)
	if p.failed || u.c.refsOf(rows...).Meets(u.outer) {
		return false
	}
	for _, e := range preds {
		if !comparesNumbers(e) {
			return false
		}
	}
	b := comparedBranch{in: in, rows: rows, by: map[int]logical.Column{}}
	by := map[expr.ColID]expr.Expr{}
	u.c.refsOf(preds...).Intersect(u.c.out(in)).Each(func(id expr.ColID) {
		col, _ := u.c.column(in, id)
		by[id] = u.operand(&b, col).Ref()
	})
	b.preds = substituted(preds, by)
	u.branches = append(u.branches, b)
	return true
}

// comparesNumbers reports whether vector instructions can evaluate e, unless it is an equality,
// which finds partners faster.
func comparesNumbers(e expr.Expr) bool {
	c, ok := cond.CallOf(e, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNE)
	return ok && cond.Stable(e) && hasExtremes(c.Args[0].Type()) && hasExtremes(c.Args[1].Type())
}

// operand returns the relation's column that holds the values of a column of b. Branches share
// columns of one type.
func (u *comparedUnion) operand(b *comparedBranch, col logical.Column) *logical.Column {
	for i := range u.operands {
		if _, used := b.by[i]; !used && u.operands[i].T == col.T {
			b.by[i] = col
			return &u.operands[i]
		}
	}
	b.by[len(u.operands)] = col
	made := u.c.newColumn(col)
	made.NotNull = false
	u.operands = append(u.operands, made)
	return &u.operands[len(u.operands)-1]
}

// numbered returns the rows of all branches with their operands, and the column by which equal
// rows are known. rows and present are the values that countedRows has found.
func (u *comparedUnion) numbered(rows []expr.Expr, present expr.Expr) (logical.Node, logical.Column) {
	u.branch = logical.Column{ID: u.c.opt.NextID(), Name: "branch", T: types.T(types.Int64), NotNull: true}
	var cols []logical.Column
	by := map[expr.ColID]expr.Expr{}
	for _, e := range rows {
		col := logical.Column{ID: u.c.opt.NextID(), Name: e.String(), T: e.Type()}
		if c, ok := e.(*expr.Col); ok {
			by[c.ID] = col.Ref()
		}
		cols = append(cols, col)
	}
	all := slices.Concat(cols, []logical.Column{u.branch}, u.operands)
	n := u.project(0, all)
	for i := 1; i < len(u.branches); i++ {
		to := all
		if i < len(u.branches)-1 {
			to = slices.Clone(all)
			for k := range to {
				to[k] = u.c.newColumn(all[k])
			}
		}
		n = &logical.SetOp{Kind: logical.Union, All: true, L: n, R: u.project(i, nil), Columns: to}
	}
	if len(rows) == 1 && expr.Equal(present, rows[0]) {
		present = cols[0].Ref()
	} else if present != nil {
		present = cond.Substitute(present, by)
	}
	if present != nil {
		n = filter(n, []expr.Expr{cond.NotNull(present)})
		if len(rows) == 1 && cols[0].T.IsInteger() {
			return n, cols[0]
		}
	}
	var keys []expr.SortKey
	for _, c := range cols {
		keys = append(keys, expr.SortKey{Expr: c.Ref()})
	}
	fn := expr.NewWindowFunc(expr.DenseRank, 0)
	number := logical.Column{ID: u.c.opt.NextID(), Name: fn.String(), T: fn.T, NotNull: true}
	return &logical.Window{In: n, Order: keys, Funcs: []logical.WindowItem{{Col: number, Fn: fn}}}, number
}

// project returns a branch as part of the relation, with new columns unless it is the whole one.
func (u *comparedUnion) project(at int, like []logical.Column) logical.Node {
	b := u.branches[at]
	var items []logical.Item
	add := func(e expr.Expr, t types.Type, notNull bool) {
		col := logical.Column{ID: u.c.opt.NextID(), Name: e.String(), T: t, NotNull: notNull}
		if len(u.branches) == 1 {
			col = like[len(items)]
		}
		items = append(items, logical.Item{Col: col, Expr: e})
	}
	for _, e := range b.rows {
		add(e, e.Type(), false)
	}
	add(&expr.Const{Value: catalog.Int(int64(at))}, u.branch.T, true)
	for i, col := range u.operands {
		if of, ok := b.by[i]; ok {
			add(of.Ref(), of.T, of.NotNull)
		} else {
			add(&expr.Const{Value: catalog.NullOf(col.T)}, col.T, false)
		}
	}
	return &logical.Project{In: b.in, Items: items}
}

// conditions returns those under which a row of the relation is in the result.
func (u *comparedUnion) conditions() []expr.Expr {
	if len(u.branches) == 1 {
		return u.branches[0].preds
	}
	var any []expr.Expr
	for i, b := range u.branches {
		own := cond.Call(expr.FuncEQ, u.branch.Ref(), &expr.Const{Value: catalog.Int(int64(i))})
		any = append(any, cond.And(append([]expr.Expr{own}, b.preds...)))
	}
	return []expr.Expr{cond.Call(expr.FuncOr, any...)}
}
