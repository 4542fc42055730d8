package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// rollup is what GROUP BY ... WITH ROLLUP adds to a grouping. Each row takes part in a
// group for every level, a number of leading keys that the level keeps; the others are NULL
// there. The level is a key itself, which tells these NULLs from those of the rows.
type rollup struct{ level logical.Column }

func (b *block) startRollup() {
	b.group.rollup = &rollup{level: logical.Column{ID: b.newID(), Name: "level", T: types.T(types.Int64), NotNull: true}}
	b.group.made[b.group.rollup.level.ID] = true
}

// addRollupKey adds a GROUP BY expression and gives its index. One that is there already
// makes a level of its own.
func (b *block) addRollupKey(e expr.Expr) int {
	g := b.group
	col := logical.Column{ID: b.newID(), Name: e.String(), T: g.rollup.keep(len(g.keys), e).Type()}
	if c, ok := e.(*expr.Col); ok {
		if from := b.scope.byID(c.ID); from != nil {
			col.Name, col.Table = from.Name, from.Table
		}
	}
	g.exprs, g.keys = append(g.exprs, e), append(g.keys, col)
	g.made[col.ID] = true
	return len(g.keys) - 1
}

// keep gives the value of key i, which is e in the rows.
func (r *rollup) keep(i int, e expr.Expr) expr.Expr {
	return mustCall("case", mustCall("<", number(int64(i)), r.level.Ref()), e)
}

func number(n int64) expr.Expr { return &expr.Const{Value: catalog.Int(n)} }

// mustCall makes a call whose operands are known to fit.
func mustCall(fn string, args ...expr.Expr) expr.Expr {
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}

// aggregateRollup puts the Aggregate over the rows of node, each of which it takes once
// for every level. Where the aggregates can be made of those of the finest groups, these
// take the place of the rows.
func (b *block) aggregateRollup(node logical.Node) logical.Node {
	g := b.group
	values, aggs := g.exprs, g.aggs
	split, ok := b.partialAggs()
	if ok {
		node, values = b.finestGroups(node, split.below)
		aggs = split.above
	}
	levels := &logical.Values{Columns: []logical.Column{g.rollup.level}}
	for i := range len(g.keys) + 1 {
		levels.Rows = append(levels.Rows, []expr.Expr{number(int64(i))})
	}
	in := &logical.Join{Kind: logical.Inner, L: node, R: levels}
	items := passItems(in.Schema())
	for i, k := range g.keys {
		items = append(items, logical.Item{Col: k, Expr: g.rollup.keep(i, values[i])})
	}
	keys := append(g.keys[:len(g.keys):len(g.keys)], g.rollup.level)
	out := &logical.Aggregate{In: &logical.Project{In: in, Items: items}, Keys: keys, Aggs: aggs}
	if !ok {
		return out
	}
	return &logical.Project{In: out, Items: append(passItems(keys), split.items...)}
}

// finestGroups groups the rows of node by all keys and gives the columns that hold these.
func (b *block) finestGroups(node logical.Node, aggs []logical.AggItem) (logical.Node, []expr.Expr) {
	var keys []logical.Column
	have := map[expr.ColID]bool{}
	items := passItems(node.Schema())
	values := make([]expr.Expr, len(b.group.exprs))
	for i, e := range b.group.exprs {
		col := logical.Column{}
		if c := b.scope.byID(columnID(e)); c != nil {
			col = c.Column
		} else {
			col = b.fresh(e.String(), e)
			items = append(items, logical.Item{Col: col, Expr: e})
		}
		values[i] = col.Ref()
		if !have[col.ID] {
			have[col.ID] = true
			keys = append(keys, col)
		}
	}
	return &logical.Aggregate{In: &logical.Project{In: node, Items: items}, Keys: keys, Aggs: aggs}, values
}

// rollupOrder gives the order of the groups where the query asks for none: each
// super-aggregate row behind the rows that it sums up.
func (b *block) rollupOrder() []expr.SortKey {
	defer b.enter(orderBy, true)()
	var keys []expr.SortKey
	for i, k := range b.group.keys {
		keys = append(keys, expr.SortKey{Expr: b.hidden(b.isSuper(i))}, expr.SortKey{Expr: b.hidden(k.Ref())})
	}
	return keys
}

// isSuper is 1 in the rows in which key i is NULL because its level leaves it out, else 0.
func (b *block) isSuper(i int) expr.Expr {
	return mustCall(">=", number(int64(i)), b.group.rollup.level.Ref())
}

// maxGroupingArgs is how many bits a result of GROUPING has.
const maxGroupingArgs = 64

// groupingCall binds GROUPING(x, ...): a bit for each argument, the last one's lowest, that
// tells whether the row sums up over all its values.
func (b *block) groupingCall(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	if b.group == nil || b.group.rollup == nil || !b.after() {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function").At(pos).
			WithHint("GROUPING stands in the select list, HAVING or ORDER BY of a query with GROUP BY ... WITH ROLLUP.")
	}
	if len(n.Args) == 0 {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function 'grouping'").At(pos)
	}
	if len(n.Args) > maxGroupingArgs {
		return nil, sqlerr.New(sqlerr.TooManyGroupingArgs, "For GROUPING function, number of arguments must be less than or equal to %d", maxGroupingArgs).At(pos)
	}
	var bits expr.Expr
	for i, a := range n.Args {
		e, err := b.expr(a)
		if err != nil {
			return nil, err
		}
		key := b.keyOf(e)
		if key < 0 {
			return nil, sqlerr.New(sqlerr.GroupingNotGroupBy, "Argument #%d of GROUPING function is not in GROUP BY", i+1).At(pos)
		}
		bit := b.isSuper(key)
		if bits != nil {
			bit = mustCall("+", mustCall("*", bits, number(2)), bit)
		}
		bits = bit
	}
	return bits, nil
}

// keyOf gives the GROUP BY expression that e is, or a reference to its key, else -1.
func (b *block) keyOf(e expr.Expr) int {
	for i, x := range b.group.exprs {
		if expr.Equal(x, e) || columnID(e) == b.group.keys[i].ID {
			return i
		}
	}
	for _, s := range b.group.shown {
		if expr.Equal(s.e, e) || expr.Equal(s.value, e) {
			return s.key
		}
	}
	return -1
}
