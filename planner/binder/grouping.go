package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// grouping is what a grouped block groups by and computes. GROUP BY and aggregates
// are bound over the rows of FROM; regroup then turns the other expressions into ones
// over the groups.
type grouping struct {
	exprs    []expr.Expr // the GROUP BY expressions over FROM
	keys     []logical.Column
	fields   map[int]int // select list index -> key, where GROUP BY names an item by alias or ordinal
	aggs     []logical.AggItem
	first    map[expr.ColID]*expr.Col // FROM's column -> its First aggregate
	shown    []shownKey               // keys whose values are not what is grouped by
	explicit bool                     // there is a GROUP BY
	made     map[expr.ColID]bool      // columns of the Aggregate
	needAll  bool                     // some key is computed
	rollup   *rollup                  // WITH ROLLUP, else nil
	fixed    map[expr.ColID]bool      // FROM's columns that the groups fix, once asked for
}

// needsGrouping tells whether the block groups: it has GROUP BY or an aggregate.
func (b *block) needsGrouping(n *ast.SelectStmt) bool {
	if n.GroupBy != nil {
		return true
	}
	if b.grouped {
		return b.startGrouping()
	}
	for _, f := range n.Fields.Fields {
		if f.Expr != nil && b.hasAggregate(f.Expr) {
			return b.startGrouping()
		}
	}
	if n.Having != nil && b.hasAggregate(n.Having.Expr) {
		return b.startGrouping()
	}
	if n.OrderBy != nil {
		for _, it := range n.OrderBy.Items {
			if b.hasAggregate(it.Expr) {
				return b.startGrouping()
			}
		}
	}
	for i := range n.WindowSpecs {
		if b.findsAggregate(&n.WindowSpecs[i]) {
			return b.startGrouping()
		}
	}
	return false
}

// hasAggregate tells whether an expression holds an aggregate of the block, also in the
// partition or order of a window.
func (b *block) hasAggregate(e ast.ExprNode) bool {
	if !ast.HasWindowFlag(e) && (!ast.HasAggFlag(e) || b.outer == nil) {
		return ast.HasAggFlag(e)
	}
	return b.findsAggregate(e)
}

func (b *block) findsAggregate(n ast.Node) bool {
	f := aggregateFinder{b: b}
	n.Accept(&f)
	return f.found
}

// aggregateFinder looks for a block's aggregates outside of subqueries.
type aggregateFinder struct {
	b     *block
	found bool
}

// Enter implements ast.Visitor.
func (f *aggregateFinder) Enter(n ast.Node) (ast.Node, bool) {
	_, sub := n.(*ast.SubqueryExpr)
	if a, ok := n.(*ast.AggregateFuncExpr); ok && !f.found {
		f.found = f.b.ownAggregate(a)
	}
	return n, sub || f.found
}

