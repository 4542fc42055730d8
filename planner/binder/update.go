package binder

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// Update is a bound UPDATE. Node gives the RowID and then the new values of the
// columns Ordinals, cast to their types.
type Update struct {
	Target
	Node     logical.Node
	Ordinals []int
	Ignore   bool
}

// Delete is a bound DELETE. Node gives the RowID of every row to go.
type Delete struct {
	Target
	Node logical.Node
}

// Update binds an UPDATE of one table. Assignments happen from left to right, each
// seeing the ones before it, as in MySQL; of several to one column the last counts.
func (b *Binder) Update(ctx context.Context, s *parse.Statement, n *ast.UpdateStmt) (*Update, error) {
	st := b.begin(ctx, s)
	if n.MultipleTable {
		return nil, sqlerr.Unsupported(-1, "UPDATE of several tables").WithHint("Write the other table into a subquery.")
	}
	ctes, err := st.with(n.With, nil, nil)
	if err != nil {
		return nil, err
	}
	t, alias, err := st.target(n.TableRefs, "UPDATE")
	if err != nil {
		return nil, err
	}
	blk, node, err := st.rowsToChange(t, alias, n.Where, n.Order, n.Limit, ctes)
	if err != nil {
		return nil, err
	}
	u := &updating{block: blk, target: t, ignore: n.IgnoreErr, node: node, rowID: rowIDOf(node), values: map[int]logical.Item{}, current: map[expr.ColID]expr.Expr{}}
	for _, a := range n.List {
		if err := u.assign(a); err != nil {
			return nil, err
		}
	}
	st.warnUnusedHints()
	return u.finish(n.IgnoreErr), nil
}

// Delete binds a DELETE from one table.
func (b *Binder) Delete(ctx context.Context, s *parse.Statement, n *ast.DeleteStmt) (*Delete, error) {
	st := b.begin(ctx, s)
	if n.IsMultiTable {
		return nil, sqlerr.Unsupported(-1, "DELETE from several tables").WithHint("Write the other table into a subquery.")
	}
	ctes, err := st.with(n.With, nil, nil)
	if err != nil {
		return nil, err
	}
	t, alias, err := st.target(n.TableRefs, "DELETE")
	if err != nil {
		return nil, err
	}
	_, node, err := st.rowsToChange(t, alias, n.Where, n.Order, n.Limit, ctes)
	if err != nil {
		return nil, err
	}
	st.warnUnusedHints()
	return &Delete{Target: *t, Node: passThrough(node, []logical.Column{rowIDOf(node)})}, nil
}

// rowIDOf gives the RowID column of what rowsToChange made.
func rowIDOf(node logical.Node) logical.Column { return node.Schema()[0] }

// updating collects the assignments of an UPDATE.
type updating struct {
	*block
	target  *Target
	ignore  bool // UPDATE IGNORE
	node    logical.Node
	rowID   logical.Column
	order   []int                    // columns assigned, in the order of their first assignment
	values  map[int]logical.Item     // the value to be of a column
	current map[expr.ColID]expr.Expr // what a column assigned to stands for in later assignments
}

// assign binds one assignment.
func (u *updating) assign(a *ast.Assignment) error {
	schema := u.target.Table.Schema()
	if col, n := u.scope.find(a.Column); n == 0 || col == nil {
		u.at = fieldList
		return u.unknownColumn(a.Column, u.namePos(a.Column, 0))
	}
	o := schema.Ordinal(a.Column.Name.O)
	c := &schema.Columns[o]
	defer u.enter(fieldList, false)()
	u.block.target = &assigning{schema: schema, column: o}
	e, err := u.expr(a.Expr)
	if err != nil {
		return err
	}
	if u.usesAssigned(e) {
		u.layer()
		e = expr.Map(e, func(e expr.Expr) expr.Expr {
			if ref, ok := e.(*expr.Col); ok && u.current[ref.ID] != nil {
				return u.current[ref.ID]
			}
			return e
		})
	}
	if _, again := u.values[o]; !again {
		u.order = append(u.order, o)
	}
	u.values[o] = logical.Item{Col: logical.Column{ID: u.newID(), Name: c.Name, T: c.Type}, Expr: u.stored(e, c, u.ignore, startOf(a.Expr))}
	u.current[u.scope.cols[o].ID] = u.values[o].Col.Ref()
	return nil
}

// usesAssigned tells whether e refers to a column that has a new value.
func (u *updating) usesAssigned(e expr.Expr) bool {
	set := map[expr.ColID]bool{}
	expr.Cols(e, set)
	for id := range set {
		if u.current[id] != nil {
			return true
		}
	}
	return false
}

// layer computes the values so far below, so that later ones can refer to them.
func (u *updating) layer() {
	have := u.node.Schema()
	items := make([]logical.Item, 0, len(have)+len(u.order))
	made := map[expr.ColID]bool{}
	for _, c := range have {
		items = append(items, logical.Item{Col: c, Expr: c.Ref()})
		made[c.ID] = true
	}
	for _, o := range u.order {
		it := u.values[o]
		if !made[it.Col.ID] {
			items = append(items, it)
		}
		it.Expr = it.Col.Ref()
		u.values[o] = it
	}
	u.node = &logical.Project{In: u.node, Items: items}
}

func (u *updating) finish(ignore bool) *Update {
	items := []logical.Item{{Col: u.rowID, Expr: u.rowID.Ref()}}
	for _, o := range u.order {
		items = append(items, u.values[o])
	}
	return &Update{Target: *u.target, Node: &logical.Project{In: u.node, Items: items}, Ordinals: u.order, Ignore: ignore}
}
