package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// from binds a FROM clause and sets the block's scope; without one the plan is one
// row of no columns.
func (b *block) from(n *ast.TableRefsClause) (logical.Node, error) {
	if n == nil {
		return oneRow(), nil
	}
	node, sc, err := b.tableRef(n.TableRefs)
	if err != nil {
		return nil, err
	}
	b.scope = sc
	return node, nil
}

// oneRow is the input of a SELECT without FROM.
func oneRow() logical.Node { return &logical.Values{Rows: [][]expr.Expr{{}}} }

// tableRef binds a table, derived table or join.
func (b *block) tableRef(n ast.ResultSetNode) (logical.Node, *scope, error) {
	switch n := n.(type) {
	case *ast.Join:
		if n.Right == nil {
			return b.tableRef(n.Left)
		}
		return b.join(n)
	case *ast.TableSource:
		return b.tableSource(n)
	}
	return nil, nil, sqlerr.Internal("no table reference: %T", n)
}

func (b *block) tableSource(n *ast.TableSource) (logical.Node, *scope, error) {
	if b.shared.tables++; b.shared.tables > maxTables {
		return nil, nil, sqlerr.New(sqlerr.TooManyTables, "Too many tables; gsql can only use %d tables in a join", maxTables)
	}
	switch src := n.Source.(type) {
	case *ast.TableName:
		return b.namedTable(n, src)
	case *ast.SelectStmt, *ast.SetOprStmt:
		return b.derivedTable(n, src)
	case *ast.Join:
		return b.join(src)
	}
	return nil, nil, sqlerr.Unsupported(-1, "%T in FROM", n.Source)
}

// namedTable binds a reference to a table, view or common table expression.
func (b *block) namedTable(n *ast.TableSource, t *ast.TableName) (logical.Node, *scope, error) {
	pos := b.find(t.Name.O, b.fromPos())
	switch {
	case len(t.PartitionNames) > 0:
		return nil, nil, sqlerr.Unsupported(pos, "PARTITION selection")
	case t.TableSample != nil:
		return nil, nil, sqlerr.Unsupported(b.find("TABLESAMPLE", 0), "TABLESAMPLE")
	case t.AsOf != nil:
		return nil, nil, sqlerr.Unsupported(pos, "AS OF TIMESTAMP")
	}
	alias := n.AsName.O
	if alias == "" {
		alias = t.Name.O
	}
	if t.Schema.L == "" {
		if c := b.ctes.find(t.Name.L); c != nil {
			return b.expandCTE(c, alias, pos)
		}
	}
	obj, err := b.res.Table(b.ctx, t.Schema.O, t.Name.O)
	if err != nil {
		return nil, nil, at(err, pos)
	}
	if obj.View != nil {
		return b.expandView(obj.View, alias, pos)
	}
	scan, sc := b.scan(obj.Table, b.dbOf(t), alias)
	return b.localTimes(scan, sc), sc, nil
}

// fromPos gives where the FROM clause may begin: behind the select list.
func (b *block) fromPos() int {
	if b.sel == nil || b.sel.Fields == nil || len(b.sel.Fields.Fields) == 0 {
		return 0
	}
	last := b.sel.Fields.Fields[len(b.sel.Fields.Fields)-1]
	return last.Offset + len(last.OriginalText())
}

// dbOf gives the database that a table name means.
func (s *statement) dbOf(t *ast.TableName) string {
	if t.Schema.O != "" {
		return t.Schema.O
	}
	return s.db
}

// at gives an error its place, unless it has one already.
func at(err error, pos int) error { return sqlerr.From(err).At(pos) }

// scan reads all columns of a table; a rule prunes them.
func (s *statement) scan(t catalog.Table, db, alias string) (*logical.Scan, *scope) {
	schema := t.Schema()
	node := &logical.Scan{
		Table: t, DB: db, Alias: alias,
		Columns: make([]logical.Column, len(schema.Columns)), Ordinals: make([]int, len(schema.Columns)),
	}
	for i := range schema.Columns {
		c := &schema.Columns[i]
		node.Columns[i] = logical.Column{ID: s.newID(), Name: c.Name, Table: alias, T: c.Type, NotNull: c.NotNull}
		node.Ordinals[i] = i
	}
	src := &source{key: strings.ToLower(alias), db: strings.ToLower(db), alias: alias, table: t, scan: node}
	return node, newScope(src, node.Columns)
}

// derivedTable binds (SELECT ...) AS alias.
func (b *block) derivedTable(n *ast.TableSource, q ast.ResultSetNode) (logical.Node, *scope, error) {
	if n.AsName.O == "" {
		return nil, nil, sqlerr.New(sqlerr.DerivedMustHaveAlias, "Every derived table must have its own alias").At(b.find("SELECT", b.fromPos())).
			WithHint("Write a name after its closing parenthesis, as in (SELECT ...) AS t.")
	}
	outer := b.outer
	if n.Lateral {
		outer = b.lateral.around(b)
	}
	r, err := b.query(q, outer, b.ctes)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, c := range n.ColumnNames {
		names = append(names, c.O)
	}
	return b.named(r, n.AsName.O, names, b.find(n.AsName.O, b.fromPos()))
}

// named makes a bound query a table reference. names, when given, rename its columns.
func (s *statement) named(r *rel, alias string, names []string, pos int) (logical.Node, *scope, error) {
	cols := append([]logical.Column(nil), r.node.Schema()...)
	if names == nil {
		names = r.names
	}
	if len(names) != len(cols) {
		return nil, nil, sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts").At(pos)
	}
	seen := make(map[string]bool, len(cols))
	for i := range cols {
		cols[i].Name, cols[i].Table = names[i], alias
		key := strings.ToLower(names[i])
		if seen[key] {
			return nil, nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", names[i]).At(pos).
				WithHint("Give one of the columns another alias.")
		}
		seen[key] = true
	}
	return r.node, newScope(&source{key: strings.ToLower(alias), alias: alias}, cols), nil
}
