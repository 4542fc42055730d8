package dml

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/query"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Change is the effect of an UPDATE or DELETE on one table. Column RowID of the plan is the row's
// id, NULL if an outer join found no row. The new values of the columns Ordinals, cast to their
// types, follow it. An id may occur several times.
type Change struct {
	scope.Target
	RowID    int
	Ordinals []int
}

// Update is a bound UPDATE. Tables describe the columns of Node.
type Update struct {
	Node   logical.Node
	Tables []Change
	Ignore bool
}

// BindUpdate binds an UPDATE of one table or of several joined tables. As in MySQL, assignments
// happen from left to right, each seeing the previous ones; the last assignment to a column takes
// effect.
func BindUpdate(q *query.Binder, n *ast.UpdateStmt) (*Update, error) {
	blk, node, err := q.Changing(n.With, n.TableRefs)
	if err != nil {
		return nil, err
	}
	if len(blk.Scope.Sources) > 1 {
		if err := refuseOrder(q.Statement, n.Order, n.Limit); err != nil {
			return nil, err
		}
	}
	u := newUpdating(blk, n.IgnoreErr, func(a *ast.Assignment) (*scope.Column, error) { return updatable(blk, a.Column, "UPDATE") })
	if err := u.declare(n.List); err != nil {
		return nil, err
	}
	var sources []*scope.Source
	var rowIDs []logical.Column
	for _, c := range u.order {
		if !slices.Contains(sources, c.Source) {
			sources, rowIDs = append(sources, c.Source), append(rowIDs, scope.AddRowID(q.Statement, c.Source))
		}
	}
	if u.node, err = chosen(blk, node, n.Where, n.Order, n.Limit); err != nil {
		return nil, err
	}
	for _, a := range n.List {
		if err := u.assign(a); err != nil {
			return nil, err
		}
	}
	q.WarnUnusedHints()
	return u.finish(sources, rowIDs)
}

// refuseOrder returns error 1221 for clauses that an UPDATE of several tables cannot have.
func refuseOrder(s *statement.Statement, order *ast.OrderByClause, limit *ast.Limit) error {
	switch {
	case order != nil:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of UPDATE and ORDER BY").At(s.Find("ORDER", 0))
	case limit != nil:
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of UPDATE and LIMIT").At(s.Find("LIMIT", 0))
	}
	return nil
}

// updatable returns the column of a table that verb assigns to. Errors are 1052, 1054 and 1288.
func updatable(b *block.Block, name *ast.ColumnName, verb string) (*scope.Column, error) {
	pos := b.NamePos(name, 0)
	c, n := b.Scope.Find(name)
	switch {
	case n > 1:
		return nil, scope.Ambiguous(scope.DisplayName(name), scope.FieldList, pos)
	case n == 0:
		b.At = scope.FieldList
		return nil, b.UnknownColumn(name, pos)
	}
	return c, notUpdatable(c.Source, verb, pos)
}

// notUpdatable returns error 1288 for a source that is not a table.
func notUpdatable(src *scope.Source, verb string, pos int) error {
	if src.Scan != nil {
		return nil
	}
	return sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", src.Alias, verb).At(pos).
		WithHint("%s is a query or a view: change the tables it reads.", src.Alias)
}

// updating collects assignments to columns of tables in a block's scope.
type updating struct {
	*block.Block
	find   func(*ast.Assignment) (*scope.Column, error) // the column on the left side
	ignore bool                                         // UPDATE IGNORE
	node   logical.Node
	order  []*scope.Column             // columns assigned to, in the order of their first assignment
	values map[expr.ColID]logical.Item // new value by column
}

func newUpdating(b *block.Block, ignore bool, find func(*ast.Assignment) (*scope.Column, error)) *updating {
	return &updating{Block: b, ignore: ignore, find: find, values: map[expr.ColID]logical.Item{}}
}

// declare collects the columns that are assigned to.
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
	schema := left.Source.Table.Schema()
	c := &schema.Columns[left.Ordinal]
	if c.Generated != "" && !isDefault(a.Expr) {
		return generatedValue(c, left.Source.Table.Name(), statement.StartOf(a.Expr))
	}
	defer u.Enter(scope.FieldList, false)()
	u.Assigning(schema, left.Ordinal)
	e, err := u.Expr(a.Expr)
	if err != nil {
		return err
	}
	if u.usesAssigned(e) {
		u.layer()
		e = expr.Map(e, func(e expr.Expr) expr.Expr {
			if ref, ok := e.(*expr.Col); ok && u.assigned(ref.ID) {
				return u.LocalTime(u.values[ref.ID].Col.Ref())
			}
			return e
		})
	}
	u.values[left.ID] = logical.Item{Col: logical.Column{ID: u.NewID(), Name: c.Name, T: c.Type}, Expr: scalar.Stored(u.Statement, e, c, u.ignore, statement.StartOf(a.Expr))}
	return nil
}

// assigned reports whether the column with the id has a new value.
func (u *updating) assigned(id expr.ColID) bool {
	_, ok := u.values[id]
	return ok
}

// usesAssigned reports whether e refers to a column that has a new value.
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

// layer adds a projection that computes the values so far, so that later ones can refer to them.
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

func (u *updating) finish(sources []*scope.Source, rowIDs []logical.Column) (*Update, error) {
	out := &Update{Ignore: u.ignore}
	var items []logical.Item
	for i, src := range sources {
		for _, other := range sources[:i] {
			if other.Table == src.Table {
				return nil, sqlerr.Unsupported(-1, "UPDATE of table %s under two names", src.Table.Name())
			}
		}
		ch := Change{Target: src.Target(), RowID: len(items)}
		items = append(items, logical.Item{Col: rowIDs[i], Expr: rowIDs[i].Ref()})
		for _, c := range u.order {
			if c.Source == src {
				ch.Ordinals = append(ch.Ordinals, c.Ordinal)
				items = append(items, u.values[c.ID])
			}
		}
		out.Tables = append(out.Tables, ch)
	}
	out.Node = &logical.Project{In: u.node, Items: items}
	return out, nil
}
