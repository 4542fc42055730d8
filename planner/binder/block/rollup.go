package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// rollup holds the additions of GROUP BY ... WITH ROLLUP to a grouping. Each row belongs to one
// group per level. A level keeps a number of leading keys; the others are NULL there. The level
// is itself a key, which distinguishes these NULLs from those of the rows.
type rollup struct {
	g     *grouping
	level logical.Column
}

func (g *grouping) startRollup() {
	g.rollup = &rollup{g: g, level: logical.Column{ID: g.b.NewID(), Name: "level", T: types.T(types.Int64), NotNull: true}}
	g.made[g.rollup.level.ID] = true
}

// addKey adds a GROUP BY expression and returns its index. A repeated expression makes a level of its own.
func (r *rollup) addKey(e expr.Expr) int {
	g := r.g
	col := logical.Column{ID: g.b.NewID(), Name: e.String(), T: r.keep(len(g.keys), e).Type()}
	if c, ok := e.(*expr.Col); ok {
		if from := r.g.b.Scope.ByID(c.ID); from != nil {
			col.Name, col.Table = from.Name, from.Table
		}
	}
	g.exprs, g.keys = append(g.exprs, e), append(g.keys, col)
	g.made[col.ID] = true
	return len(g.keys) - 1
}

// keep returns the value of key i, whose value in the rows is e.
func (r *rollup) keep(i int, e expr.Expr) expr.Expr {
	return mustCall(expr.FuncCase, mustCall(expr.FuncLT, number(int64(i)), r.level.Ref()), e)
}

func number(n int64) expr.Expr { return &expr.Const{Value: catalog.Int(n)} }

// mustCall returns a call whose operands are known to be valid.
func mustCall(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	e, err := expr.NewCall(fn, args, -1)
	if err != nil {
		panic(err)
	}
	return e
}

// aggregate adds the groups of all levels above the rows of node. If the aggregates of a group can be
// computed from those of its parts, each level is built from the next finer one. Otherwise an
// Aggregate reads each row once per level.
func (r *rollup) aggregate(node logical.Node) logical.Node {
	g := r.g
	if split, ok := g.partialAggs(); ok {
		return r.merged(node, split)
	}
	levels := &logical.Values{Columns: []logical.Column{r.level}}
	for i := range len(g.keys) + 1 {
		levels.Rows = append(levels.Rows, []expr.Expr{number(int64(i))})
	}
	in := &logical.Join{Kind: logical.Inner, L: node, R: levels}
	items := scope.PassItems(in.Schema())
	for i, k := range g.keys {
		items = append(items, logical.Item{Col: k, Expr: r.keep(i, g.exprs[i])})
	}
	keys := append(g.keys[:len(g.keys):len(g.keys)], r.level)
	return &logical.Aggregate{In: &logical.Project{In: in, Items: items}, Keys: keys, Aggs: g.aggs}
}

// merged returns a Rollup over the finest groups.
func (r *rollup) merged(node logical.Node, split *parts) logical.Node {
	g := r.g
	finest := r.finestGroups(node, split.below)
	m := &logical.Rollup{Keys: finest.keys, Level: r.level}
	below := scope.PassItems(finest.node.Keys)
	for _, it := range split.above {
		from := it.Agg.Args[0]
		value := g.b.Fresh(from.String(), from)
		value.T = it.Col.T
		below = append(below, logical.Item{Col: value, Expr: expr.Cast(from, value.T)})
		m.Items = append(m.Items, logical.RollupItem{Col: it.Col, Fn: it.Agg.Fn, In: value})
	}
	m.In = &logical.Project{In: finest.node, Items: below}
	items := make([]logical.Item, 0, len(g.keys)+1+len(split.items))
	for i, k := range g.keys {
		out := k
		out.ID, out.T, out.NotNull = g.b.NewID(), m.Keys[i].T, false
		m.Out = append(m.Out, out)
		item := logical.Item{Col: k, Expr: out.Ref()}
		if k.T != out.T {
			item.Expr = r.keep(i, item.Expr)
		}
		items = append(items, item)
	}
	items = append(items, scope.PassItems([]logical.Column{r.level})...)
	return &logical.Project{In: m, Items: append(items, split.items...)}
}

