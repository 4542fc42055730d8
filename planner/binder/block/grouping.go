package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// grouping holds the keys and aggregates of a grouped block. GROUP BY and aggregates are bound
// over the rows of FROM. regroup then rewrites other expressions to ones over the groups.
type grouping struct {
	b        *Block
	rows     logical.Node // the grouped rows: FROM and WHERE
	exprs    []expr.Expr  // the GROUP BY expressions over FROM
	keys     []logical.Column
	fields   map[int]int // select list index -> key, if GROUP BY refers to an item by alias or ordinal
	aggs     []logical.AggItem
	first    map[expr.ColID]*expr.Col // FROM's column -> its First aggregate
	shown    []shownKey               // keys that are grouped by collation keys
	explicit bool                     // the query has a GROUP BY clause
	made     map[expr.ColID]bool      // columns of the Aggregate
	needAll  bool                     // some key is a computed expression
	rollup   *rollup                  // WITH ROLLUP, else nil
	fixed    map[expr.ColID]bool      // FROM's columns that depend on the keys, once computed
}

// needsGrouping reports whether the block groups: it has GROUP BY or an aggregate.
func (b *Block) needsGrouping(n *ast.SelectStmt) bool {
	if n.GroupBy != nil {
		return true
	}
	if b.grouped {
		return true
	}
	for _, f := range n.Fields.Fields {
		if f.Expr != nil && b.hasAggregate(f.Expr) {
			return true
		}
	}
	if n.Having != nil && b.hasAggregate(n.Having.Expr) {
		return true
	}
	if n.OrderBy != nil {
		for _, it := range n.OrderBy.Items {
			if b.hasAggregate(it.Expr) {
				return true
			}
		}
	}
	for i := range n.WindowSpecs {
		if b.findsAggregate(&n.WindowSpecs[i]) {
			return true
		}
	}
	return false
}

// hasAggregate reports whether an expression contains an aggregate of the block. It also looks into the
// partition and order of windows.
func (b *Block) hasAggregate(e ast.ExprNode) bool {
	if !ast.HasWindowFlag(e) && (!ast.HasAggFlag(e) || b.Outer == nil) {
		return ast.HasAggFlag(e)
	}
	return b.findsAggregate(e)
}

func (b *Block) findsAggregate(n ast.Node) bool {
	f := aggregateFinder{b: b}
	n.Accept(&f)
	return f.found
}

// aggregateFinder looks for a block's aggregates outside of subqueries.
type aggregateFinder struct {
	b     *Block
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

func newGrouping(b *Block, rows logical.Node) *grouping {
	return &grouping{b: b, rows: rows, fields: map[int]int{}, first: map[expr.ColID]*expr.Col{}, made: map[expr.ColID]bool{}}
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

// addAgg adds an aggregate and returns the column that holds its value.
func (g *grouping) addAgg(a *expr.Agg, notNull bool) *expr.Col {
	for i := range g.aggs {
		if sameAgg(g.aggs[i].Agg, a) {
			return g.aggs[i].Col.Ref()
		}
	}
	col := logical.Column{ID: g.b.NewID(), Name: a.String(), T: a.T, NotNull: notNull}
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

// aggregate adds the Aggregate above node, and below it a Project that computes the keys that are not columns.
func (g *grouping) aggregate(node logical.Node) logical.Node {
	if g.rollup != nil {
		return g.rollup.aggregate(node)
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
