package implement

import (
	"math"
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// splitNullsRule is the name that disables the alternative below in gsql_disable_rules.
const splitNullsRule = "SplitNulls"

// mostSplit is the maximum number of comparisons that may be NULL and are split. Each one
// multiplies the number of joins by up to three.
const mostSplit = 2

// nullSplit is a null-aware join (NOT IN, <> ALL) split into joins that need not distinguish NULL
// from FALSE. One of them finds the partners for which all comparisons are TRUE. The others find
// those for which some comparisons are NULL, because of a left or a right operand, and the rest
// are TRUE. The conditions that correlate the subquery hold in each of them, so that hash and
// range joins find the partners of rows with NULLs, too.
type nullSplit struct {
	p     *planner
	b     *bidder
	sure  []expr.Expr  // conditions that are TRUE or FALSE
	maybe []*expr.Call // comparisons of a left operand with a right one that may be NULL
}

// comparisonCase is the reason why a comparison is not FALSE in one of the joins.
type comparisonCase uint8

const (
	comparesTrue comparisonCase = iota
	leftIsNull
	rightIsNull
)

// splitNulls considers the split of a null-aware join, and keeps the cheaper plan.
func splitNulls(p *planner, b *bidder, out variants) (variants, error) {
	if !b.nullAware || p.disabled[splitNullsRule] || b.n.Hint != nil || out[0].node == nil || !repeats(b.n.R) {
		return out, nil
	}
	s := &nullSplit{p: p, b: b}
	if !s.sort() {
		return out, nil
	}
	var split *physical.Node
	err := p.tentatively(func() (err error) {
		split, err = s.plan()
		return err
	})
	if err != nil || split == nil || split.Est.TotalMS >= out[0].node.Est.TotalMS {
		return out, err
	}
	was := out[0].node
	split.Rejected = append([]physical.Bid{planBid(was, was.Est.TotalMS, "one null-aware join")}, split.Rejected...)
	out[0] = variant{node: split}
	return out, nil
}

// repeats reports whether computing n several times returns the same rows at the estimated price.
func repeats(n logical.Node) bool {
	switch x := n.(type) {
	case *logical.Scan, *logical.Filter, *logical.Project, *logical.Values:
	case *logical.SetOp:
	case *logical.Join:
		if x.Correlated {
			return false
		}
	case *logical.Aggregate:
		if len(x.Aggs) > 0 {
			return false
		}
	case *logical.Window: // DENSE_RANK is the same for peers
		if slices.ContainsFunc(x.Funcs, func(it logical.WindowItem) bool { return it.Fn.Fn != expr.DenseRank }) {
			return false
		}
	default:
		return false
	}
	stable := true
	logical.EachExpr(n, func(e expr.Expr) { stable = stable && !expr.Volatile(e) })
	return stable && !slices.ContainsFunc(n.Inputs(), func(in logical.Node) bool { return !repeats(in) })
}

// sort divides the conditions into sure and maybe. It returns false if the join cannot be split.
func (s *nullSplit) sort() bool {
	left, right := colset.Of(s.b.lv.columns()), colset.Of(s.b.rv.columns())
	for _, e := range s.b.n.On {
		if expr.Volatile(e) {
			return false
		}
		if isSure(e) || neverNull([]expr.Expr{e}, s.b.lv.columns(), s.b.rv.columns()) {
			s.sure = append(s.sure, s.sureOf(e))
			continue
		}
		c, ok := e.(*expr.Call)
		if !ok || !isComparison(c.Fn) || !classify.Over(c.Args[0], left) || !classify.Over(c.Args[1], right) {
			return false
		}
		s.maybe = append(s.maybe, c)
	}
	return len(s.maybe) > 0 && len(s.maybe) <= mostSplit && (len(s.sure) > 0 || len(s.maybe) > 1)
}

// isSure reports whether a condition that correlates a subquery is never NULL, in the form that
// unnesting produces.
func isSure(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && (c.Fn == expr.FuncNullSafeEQ || c.Fn == expr.FuncIsNull || withoutTruth(e) != e)
}

// withoutTruth returns e for COALESCE(e, FALSE), which is equivalent where NULL need not be
// distinguished from FALSE. It returns other expressions unchanged.
func withoutTruth(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncCoalesce || len(c.Args) != 2 {
		return e
	}
	k, ok := c.Args[1].(*expr.Const)
	if !ok || k.Value.Null || k.Value.Type.Kind() != types.KindI64 || k.Value.I64 != 0 {
		return e
	}
	return c.Args[0]
}

// sureOf simplifies a sure condition for joins that do not distinguish NULL from FALSE. If an
// operand of <=> is not NULL, it becomes =, which more algorithms support.
func (s *nullSplit) sureOf(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncNullSafeEQ || !isPresent(s.b.n.R, c.Args[1]) {
		return withoutTruth(e)
	}
	return call(expr.FuncEQ, c.Args...)
}

// isPresent reports whether all rows of n are known to have a value other than NULL for e.
func isPresent(n logical.Node, e expr.Expr) bool {
	c, isCol := e.(*expr.Col)
	if isCol && slices.ContainsFunc(n.Schema(), func(col logical.Column) bool { return col.ID == c.ID && col.NotNull }) {
		return true
	}
	is := func(p expr.Expr) bool { return expr.Equal(p, call(expr.FuncNot, call(expr.FuncIsNull, e))) }
	switch x := n.(type) {
	case *logical.Scan:
		return slices.ContainsFunc(x.Preds, is)
	case *logical.Filter:
		return slices.ContainsFunc(x.Preds, is) || isPresent(x.In, e)
	}
	return false
}

// cases returns the case of each comparison in each of the joins. In the first join all are TRUE.
func (s *nullSplit) cases() (all [][]comparisonCase) {
	all = [][]comparisonCase{nil}
	for _, c := range s.maybe {
		some := []comparisonCase{comparesTrue}
		if !neverNull([]expr.Expr{call(c.Fn, c.Args[0], c.Args[0])}, s.b.lv.columns(), nil) {
			some = append(some, leftIsNull)
		}
		if !neverNull([]expr.Expr{call(c.Fn, c.Args[1], c.Args[1])}, nil, s.b.rv.columns()) {
			some = append(some, rightIsNull)
		}
		var longer [][]comparisonCase
		for _, head := range all {
			for _, last := range some {
				longer = append(longer, append(slices.Clone(head), last))
			}
		}
		all = longer
	}
	return all
}

// plan returns the plan, or nil if there is none.
func (s *nullSplit) plan() (*physical.Node, error) {
	l, v := s.b.n.L, s.b.lv
	need := s.b.need.With(s.b.n.On...)
	var marks []expr.Expr
	for _, of := range s.cases() {
		j := s.join(of)
		j.L = l
		if j.Kind == logical.Mark {
			j.MarkCol = logical.Column{ID: s.p.newID(), Name: "mark", T: s.b.n.MarkCol.T, NotNull: true}
			marks, need = append(marks, j.MarkCol.Ref()), need.With(j.MarkCol.Ref())
		}
		r, err := s.p.plan(j.R, colset.Of(nil).With(j.On...))
		if err != nil {
			return nil, err
		}
		b := s.p.newBidder(j, v, r, need)
		l, v = j, s.p.bid(b)
		if v[0].node == nil {
			return nil, nil
		}
	}
	cols := s.b.cols
	if len(marks) == 0 {
		return s.only(refs(cols), v), nil
	}
	constant := func(d catalog.Datum) expr.Expr { return &expr.Const{Value: d} }
	t := s.b.n.MarkCol.T
	value := &expr.Call{Fn: expr.FuncCase, T: t, Pos: -1, Args: []expr.Expr{marks[0], constant(catalog.Datum{Type: t, I64: 1}),
		call(expr.FuncOr, marks[1:]...), constant(catalog.NullOf(t)), constant(catalog.Datum{Type: t})}}
	exprs := refs(cols)
	for i, c := range cols {
		if c.ID == s.b.n.MarkCol.ID {
			exprs[i] = value
		}
	}
	return s.only(exprs, v), nil
}

// only computes the columns of the join that is split.
func (s *nullSplit) only(exprs []expr.Expr, v variants) *physical.Node {
	in := v.home()
	same := len(in.Cols) == len(s.b.cols)
	for i, e := range exprs {
		c, ok := e.(*expr.Col)
		same = same && ok && in.Cols[i].ID == c.ID
	}
	if same {
		return in
	}
	rows := in.Est.Rows
	return node(&physical.Project{Exprs: exprs}, s.b.cols, rows, 0, s.p.cpu.Project(rows, terms(exprs...)), []variants{{{node: in}}})
}

// join returns one of the joins. The right input has new columns. If no condition compares both
// sides, one of its rows suffices.
func (s *nullSplit) join(of []comparisonCase) *logical.Join {
	r, by := logical.Clone(s.b.n.R, s.p.newID)
	own := func(e expr.Expr) expr.Expr { return expr.Map(e, func(e expr.Expr) expr.Expr { return owned(e, by) }) }
	var on, onLeft, onRight []expr.Expr
	for _, e := range s.sure {
		on = append(on, own(e))
	}
	for i, c := range s.maybe {
		switch of[i] {
		case comparesTrue:
			on = append(on, own(c))
		case leftIsNull:
			onLeft = append(onLeft, call(expr.FuncIsNull, c.Args[0]))
		case rightIsNull:
			onRight = append(onRight, call(expr.FuncIsNull, own(c.Args[1])))
		}
	}
	if r = restricted(r, onRight); len(on) == 0 {
		r = &logical.Limit{In: r, Count: 1}
	}
	return &logical.Join{Kind: s.b.n.Kind, R: r, On: s.onlyWhere(onLeft, on, colset.Of(r.Schema()))}
}

func owned(e expr.Expr, by map[expr.ColID]expr.Expr) expr.Expr {
	if c, ok := e.(*expr.Col); ok && by[c.ID] != nil {
		return by[c.ID]
	}
	return e
}

// restricted returns n filtered by preds.
func restricted(n logical.Node, preds []expr.Expr) logical.Node {
	if len(preds) == 0 {
		return n
	}
	switch x := n.(type) {
	case *logical.Scan:
		m := *x
		m.Preds = slices.Concat(x.Preds, preds)
		return &m
	case *logical.Filter:
		return &logical.Filter{In: restricted(x.In, preds), Preds: x.Preds}
	}
	return &logical.Filter{In: n, Preds: preds}
}

// onlyWhere adds conditions on the left side to those on both sides. If possible, it makes the
// left operand of a comparison NULL for rows that fail them, so that no algorithm searches
// partners for these rows. Otherwise they are added as separate conditions.
func (s *nullSplit) onlyWhere(left, on []expr.Expr, right colset.Set) []expr.Expr {
	if len(left) == 0 {
		return on
	}
	cond := call(expr.FuncAnd, left...)
	sides := colset.Of(s.b.lv.columns())
	for i, e := range on {
		c, ok := e.(*expr.Call)
		if !ok || !isComparison(c.Fn) || len(c.Args) != 2 || !lookup.SameForm(c.Args[0].Type(), c.Args[1].Type()) {
			continue
		}
		for k, a := range c.Args {
			if !classify.Over(a, sides) || !classify.Over(c.Args[1-k], right) {
				continue
			}
			m := *c
			m.Args = slices.Clone(c.Args)
			m.Args[k] = &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{cond, a}, T: a.Type(), Pos: -1}
			return append(append(slices.Clone(on[:i]), &m), on[i+1:]...)
		}
	}
	return append(on, left...)
}