// Leave implements ast.Visitor.
func (f *aggregateFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func (b *block) startGrouping() bool {
	b.group = &grouping{fields: map[int]int{}, first: map[expr.ColID]*expr.Col{}, made: map[expr.ColID]bool{}}
	return true
}

func (g *grouping) makes(id expr.ColID) bool { return g.made[id] }

func (g *grouping) notNull(id expr.ColID) bool {
	for i := range g.keys {
		if g.keys[i].ID == id {
			return g.keys[i].NotNull
		}
	}
	for i := range g.aggs {
		if g.aggs[i].Col.ID == id {
			return g.aggs[i].Col.NotNull
		}
	}
	return false
}

// bindGroupBy binds the GROUP BY list.
func (b *block) bindGroupBy(n *ast.SelectStmt) error {
	if n.GroupBy == nil {
		return nil
	}
	b.startGrouping()
	b.group.explicit = true
	if n.GroupBy.Rollup {
		b.startRollup()
	}
	defer b.enter(groupBy, false)()
	for _, it := range n.GroupBy.Items {
		if err := b.groupItem(n, it.Expr); err != nil {
			return err
		}
	}
	return nil
}

// groupItem binds one GROUP BY expression: an ordinal, a column, an alias (where no
// column has its name) or any expression.
func (b *block) groupItem(n *ast.SelectStmt, node ast.ExprNode) error {
	field := -1
	switch x := node.(type) {
	case *ast.PositionExpr:
		i, err := b.ordinal(x, n.Fields.Fields)
		if err != nil {
			return err
		}
		field = i
	default:
		if c, ok := plain(node); ok {
			if _, n := b.scope.find(c.Name); n == 0 && c.Name.Table.L == "" {
				field = b.fieldCalled(c.Name.Name.L)
			}
		}
	}
	if field >= 0 {
		f := b.sel.Fields.Fields[field]
		if ast.HasAggFlag(f.Expr) || ast.HasWindowFlag(f.Expr) {
			return sqlerr.New(sqlerr.WrongGroupField, "Can't group on '%s'", fieldName(f)).At(f.Offset)
		}
		node = f.Expr
	}
	e, err := b.expr(node)
	if err != nil {
		return err
	}
	k, err := b.addKey(e)
	if field >= 0 && err == nil {
		b.group.fields[field] = k
	}
	return err
}

// ordinal gives the select item that GROUP BY 2 or ORDER BY 2 names.
func (b *block) ordinal(p *ast.PositionExpr, fields []*ast.SelectField) (int, error) {
	n, err := b.positionValue(p)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > len(fields) {
		return 0, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in '%s'", n, b.at).
			WithHint("The select list has %d column(s).", len(fields))
	}
	for _, f := range fields[:n] {
		if f.WildCard != nil {
			return 0, sqlerr.Unsupported(f.Offset, "ordinals after * in GROUP BY").WithHint("Name the column.")
		}
	}
	return n - 1, nil
}

// fieldCalled finds a select item by its alias, or gives -1.
func (b *block) fieldCalled(key string) int {
	for i, f := range b.sel.Fields.Fields {
		if f.WildCard == nil && f.AsName.L == key {
			return i
		}
	}
	return -1
}

// aliasInGroupBy resolves an alias inside a GROUP BY expression.
func (b *block) aliasInGroupBy(name *ast.ColumnName, _ int) (expr.Expr, error) {
	if name.Table.L != "" {
		return nil, nil
	}
	i := b.fieldCalled(name.Name.L)
	if i < 0 {
		return nil, nil
	}
	f := b.sel.Fields.Fields[i]
	if c, ok := plain(f.Expr); ok && c.Name.Name.L == name.Name.L {
		return nil, nil // the alias is the name itself, which no column has
	}
	if err := b.deeper(); err != nil {
		return nil, err
	}
	defer b.shallower()
	return b.expr(f.Expr)
}

// shownKey is a GROUP BY expression that is grouped by its key in its collation: where the
// query has it, it is the value of some row.
type shownKey struct {
	e     expr.Expr
	key   int // index of the key
	value *expr.Col
}

// addShown adds a GROUP BY expression that compares by a collation.
func (b *block) addShown(e expr.Expr) (int, error) {
	if b.group.rollup != nil {
		return 0, refuseCollations([]logical.Column{{T: typeOf(e)}}, "ROLLUP")
	}
	key, err := expr.CollationKey(e)
	if err != nil {
		return 0, err
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{e}, false)
	if err != nil {
		return 0, err
	}
	k, err := b.addKey(key)
	b.group.shown = append(b.group.shown, shownKey{e, k, b.addAgg(a, b.notNull(e))})
	return k, err
}

// addKey adds a GROUP BY expression and gives its index.
func (b *block) addKey(e expr.Expr) (int, error) {
	g := b.group
	if expr.HasKey(typeOf(e)) {
		return b.addShown(e)
	}
	if g.rollup != nil {
		return b.addRollupKey(e), nil
	}
	for i, x := range g.exprs {
		if expr.Equal(x, e) && !expr.Volatile(e) {
			return i, nil
		}
	}
	col := logical.Column{}
	if c, ok := e.(*expr.Col); ok && b.scope.byID(c.ID) != nil {
		col = b.scope.byID(c.ID).Column
	} else {
		col = b.fresh(e.String(), e)
		g.needAll = true
	}
	g.exprs = append(g.exprs, e)
	g.keys = append(g.keys, col)
	g.made[col.ID] = true
	return len(g.keys) - 1, nil
}

// groupedField gives the key column of a select item that GROUP BY names, or nil.
func (b *block) groupedField(i int) expr.Expr {
	if b.group == nil {
		return nil
	}
	k, ok := b.group.fields[i]
	if !ok {
		return nil
	}
	for _, s := range b.group.shown {
		if s.key == k {
			return s.value
		}
	}
	return b.group.keys[k].Ref()
}

// groupColumn resolves a name in HAVING to a GROUP BY column, which is preferred to
// an alias of the same name.
func (b *block) groupColumn(name *ast.ColumnName) (expr.Expr, error) {
	if b.group == nil {
		return nil, nil
	}
	col, n := b.scope.find(name)
	if n != 1 {
		return nil, nil
	}
	for _, e := range b.group.exprs {
		if c, ok := e.(*expr.Col); ok && c.ID == col.ID {
			return col.Ref(), nil
		}
	}
	for _, s := range b.group.shown {
		if c, ok := s.e.(*expr.Col); ok && c.ID == col.ID {
			return s.value, nil
		}
	}
	return nil, nil
}

// addAgg adds an aggregate and gives the column that holds its value.
func (b *block) addAgg(a *expr.Agg, notNull bool) *expr.Col {
	g := b.group
	for i := range g.aggs {
		if sameAgg(g.aggs[i].Agg, a) {
			return g.aggs[i].Col.Ref()
		}
	}
	col := logical.Column{ID: b.newID(), Name: a.String(), T: a.T, NotNull: notNull}
	g.aggs = append(g.aggs, logical.AggItem{Col: col, Agg: a})
	g.made[col.ID] = true
	return col.Ref()
}

func sameAgg(a, b *expr.Agg) bool {
	if a.Fn != b.Fn || a.Distinct != b.Distinct || a.Sep != b.Sep || len(a.Args) != len(b.Args) || len(a.OrderBy) != len(b.OrderBy) {
		return false
	}
	for i := range a.Args {
		if !expr.Equal(a.Args[i], b.Args[i]) || expr.Volatile(a.Args[i]) {
			return false
		}
	}
	for i := range a.OrderBy {
		if a.OrderBy[i].Desc != b.OrderBy[i].Desc || !expr.Equal(a.OrderBy[i].Expr, b.OrderBy[i].Expr) {
			return false
		}
	}
	return true
}

// regroup turns an expression over FROM's rows into one over the groups: what equals
// a GROUP BY expression becomes its key, other columns of FROM some row's value.
// Without grouping e stays as it is.
func (b *block) regroup(e expr.Expr) (expr.Expr, error) {
	g := b.group
	if g == nil {
		return e, nil
	}
	for i, k := range g.exprs {
		if expr.Equal(k, e) {
			return g.keys[i].Ref(), nil
		}
	}
	for i := range g.shown {
		if expr.Equal(g.shown[i].e, e) {
			return g.shown[i].value, nil
		}
	}
	switch x := e.(type) {
	case *expr.Col:
		if c := b.scope.byID(x.ID); c != nil && !g.makes(x.ID) {
			return b.someRow(c)
		}
	case *expr.Call:
		args, err := b.regroupList(x.Args)
		if err != nil {
			return nil, err
		}
		c := *x
		c.Args = args
		return &c, nil
	case *expr.Subquery:
		left, err := b.regroupList(x.Left)
		if err != nil {
			return nil, err
		}
		q := *x
		q.Left = left
		return &q, nil
	}
	return e, nil
}

func (b *block) regroupList(es []expr.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = b.regroup(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// regroupAll regroups a clause's expressions in place.
func (b *block) regroupAll(es []expr.Expr, at clause) error {
	defer b.enter(at, true)()
	for i := range es {
		e, err := b.regroup(es[i])
		if err != nil {
			return err
		}
		es[i] = e
	}
	return nil
}

// someRow gives the value of column c in some row of the group, or error 1055 or
// 1140 where sql_mode asks for ONLY_FULL_GROUP_BY and the groups do not fix it.
func (b *block) someRow(c *column) (expr.Expr, error) {
	if ref := b.group.first[c.ID]; ref != nil {
		return ref, nil
	}
	if b.full && !b.dependsOnKeys(c) {
		return nil, b.notGrouped(c)
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{c.Ref()}, false)
	if err != nil {
		return nil, err
	}
	ref := b.addAgg(a, c.NotNull && b.group.explicit)
	b.group.first[c.ID] = ref
	return ref, nil
}

func (b *block) notGrouped(c *column) error {
	name := b.prefix(c) + c.Name
	if !b.group.explicit {
		return sqlerr.New(sqlerr.MixOfGroupFuncAndFields, "In aggregated query without GROUP BY, expression #%d of %s contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", len(b.items)+1, b.listName(), name).
			At(b.find(c.Name, 0))
	}
	return sqlerr.New(sqlerr.WrongFieldWithGroup, "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by", len(b.items)+1, b.listName(), name).
		At(b.find(c.Name, 0)).WithHint("Add the column to GROUP BY, or write ANY_VALUE(%s).", c.Name)
}

// listName is how MySQL calls the clause at hand in errors 1055 and 1140.
func (b *block) listName() string {
	switch b.at {
	case having:
		return "HAVING clause"
	case orderBy:
		return "ORDER BY clause"
	}
	return "SELECT list"
}

// prefix gives the prefix "db.table." of a column for messages.
func (b *block) prefix(c *column) string {
	if c.src == nil {
		return ""
	}
	if c.src.db == "" {
		return c.src.alias + "."
	}
	return c.src.db + "." + c.src.alias + "."
}

// aggregate puts the Aggregate over node, and below it a Project that computes those
// keys that are no columns.
func (b *block) aggregate(node logical.Node) logical.Node {
	g := b.group
	if g.rollup != nil {
		return b.aggregateRollup(node)
	}
	if g.needAll {
		cols := node.Schema()
		items := make([]logical.Item, 0, len(cols)+len(g.keys))
		for _, c := range cols {
			items = append(items, logical.Item{Col: c, Expr: c.Ref()})
		}
		for i, e := range g.exprs {
			if c, ok := e.(*expr.Col); !ok || c.ID != g.keys[i].ID {
				items = append(items, logical.Item{Col: g.keys[i], Expr: e})
			}
		}
		node = &logical.Project{In: node, Items: items}
	}
	return &logical.Aggregate{In: node, Keys: g.keys, Aggs: g.aggs}
}
