package dml

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Upsert is a bound ON DUPLICATE KEY UPDATE. The rows of Given hold a number, the columns of an existing row,
// those of the rejected row, and the Insert's extra columns. Node returns the numbers and the new values of the
// columns Ordinals, cast to their types.
type Upsert struct {
	Given    *catalog.Given
	Node     logical.Node
	Ordinals []int
}

// hiddenAlias is the name of the rejected row if it has no alias.
const hiddenAlias = "\x00new"

// upsert binds ON DUPLICATE KEY UPDATE. extra are the columns of the query's tables that it refers to.
func (in *inserting) upsert(extra []logical.Column) (*Upsert, error) {
	n, t := in.n, in.target
	schema := t.Table.Schema()
	given := catalog.NewGiven(t.Name, givenSchema(schema, extra))
	read, all := scope.Scan(in.Statement, given, t.DB, t.Name)
	width := len(schema.Columns)
	node := scope.LocalTimes(in.Statement, read, all)
	old := &scope.Source{Key: strings.ToLower(t.Name), DB: strings.ToLower(t.DB), Alias: t.Name, Table: t.Table}
	olds, fresh := all.Columns[1:1+width], all.Columns[1+width:1+2*width]
	adopt(olds, old)
	for i := range olds {
		olds[i].Ordinal = i
	}
	sc := &scope.Scope{Sources: []*scope.Source{old}, Columns: append([]scope.Column(nil), olds...)}
	if err := in.addFresh(sc, fresh); err != nil {
		return nil, err
	}
	for i, c := range extra {
		x := all.Columns[1+2*width+i]
		x.Key, x.Source = strings.ToLower(c.Name), &scope.Source{Key: strings.ToLower(c.Table), Alias: c.Table}
		sc.Columns = append(sc.Columns, x)
	}
	b := in.Block(sc)
	b.Inserts(fresh)
	onlyOld := &scope.Scope{Columns: sc.Columns[:width], Sources: sc.Sources}
	u := newUpdating(b, n.IgnoreErr, func(a *ast.Assignment) (*scope.Column, error) {
		if c, n := onlyOld.Find(a.Column); n == 1 {
			return c, nil
		}
		b.At = scope.FieldList
		return nil, b.UnknownColumn(a.Column, b.NamePos(a.Column, in.Find("DUPLICATE", 0)))
	})
	u.node = node
	if err := u.declare(n.OnDuplicate); err != nil {
		return nil, err
	}
	for _, a := range n.OnDuplicate {
		if err := u.assign(a); err != nil {
			return nil, err
		}
	}
	number := read.Columns[0]
	out := &Upsert{Given: given}
	items := []logical.Item{{Col: number, Expr: number.Ref()}}
	for _, c := range u.order {
		out.Ordinals = append(out.Ordinals, c.Ordinal)
		items = append(items, u.values[c.ID])
	}
	out.Node = &logical.Project{In: u.node, Items: items}
	return out, nil
}

// givenSchema describes the rows of an Upsert's Given.
func givenSchema(t *catalog.Schema, extra []logical.Column) *catalog.Schema {
	out := &catalog.Schema{Columns: []catalog.Column{{Name: "_row", Type: types.T(types.Int64), NotNull: true}}}
	for range 2 {
		for _, c := range t.Columns {
			out.Columns = append(out.Columns, catalog.Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull})
		}
	}
	for _, c := range extra {
		if c.T.ID == types.Timestamp {
			c.T.ID = types.Datetime // the query has already converted it to local time
		}
		out.Columns = append(out.Columns, catalog.Column{Name: c.Name, Type: c.T, NotNull: c.NotNull})
	}
	return out
}

func adopt(cols []scope.Column, src *scope.Source) {
	for i := range cols {
		cols[i].Source, cols[i].Table = src, src.Alias
	}
}

// addFresh adds the columns of the rejected row to the scope, under its alias if it has one.
func (in *inserting) addFresh(sc *scope.Scope, fresh []scope.Column) error {
	src := &scope.Source{Key: hiddenAlias, Alias: "new"}
	defer adopt(fresh, src)
	if in.Row == nil {
		return nil
	}
	if strings.EqualFold(in.Row.Name, in.target.Name) {
		return sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", in.Row.Name).At(in.Row.Pos)
	}
	src.Key, src.Alias = strings.ToLower(in.Row.Name), in.Row.Name
	adopt(fresh, src)
	sc.Sources = append(sc.Sources, src)
	if in.Row.Columns == nil {
		sc.Columns = append(sc.Columns, fresh...)
		return nil
	}
	if len(in.Row.Columns) != len(in.cols) {
		return sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts").At(in.Row.Pos)
	}
	seen := map[string]bool{}
	for i, name := range in.Row.Columns {
		c := fresh[in.cols[i]]
		c.Key, c.Name = strings.ToLower(name), name
		if seen[c.Key] {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(in.Row.Pos)
		}
		seen[c.Key] = true
		sc.Columns = append(sc.Columns, c)
	}
	return nil
}

// withExtra adds to the select list of INSERT ... SELECT the columns of its tables that ON
// DUPLICATE KEY UPDATE refers to, and returns their names. Like MySQL, it does so only if each
// row of the query is a row of the tables.
func withExtra(t *scope.Target, q ast.ResultSetNode, list []*ast.Assignment) (ast.ResultSetNode, []*ast.ColumnName) {
	sel, ok := q.(*ast.SelectStmt)
	if !ok || sel.From == nil || sel.Distinct || sel.GroupBy != nil || sel.Fields == nil {
		return q, nil
	}
	find := &extraFinder{target: t, seen: map[string]bool{}}
	for _, a := range list {
		a.Expr.Accept(find)
	}
	if len(find.found) == 0 {
		return q, nil
	}
	wide := *sel
	wide.Fields = &ast.FieldList{Fields: append([]*ast.SelectField(nil), sel.Fields.Fields...)}
	for _, name := range find.found {
		wide.Fields.Fields = append(wide.Fields.Fields, &ast.SelectField{Expr: &ast.ColumnNameExpr{Name: name}})
	}
	return &wide, find.found
}

// extraFinder collects the column names that the target does not have.
type extraFinder struct {
	target *scope.Target
	seen   map[string]bool
	found  []*ast.ColumnName
}

// Enter implements ast.Visitor. It skips subqueries, which have their own tables.
func (f *extraFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.SubqueryExpr, *ast.ValuesExpr, *ast.DefaultExpr:
		return n, true
	case *ast.ColumnNameExpr:
		own := x.Name.Table.L == "" && f.target.Table.Schema().Ordinal(x.Name.Name.O) >= 0 ||
			strings.EqualFold(x.Name.Table.O, f.target.Name)
		if key := x.Name.Table.L + "." + x.Name.Name.L; !own && !f.seen[key] {
			f.seen[key] = true
			f.found = append(f.found, x.Name)
		}
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *extraFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
