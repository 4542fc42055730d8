package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// convertSubqueries replaces the subqueries in expressions by joins below the expression,
// innermost first. EXISTS and IN that decide whether a row is kept become semi and anti joins;
// inside other expressions they become the column of a mark join. Scalar subqueries become a
// column of a single join. Correlated subqueries are decorrelated at once.
func convertSubqueries(c *context, n logical.Node) (logical.Node, error) {
	m := c.unnest(n)
	return m, c.err
}

// unnest converts the subqueries of n's subtree.
func (c *context) unnest(n logical.Node) logical.Node {
	n, _ = logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return c.unnest(in), nil })
	found := false
	logical.EachExpr(n, func(e expr.Expr) { found = found || cond.HasSubquery(e) })
	if !found {
		if j, ok := n.(*logical.Join); ok && j.Correlated { // LATERAL
			return c.unnestLateral(j)
		}
		return n
	}
	switch x := n.(type) {
	case *logical.Filter:
		return c.unnestFilter(x)
	case *logical.Join:
		return c.unnestJoin(x)
	case *logical.Values:
		return c.unnestValues(x)
	}
	u := unnester{c: c, in: onlyInput(n)}
	m := logical.MapExprs(n, u.replace).WithInputs([]logical.Node{u.in})
	return c.only(m, c.schema(n))
}

// only projects n to cols unless these are its columns already.
func (c *context) only(n logical.Node, cols []logical.Column) logical.Node {
	if sameColumns(c.schema(n), cols) {
		return n
	}
	return &logical.Project{In: n, Items: passItems(cols)}
}

func (c *context) unnestFilter(f *logical.Filter) logical.Node {
	var plain, rest []expr.Expr
	for _, p := range f.Preds {
		if cond.HasSubquery(p) {
			rest = append(rest, p)
		} else {
			plain = append(plain, p)
		}
	}
	u := unnester{c: c, in: filter(f.In, plain)}
	for _, p := range rest {
		if s, ok := p.(*expr.Subquery); ok && u.decide(s) {
			continue
		}
		p = u.replace(p)
		u.in = filter(u.in, expr.Conjuncts(p))
	}
	return c.only(u.in, c.schema(f))
}

// unnestJoin converts subqueries in join conditions. Those of an inner join move into a filter
// above it. unnestFull handles a FULL JOIN. For other kinds they become a filter of the right
// input, which may then refer to columns of the left one.
func (c *context) unnestJoin(j *logical.Join) logical.Node {
	if j.Kind == logical.Full {
		return unnestFull(c, j)
	}
	var plain, rest []expr.Expr
	for _, p := range j.On {
		if cond.HasSubquery(p) {
			rest = append(rest, p)
		} else {
			plain = append(plain, p)
		}
	}
	m := *j
	m.On = plain
	if j.Kind == logical.Inner {
		return c.unnestFilter(&logical.Filter{In: c.unnestLateral(&m), Preds: rest})
	}
	m.R = c.unnestFilter(&logical.Filter{In: j.R, Preds: rest})
	m.Correlated = j.Correlated || c.free(m.R).Meets(c.out(m.L))
	return c.decorrelate(&m)
}

// unnestLateral decorrelates a join with a LATERAL table.
func (c *context) unnestLateral(j *logical.Join) logical.Node {
	r, err := c.normalize(j.R)
	if err != nil {
		c.fail(err)
		return j
	}
	m := *j
	m.R = r
	m.Correlated = c.free(r).Meets(c.out(j.L))
	return c.decorrelate(&m)
}

// unnestValues turns each row of v into a separate projection, in which its subqueries are
// replaced.
func (c *context) unnestValues(v *logical.Values) logical.Node {
	var out logical.Node
	add := func(n logical.Node) {
		if out == nil {
			out = n
			return
		}
		cols := make([]logical.Column, len(v.Columns))
		for i, col := range v.Columns {
			cols[i] = c.newColumn(col)
		}
		out = &logical.SetOp{Kind: logical.Union, All: true, L: out, R: n, Columns: cols}
	}
	for _, row := range v.Rows {
		u := unnester{c: c, in: &logical.Values{Rows: [][]expr.Expr{nil}}}
		items := make([]logical.Item, len(row))
		for i, e := range row {
			items[i] = logical.Item{Col: c.newColumn(v.Columns[i]), Expr: u.replace(e)}
		}
		add(&logical.Project{In: u.in, Items: items})
	}
	items := make([]logical.Item, len(v.Columns))
	for i, col := range c.schema(out) {
		items[i] = logical.Item{Col: v.Columns[i], Expr: col.Ref()}
	}
	return &logical.Project{In: out, Items: items}
}