// finest describes the finest groups. keys has the column of each GROUP BY expression, which may
// repeat.
type finest struct {
	node *logical.Aggregate
	keys []logical.Column
}

// finestGroups groups the rows of node by all keys.
func (r *rollup) finestGroups(node logical.Node, aggs []logical.AggItem) finest {
	var keys []logical.Column
	have := map[expr.ColID]bool{}
	items := scope.PassItems(node.Schema())
	values := make([]logical.Column, len(r.g.exprs))
	for i, e := range r.g.exprs {
		col := logical.Column{}
		if c := r.g.b.Scope.ByID(columnID(e)); c != nil {
			col = c.Column
		} else {
			col = r.g.b.Fresh(e.String(), e)
			items = append(items, logical.Item{Col: col, Expr: e})
		}
		values[i] = col
		if !have[col.ID] {
			have[col.ID] = true
			keys = append(keys, col)
		}
	}
	return finest{&logical.Aggregate{In: &logical.Project{In: node, Items: items}, Keys: keys, Aggs: aggs}, values}
}

// order returns the order of the groups if the query has none: each super-aggregate row follows the rows that it
// summarizes.
func (r *rollup) order() []expr.SortKey {
	list := &r.g.b.list
	defer r.g.b.Enter(scope.OrderBy, true)()
	var keys []expr.SortKey
	for i, k := range r.g.keys {
		keys = append(keys, expr.SortKey{Expr: list.hidden(r.isSuper(i))}, expr.SortKey{Expr: list.hidden(k.Ref())})
	}
	return keys
}

// isSuper returns an expression that is 1 in rows where key i is NULL because their level omits
// it, else 0.
func (r *rollup) isSuper(i int) expr.Expr {
	return mustCall(expr.FuncGE, number(int64(i)), r.level.Ref())
}

// maxGroupingArgs is the number of bits in a result of GROUPING.
const maxGroupingArgs = 64

// Grouping implements scalar.Block. It binds GROUPING(x, ...), which has one bit per argument, the last one
// lowest. A bit is 1 if the row summarizes all values of the argument.
func (b *Block) Grouping(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	if b.group == nil || b.group.rollup == nil || !b.after() {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function").At(pos).
			WithHint("GROUPING can appear in the select list, HAVING or ORDER BY of a query with GROUP BY ... WITH ROLLUP.")
	}
	if len(n.Args) == 0 {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function 'grouping'").At(pos)
	}
	if len(n.Args) > maxGroupingArgs {
		return nil, sqlerr.New(sqlerr.TooManyGroupingArgs, "For GROUPING function, number of arguments must be less than or equal to %d", maxGroupingArgs).At(pos)
	}
	var bits expr.Expr
	for i, a := range n.Args {
		e, err := b.Expr(a)
		if err != nil {
			return nil, err
		}
		key := b.group.keyOf(e)
		if key < 0 {
			return nil, sqlerr.New(sqlerr.GroupingNotGroupBy, "Argument #%d of GROUPING function is not in GROUP BY", i+1).At(pos)
		}
		bit := b.group.rollup.isSuper(key)
		if bits != nil {
			bit = mustCall(expr.FuncAdd, mustCall(expr.FuncMul, bits, number(2)), bit)
		}
		bits = bit
	}
	return bits, nil
}

// keyOf returns the index of the GROUP BY expression that e is or whose key it refers to, or -1.
func (g *grouping) keyOf(e expr.Expr) int {
	shown := expr.Shown(e)
	for i, x := range g.exprs {
		if expr.Equal(x, shown) || columnID(e) == g.keys[i].ID {
			return i
		}
	}
	for _, s := range g.shown {
		if expr.Equal(s.e, e) || expr.Equal(s.value, e) {
			return s.key
		}
	}
	return -1
}