// untested is the number of pairs of a row that are tested in one batch.
const untested = 2048

// untilOf returns how many pairs of a row are tested until one decides: until, or all if a
// conjunct in sure has a column of operands.
func untilOf(operands, sure []expr.Expr, until float64) float64 {
	columns, others := map[expr.ColID]bool{}, map[expr.ColID]bool{}
	for _, e := range operands {
		expr.Cols(e, columns)
	}
	for _, e := range sure {
		expr.Cols(e, others)
	}
	for id := range columns {
		if others[id] {
			return math.Inf(1)
		}
	}
	return until
}

// unknownMS prices the additional work of a null-aware join: it tests rows with a NULL operand
// against all rows of the other side until the condition is NULL once. If the condition is a
// single comparison, a NULL decides at once. If another conjunct contains the operand too and is
// not TRUE for NULL, no pair decides.
func (b *bidder) unknownMS() float64 {
	if !b.nullAware || len(b.n.On) == 1 {
		return 0
	}
	var left, right, sure []expr.Expr
	for _, e := range b.n.On {
		if c, ok := e.(*expr.Call); ok && isComparison(c.Fn) && len(c.Args) == 2 {
			left, right = append(left, c.Args[0]), append(right, c.Args[1])
		} else {
			sure = append(sure, withoutTruth(e))
		}
	}
	until := max(untested, 1/max(1e-9, cost.JoinShare(sure, b.l, b.r)))
	nulls := b.l.Rows * b.l.NullShare(left...)
	pairs := nulls*min(b.r.Rows, untilOf(left, sure, until)) + (b.l.Rows-nulls)*min(b.r.Rows*b.r.NullShare(right...), untilOf(right, sure, until))
	return b.p.cpu.UnknownPairs(pairs, terms(b.n.On...))
}
