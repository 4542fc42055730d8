package binder

import (
	"context"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Change is what an UPDATE or DELETE does to one table. Column RowID of the plan is the
// row's id, NULL where an outer join found none; the new values of the columns Ordinals,
// cast to their types, follow it. An id may come several times.
type Change struct {
	Target
	RowID    int
	Ordinals []int
}

// Update is a bound UPDATE. Node gives the columns that Tables describe.
type Update struct {
	Node   logical.Node
	Tables []Change
	Ignore bool
}

// Update binds an UPDATE of one table or of several that are joined. Assignments happen
// from left to right, each seeing the ones before it, as in MySQL; of several to one
// column the last counts.
func (b *Binder) Update(ctx context.Context, s *parse.Statement, n *ast.UpdateStmt) (*Update, error) {
	st := b.begin(ctx, s)
	blk, node, err := st.changing(n.With, n.TableRefs)
	if err != nil {
		return nil, err
	}
	if len(blk.scope.sources) > 1 {
		if err := st.refuseOrder(n.Order, n.Limit); err != nil {
			return nil, err
		}
	}
	u := newUpdating(blk, n.IgnoreErr, func(a *ast.Assignment) (*column, error) { return blk.updatable(a.Column, "UPDATE") })
	if err := u.declare(n.List); err != nil {
		return nil, err
	}
	var sources []*source
	var rowIDs []logical.Column
	for _, c := range u.order {
		if !slices.Contains(sources, c.src) {
			sources, rowIDs = append(sources, c.src), append(rowIDs, st.addRowID(c.src))
		}
	}
	if u.node, err = blk.chosen(node, n.Where, n.Order, n.Limit); err != nil {
		return nil, err
	}
	for _, a := range n.List {
		if err := u.assign(a); err != nil {
			return nil, err
		}
	}
	st.warnUnusedHints()
	return u.finish(sources, rowIDs)
}

// changing binds the WITH clause and the tables of an UPDATE or DELETE.
func (s *statement) changing(with *ast.WithClause, refs *ast.TableRefsClause) (*block, logical.Node, error) {
	ctes, err := s.with(with, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	b := s.newBlock(nil, ctes, &scope{})
	node, err := b.from(refs)
	return b, node, err
}

// refuseOrder gives error 1221 for what an UPDATE of several tables cannot have.
func (s *statement) refuseOrder(order *ast.OrderByClause, limit *ast.Limit) error {
	switch {
	case order != nil:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of UPDATE and ORDER BY").At(s.find("ORDER", 0))
	case limit != nil:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of UPDATE and LIMIT").At(s.find("LIMIT", 0))
	}
	return nil
}

// updatable finds the column of a table that verb assigns to (1052, 1054, 1288).
func (b *block) updatable(name *ast.ColumnName, verb string) (*column, error) {
	pos := b.namePos(name, 0)
	c, n := b.scope.find(name)
	switch {
	case n > 1:
		return nil, ambiguous(displayName(name), fieldList, pos)
	case n == 0:
		b.at = fieldList
		return nil, b.unknownColumn(name, pos)
	}
	return c, notUpdatable(c.src, verb, pos)
}

// notUpdatable gives error 1288 for a source that is no table.
func notUpdatable(src *source, verb string, pos int) error {
	if src.scan != nil {
		return nil
	}
	return sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", src.alias, verb).At(pos).
		WithHint("%s is a query or a view: change the tables it reads.", src.alias)
}

// addRowID lets a table's scan give its rows' ids, too.
func (s *statement) addRowID(src *source) logical.Column {
	id := logical.Column{ID: s.newID(), Name: "_rowid", Table: src.alias, T: types.T(types.Int64)}
	src.scan.Columns = append([]logical.Column{id}, src.scan.Columns...)
	src.scan.Ordinals = append([]int{catalog.RowID}, src.scan.Ordinals...)
	if src.local != nil {
		src.local.Items = append(src.local.Items, logical.Item{Col: id, Expr: id.Ref()})
	}
	return id
}

// target describes the table behind a source.
func (src *source) target() Target {
	return Target{Table: src.table, DB: src.db, Name: src.table.Name()}
}

// updating collects assignments to columns of tables in a block's scope.
type updating struct {
	*block
	find   func(*ast.Assignment) (*column, error) // the column on the left side
	ignore bool                                   // UPDATE IGNORE
	node   logical.Node
	order  []*column                   // columns assigned to, in the order of their first assignment
	values map[expr.ColID]logical.Item // the value to be of a column
}

func newUpdating(b *block, ignore bool, find func(*ast.Assignment) (*column, error)) *updating {
	return &updating{block: b, ignore: ignore, find: find, values: map[expr.ColID]logical.Item{}}
}

// declare finds the columns that are assigned to.
func (u *updating) declare(list []*ast.Assignment) error {
	for _, a := range list {
		c, err := u.find(a)
		if err != nil {
			return err
		}
		if !slices.Contains(u.order, c) {
			u.order = append(u.order, c)
		}
	}
	return nil
}

// assign binds one assignment.
func (u *updating) assign(a *ast.Assignment) error {
	left, err := u.find(a)
	if err != nil {
		return err
	}
	schema := left.src.table.Schema()
	c := &schema.Columns[left.ordinal]
	if c.Generated != "" && !isDefault(a.Expr) {
		return generatedValue(c, left.src.table.Name(), startOf(a.Expr))
	}
	defer u.enter(fieldList, false)()
	u.assigning(schema, left.ordinal)
	e, err := u.expr(a.Expr)
	if err != nil {
		return err
	}
	if u.usesAssigned(e) {
		u.layer()
		e = expr.Map(e, func(e expr.Expr) expr.Expr {
			if ref, ok := e.(*expr.Col); ok && u.assigned(ref.ID) {
				return u.localTime(u.values[ref.ID].Col.Ref())
			}
			return e
		})
	}
	u.values[left.ID] = logical.Item{Col: logical.Column{ID: u.newID(), Name: c.Name, T: c.Type}, Expr: u.stored(e, c, u.ignore, startOf(a.Expr))}
	return nil
}

// assigning sets what DEFAULT means.
func (b *block) assigning(schema *catalog.Schema, column int) {
	if b.target == nil {
		b.target = &assigning{}
	}
	b.target.schema, b.target.column = schema, column
}

// assigned tells whether the column of an id has a new value.
func (u *updating) assigned(id expr.ColID) bool {
	_, ok := u.values[id]
	return ok
}

// usesAssigned tells whether e refers to a column that has a new value.
func (u *updating) usesAssigned(e expr.Expr) bool {
	set := map[expr.ColID]bool{}
	expr.Cols(e, set)
	for id := range set {
		if u.assigned(id) {
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
	for _, c := range u.order {
		it, ok := u.values[c.ID]
		if !ok {
			continue
		}
		if !made[it.Col.ID] {
			items = append(items, it)
		}
		it.Expr = it.Col.Ref()
		u.values[c.ID] = it
	}
	u.node = &logical.Project{In: u.node, Items: items}
}

func (u *updating) finish(sources []*source, rowIDs []logical.Column) (*Update, error) {
	out := &Update{Ignore: u.ignore}
	var items []logical.Item
	for i, src := range sources {
		for _, other := range sources[:i] {
			if other.table == src.table {
				return nil, sqlerr.Unsupported(-1, "UPDATE of table %s under two names", src.table.Name())
			}
		}
		ch := Change{Target: src.target(), RowID: len(items)}
		items = append(items, logical.Item{Col: rowIDs[i], Expr: rowIDs[i].Ref()})
		for _, c := range u.order {
			if c.src == src {
				ch.Ordinals = append(ch.Ordinals, c.ordinal)
				items = append(items, u.values[c.ID])
			}
		}
		out.Tables = append(out.Tables, ch)
	}
	out.Node = &logical.Project{In: u.node, Items: items}
	return out, nil
}