// unnester replaces the subqueries in expressions over in by columns of joins that it puts on top
// of in.
type unnester struct {
	c    *context
	in   logical.Node
	seen map[*expr.Subquery]expr.Expr
	rows map[any][]logical.Column // plans of scalar subqueries joined so far -> their columns
}

// replace returns e with columns in place of its subqueries. A subquery that occurs twice, such
// as the operand of a BETWEEN, is joined once.
func (u *unnester) replace(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Call:
		if args, changed := logical.MapList(x.Args, u.replace); changed {
			m := *x
			m.Args = args
			return &m
		}
	case *expr.Subquery:
		if u.seen[x] == nil {
			if u.seen == nil {
				u.seen = map[*expr.Subquery]expr.Expr{}
			}
			u.seen[x] = u.attach(u.withLeft(x))
		}
		return u.seen[x]
	}
	return e
}

// plan returns the plan of a subquery, normalised and with its own subqueries converted. Uses of a
// plan after the first receive a copy with new column ids.
func (c *context) plan(s *expr.Subquery) logical.Node {
	p, ok := s.Plan.(logical.Node)
	if !ok {
		c.fail(sqlerr.Internal("subquery without a plan"))
		return &logical.Values{}
	}
	if c.plans[p] {
		p, _ = logical.Clone(p, c.opt.NextID)
	} else {
		if c.plans == nil {
			c.plans = map[logical.Node]bool{}
		}
		c.plans[p] = true
	}
	p, err := c.normalize(p)
	if err == nil {
		p, err = c.normalize(c.unnest(p))
	}
	if err != nil {
		c.fail(err)
		return s.Plan.(logical.Node)
	}
	return p
}

func (c *context) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// decide turns a subquery that is a whole predicate into a join or a filter that drops rows, and
// reports whether it did.
func (u *unnester) decide(s *expr.Subquery) bool {
	if s.Kind == expr.Scalar {
		return false
	}
	s = u.withLeft(s)
	p := u.c.plan(s)
	parts := u.split(s, p)
	if parts == nil {
		return u.decideBy(s, p)
	}
	if s.Neg == (s.Kind == expr.All) { // one branch suffices
		u.in = filter(u.in, []expr.Expr{u.valueOf(s, p, parts)})
		return true
	}
	for _, part := range parts {
		u.decideBy(s, part)
	}
	return true
}

// split returns the branches of a subquery over a UNION that are converted separately, or nil.
func (u *unnester) split(s *expr.Subquery, p logical.Node) []logical.Node {
	whole := p
	if s.Kind == expr.Exists && !exactlyOneRow(p) {
		whole = u.c.existing(p, u.in)
	}
	parts := splitUnion(u.c, s, whole, u.in)
	if parts != nil {
		u.c.record(splitUnionName, whole, whole)
	}
	return parts
}

// decideBy is decide for p, the plan of the subquery or of one of its branches.
func (u *unnester) decideBy(s *expr.Subquery, p logical.Node) bool {
	j := &logical.Join{Kind: logical.Semi, L: u.in, R: p, Hint: hintOf(s)}
	negative := s.Neg
	if s.Kind == expr.Exists {
		if exactlyOneRow(p) {
			if negative {
				u.in = filter(u.in, []expr.Expr{cond.False})
			}
			return true
		}
		j.R = u.c.existing(p, u.in)
	} else {
		j.On = u.c.comparisons(s, p)
		negative = negative != (s.Kind == expr.All)
	}
	if negative {
		j.Kind = logical.Anti
	}
	if negative && !neverNull(u.c, j) {
		mark := u.mark(j)
		u.in = filter(u.in, []expr.Expr{cond.Call(expr.FuncNot, mark)})
		return true
	}
	u.join(j)
	return true
}

// hintOf returns the hint for the join that replaces a subquery, or nil.
func hintOf(s *expr.Subquery) *logical.JoinHint {
	h, _ := s.Hint.(*logical.JoinHint)
	return h
}

// join puts the completed join j on top of the input.
func (u *unnester) join(j *logical.Join) {
	j.Correlated = u.c.free(j.R).Meets(u.c.out(j.L))
	u.in = u.c.decorrelate(j)
}

// mark makes j a mark join on top of the input and returns its column.
func (u *unnester) mark(j *logical.Join) expr.Expr {
	j.Kind = logical.Mark
	j.MarkCol = logical.Column{ID: u.c.opt.NextID(), Name: "mark", T: cond.Type, NotNull: neverNull(u.c, j)}
	u.join(j)
	return j.MarkCol.Ref()
}

// withLeft returns s with the subqueries in its left operands replaced.
func (u *unnester) withLeft(s *expr.Subquery) *expr.Subquery {
	left, changed := logical.MapList(s.Left, u.replace)
	if !changed {
		return s
	}
	m := *s
	m.Left = left
	return &m
}

