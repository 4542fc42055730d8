package block

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// selected returns an expression of the select list with the digits that the query keeps.
func (l *selectList) selected(e expr.Expr) expr.Expr {
	switch {
	case !e.Type().Carries():
		return e
	case l.keepsDigits():
		return expr.Bounded(e)
	}
	return expr.Shown(e)
}

func (l *selectList) keepsDigits() bool {
	n := l.b.sel
	switch {
	case n == nil || l.keeps == statement.ShownOnly || n.Distinct || n.GroupBy != nil:
		return false
	case l.keeps == statement.OneValue:
		return true
	}
	if hasWindows(n) {
		return false
	}
	return l.keeps == statement.Operand || n.From != nil && n.Having == nil && n.Limit == nil && l.b.group == nil
}

// aggregated drops digits of an aggregate's arguments. MySQL computes the aggregates of GROUP BY and of distinct
// values in a temporary table. COUNT needs no digits.
func (g *grouping) aggregated(args []expr.Expr, fn expr.AggFn, distinct bool) {
	for i, a := range args {
		switch {
		case !a.Type().Carries():
		case distinct || fn == expr.Median || fn == expr.Count || g != nil && g.explicit && g.rollup == nil && extends(fn):
			args[i] = expr.Shown(a)
		case fn != expr.Sum && fn != expr.Avg:
			args[i] = expr.Bounded(a)
		}
	}
}

// passed drops the extra digits of an aggregate of all rows, or of groups with ROLLUP, in a block with window
// functions: MySQL computes windows over a temporary table.
func (g *grouping) passed(aggregate expr.Expr) expr.Expr {
	if !aggregate.Type().Carries() || g.explicit && g.rollup == nil || !hasWindows(g.b.sel) {
		return aggregate
	}
	return expr.Shown(aggregate)
}

// hasWindows reports whether a SELECT computes window functions. n may be nil.
func hasWindows(n *ast.SelectStmt) bool {
	if n == nil {
		return false
	}
	for _, f := range n.Fields.Fields {
		if f.Expr != nil && ast.HasWindowFlag(f.Expr) {
			return true
		}
	}
	return n.OrderBy != nil && slices.ContainsFunc(n.OrderBy.Items, func(it *ast.ByItem) bool { return ast.HasWindowFlag(it.Expr) })
}

// extends reports whether MySQL's temporary tables hold the intermediate value of an aggregate of decimals as a
// decimal.
func extends(fn expr.AggFn) bool {
	return fn == expr.Sum || fn == expr.Avg || fn == expr.Min || fn == expr.Max || fn == expr.First
}

// showAggregates drops the extra digits of averages, least and greatest values of which only the shown digits matter: a
// column holds values of more digits before the point without them. Aggregates in subqueries keep theirs: another
// subquery of the statement may need all digits, and equal aggregates are computed once.
func (l *selectList) showAggregates(preds []expr.Expr, keys []expr.SortKey) {
	if l.b.group == nil || l.b.Outer != nil {
		return
	}
	for i := range l.b.group.aggs {
		it := &l.b.group.aggs[i]
		if it.Agg.T.Carries() && !l.carried(it.Col.ID, preds, keys) {
			a := shownAggregate(it.Agg)
			if a == nil {
				continue
			}
			it.Agg, it.Col.T = a, a.T
			l.replace(preds, keys, func(e expr.Expr) bool {
				x, ok := e.(*expr.Call)
				return ok && x.Fn == expr.FuncCast && x.T == a.T && columnID(x.Args[0]) == it.Col.ID
			}, it.Col)
			l.passAggregate(it.Col, preds, keys)
		}
	}
}

// shownAggregate returns an aggregate without the extra digits, or nil if it cannot do without them.
func shownAggregate(from *expr.Agg) *expr.Agg {
	a := *from
	switch a.T = from.T.Shown(); a.Fn {
	case expr.Avg:
	case expr.Min, expr.Max: // rounding keeps the order
		arg := a.Args[0]
		if c, ok := arg.(*expr.Call); ok && c.Fn == expr.FuncCast && c.Args[0].Type().Carries() && c.Args[0].Type().Shown() == a.T {
			arg = c.Args[0]
		}
		a.Args = []expr.Expr{expr.Shown(arg)}
	default:
		return nil
	}
	return &a
}

// carried reports whether an expression over the groups uses more than the shown digits of a column. A subquery
// that refers to the column may.
func (l *selectList) carried(id expr.ColID, preds []expr.Expr, keys []expr.SortKey) bool {
	found := false
	look := func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Subquery:
			found = found || refersToColumn(x.Plan.(logical.Node), id)
		case *expr.Col:
			found = found || x.ID == id
		case *expr.Call:
			if x.Fn == expr.FuncCast && columnID(x.Args[0]) == id && x.T == x.Args[0].Type().Shown() {
				return false
			}
		}
		return !found
	}
	l.overGroups(preds, keys, func(e expr.Expr) expr.Expr {
		expr.Walk(e, look)
		return e
	})
	return found
}

// refersToColumn reports whether an expression of a plan refers to a column.
func refersToColumn(n logical.Node, id expr.ColID) bool {
	found := false
	logical.EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			q, ok := e.(*expr.Subquery)
			found = found || columnID(e) == id || ok && refersToColumn(q.Plan.(logical.Node), id)
			return !found
		})
	})
	for _, in := range n.Inputs() {
		found = found || refersToColumn(in, id)
	}
	return found
}

// replace replaces matching subexpressions of the expressions over the groups with a column.
func (l *selectList) replace(preds []expr.Expr, keys []expr.SortKey, matches func(expr.Expr) bool, c logical.Column) {
	l.overGroups(preds, keys, func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if matches(e) {
				return c.Ref()
			}
			return e
		})
	})
}

// passAggregate lets the first item that consists only of the aggregate column c pass it through:
// the item takes the id of c and need not be computed.
func (l *selectList) passAggregate(c logical.Column, preds []expr.Expr, keys []expr.SortKey) {
	for i := range l.items {
		it := &l.items[i]
		if columnID(it.e) != c.ID || l.isItem(c.ID) {
			continue
		}
		old := it.col.ID
		it.col.ID = c.ID
		if it.hidden {
			it.col.Name, it.name = c.Name, c.Name
		}
		l.replace(preds, keys, func(e expr.Expr) bool { return columnID(e) == old }, it.col)
	}
}

// overGroups changes the expressions over the groups: those of the select list, HAVING, ORDER BY and windows.
func (l *selectList) overGroups(preds []expr.Expr, keys []expr.SortKey, change func(expr.Expr) expr.Expr) {
	for i := range l.items {
		l.items[i].e = change(l.items[i].e)
	}
	for i := range preds {
		preds[i] = change(preds[i])
	}
	sorted := func(keys []expr.SortKey) {
		for i := range keys {
			keys[i].Expr = change(keys[i].Expr)
		}
	}
	sorted(keys)
	if l.b.windows == nil {
		return
	}
	for _, n := range l.b.windows.nodes {
		for i := range n.Partition {
			n.Partition[i] = change(n.Partition[i])
		}
		sorted(n.Order)
		for i := range n.Funcs {
			n.Funcs[i].Fn = n.Funcs[i].Fn.Map(change)
		}
	}
}
