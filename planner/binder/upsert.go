package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Upsert is a bound ON DUPLICATE KEY UPDATE. Given wants rows that hold a number, the
// columns of a row that is there already, those of the row that was to be inserted, and
// the Insert's extra columns; Node gives the numbers and the new values of the columns
// Ordinals, cast to their types.
type Upsert struct {
	Given    *catalog.Given
	Node     logical.Node
	Ordinals []int
}

// hiddenAlias is what the row to be inserted is called when it has no alias.
const hiddenAlias = "\x00new"

// upsert binds ON DUPLICATE KEY UPDATE; extra are the columns of the query's tables that
// it refers to, and cols the columns that are inserted.
func (s *statement) upsert(t *Target, cols []int, n *ast.InsertStmt, extra []logical.Column) (*Upsert, error) {
	schema := t.Table.Schema()
	given := catalog.NewGiven(t.Name, givenSchema(schema, extra))
	scan, all := s.scan(given, t.DB, t.Name)
	width := len(schema.Columns)
	node := s.localTimes(scan, all)
	old := &source{key: strings.ToLower(t.Name), db: strings.ToLower(t.DB), alias: t.Name, table: t.Table}
	olds, fresh := all.cols[1:1+width], all.cols[1+width:1+2*width]
	adopt(olds, old)
	for i := range olds {
		olds[i].ordinal = i
	}
	sc := &scope{sources: []*source{old}, cols: append([]column(nil), olds...)}
	if err := s.addFresh(sc, t, cols, fresh); err != nil {
		return nil, err
	}
	for i, c := range extra {
		x := all.cols[1+2*width+i]
		x.key, x.src = strings.ToLower(c.Name), &source{key: strings.ToLower(c.Table), alias: c.Table}
		sc.cols = append(sc.cols, x)
	}
	b := s.newBlock(nil, nil, sc)
	b.target = &assigning{fresh: fresh}
	onlyOld := &scope{cols: sc.cols[:width], sources: sc.sources}
	u := newUpdating(b, n.IgnoreErr, func(a *ast.Assignment) (*column, error) {
		if c, n := onlyOld.find(a.Column); n == 1 {
			return c, nil
		}
		b.at = fieldList
		return nil, b.unknownColumn(a.Column, b.namePos(a.Column, s.find("DUPLICATE", 0)))
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
	number := scan.Columns[0]
	out := &Upsert{Given: given}
	items := []logical.Item{{Col: number, Expr: number.Ref()}}
	for _, c := range u.order {
		out.Ordinals = append(out.Ordinals, c.ordinal)
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
			c.T.ID = types.Datetime // the query has made it local already
		}
		out.Columns = append(out.Columns, catalog.Column{Name: c.Name, Type: c.T, NotNull: c.NotNull})
	}
	return out
}

func adopt(cols []column, src *source) {
	for i := range cols {
		cols[i].src, cols[i].Table = src, src.alias
	}
}

// addFresh adds the columns of the row that was to be inserted to the scope, under its
// alias if it has one.
func (s *statement) addFresh(sc *scope, t *Target, cols []int, fresh []column) error {
	src := &source{key: hiddenAlias, alias: "new"}
	defer adopt(fresh, src)
	if s.row == nil {
		return nil
	}
	if strings.EqualFold(s.row.Name, t.Name) {
		return sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", s.row.Name).At(s.row.Pos)
	}
	src.key, src.alias = strings.ToLower(s.row.Name), s.row.Name
	adopt(fresh, src)
	sc.sources = append(sc.sources, src)
	if s.row.Columns == nil {
		sc.cols = append(sc.cols, fresh...)
		return nil
	}
	if len(s.row.Columns) != len(cols) {
		return sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts").At(s.row.Pos)
	}
	seen := map[string]bool{}
	for i, name := range s.row.Columns {
		c := fresh[cols[i]]
		c.key, c.Name = strings.ToLower(name), name
		if seen[c.key] {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(s.row.Pos)
		}
		seen[c.key] = true
		sc.cols = append(sc.cols, c)
	}
	return nil
}

// withExtra adds to the select list of INSERT ... SELECT the columns of its tables that
// ON DUPLICATE KEY UPDATE refers to, as MySQL lets it where each row of the query is one
// of the tables'. It gives their names.
func withExtra(t *Target, q ast.ResultSetNode, list []*ast.Assignment) (ast.ResultSetNode, []*ast.ColumnName) {
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
	target *Target
	seen   map[string]bool
	found  []*ast.ColumnName
}

// Enter implements ast.Visitor; subqueries have tables of their own.
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