// attach returns the value of a subquery as an expression over the input and a join.
func (u *unnester) attach(s *expr.Subquery) expr.Expr {
	if s.Kind == expr.Scalar {
		return u.scalar(s)
	}
	p := u.c.plan(s)
	return u.valueOf(s, p, u.split(s, p))
}

// valueOf returns the value of a subquery with the plan p, or with the branches parts if it was
// split.
func (u *unnester) valueOf(s *expr.Subquery, p logical.Node, parts []logical.Node) expr.Expr {
	if parts != nil {
		values := make([]expr.Expr, len(parts))
		for i, part := range parts {
			values[i] = u.valueOf(s, part, nil)
		}
		if s.Neg == (s.Kind == expr.All) {
			return cond.Call(expr.FuncOr, values...)
		}
		return cond.Call(expr.FuncAnd, values...)
	}
	if s.Kind == expr.Exists {
		if exactlyOneRow(p) {
			return cond.Const(!s.Neg)
		}
		m := u.mark(&logical.Join{L: u.in, R: u.c.existing(p, u.in), Hint: hintOf(s)})
		return negateIf(m, s.Neg)
	}
	m := u.mark(&logical.Join{L: u.in, R: p, On: u.c.comparisons(s, p), Hint: hintOf(s)})
	return negateIf(m, s.Neg != (s.Kind == expr.All))
}

func negateIf(e expr.Expr, neg bool) expr.Expr {
	if neg {
		return cond.Call(expr.FuncNot, e)
	}
	return e
}

// scalar returns a column of the only row of a scalar subquery. The columns of one row share a
// join.
func (u *unnester) scalar(s *expr.Subquery) expr.Expr {
	cols, ok := u.rows[s.Plan]
	if !ok {
		p := u.c.plan(s)
		cols = u.c.schema(p)
		if u.rows == nil {
			u.rows = map[any][]logical.Column{}
		}
		u.rows[s.Plan] = cols
		u.joinRow(p)
	}
	if s.Col >= len(cols) {
		u.c.fail(sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", s.Col+1).At(s.Pos))
		return cond.Null
	}
	return expr.Cast(cols[s.Col].Ref(), s.T)
}

// joinRow joins the only row of p, or NULLs if p has no rows.
func (u *unnester) joinRow(p logical.Node) {
	if u.c.free(p).Meets(u.c.out(u.in)) {
		kind := logical.Single
		if limitedToOne(p) {
			kind = logical.Left
		}
		u.join(&logical.Join{Kind: kind, L: u.in, R: p})
		return
	}
	if !exactlyOneRow(p) {
		p = &logical.MaxOneRow{In: p}
	}
	u.join(&logical.Join{Kind: logical.Inner, L: u.in, R: p})
}

// limitedToOne reports whether a LIMIT leaves at most one row. This is no longer visible once the
// LIMIT has become a condition on row numbers.
func limitedToOne(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Project:
		return limitedToOne(x.In)
	case *logical.Limit:
		return x.Count == 0 || x.Count == 1
	}
	return false
}

// existing reduces the plan of an EXISTS subquery to the part that decides whether it has rows.
// If it is not correlated with l, one row is enough.
func (c *context) existing(p, l logical.Node) logical.Node {
	for {
		switch x := p.(type) {
		case *logical.Project:
			p = x.In
			continue
		case *logical.Window:
			p = x.In
			continue
		case *logical.Sort:
			p = x.In
			continue
		case *logical.Aggregate:
			if len(x.Keys) > 0 {
				p = x.In
				continue
			}
		case *logical.Limit:
			if x.Offset == 0 && x.Count != 0 {
				p = x.In
				continue
			}
		}
		break
	}
	if c.free(p).Meets(c.out(l)) {
		return p
	}
	return &logical.Limit{In: p, Count: 1}
}

// comparisons returns the conditions of a mark or semi join for IN, ANY and ALL. ALL is NOT ANY
// of the opposite comparison, NULLs included.
func (c *context) comparisons(s *expr.Subquery, p logical.Node) []expr.Expr {
	op := s.Op
	if s.Kind == expr.In || op == "" {
		op = expr.FuncEQ
	}
	if s.Kind == expr.All {
		op = cond.Negated[op]
	}
	cols := c.schema(p)
	if len(cols) != len(s.Left) {
		c.fail(sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", len(s.Left)).At(s.Pos))
		return nil
	}
	on := make([]expr.Expr, len(cols))
	for i, l := range s.Left {
		e, err := expr.NewCall(op, []expr.Expr{l, cols[i].Ref()}, s.Pos)
		if err != nil {
			c.fail(err)
			return nil
		}
		on[i] = e
	}
	if op == expr.FuncNE && len(on) > 1 {
		return []expr.Expr{cond.Call(expr.FuncOr, on...)}
	}
	return on
}
