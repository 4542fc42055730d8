package ddl

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/query"
	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// CreateTable is a bound CREATE TABLE.
type CreateTable struct {
	DB, Name    string
	IfNotExists bool
	Temporary   bool
	Schema      catalog.Schema
	// AutoIncrement is the first AUTO_INCREMENT value that the statement sets, 0 for none.
	AutoIncrement uint64
	Query         *query.Bound // CREATE TABLE ... SELECT: the query that fills the table, else nil
	Fill          []int        // with Query: for each column of Schema, the query's column that fills it, or -1
}

// BindCreateTable binds a table's definition. It ignores table options that cannot change an answer, such as the
// engine and the row format.
func BindCreateTable(q *query.Binder, n *ast.CreateTableStmt) (*CreateTable, error) {
	out := &CreateTable{
		DB: q.DBOf(n.Table), Name: n.Table.Name.O, IfNotExists: n.IfNotExists, Temporary: n.TemporaryKeyword != ast.TemporaryNone,
	}
	switch {
	case n.Partition != nil:
		return nil, sqlerr.Unsupported(q.Find("PARTITION", 0), "PARTITION BY")
	case n.ReferTable != nil:
		return out, createLike(q.Statement, out, n.ReferTable)
	}
	d := &definition{Binder: q, schema: &out.Schema, table: out.Name}
	out.Schema.Coll = q.Res.Collation(n.Table.Schema.O)
	if _, err := d.tableCollation(n.Options); err != nil {
		return nil, err
	}
	for _, c := range n.Cols {
		if err := d.column(c); err != nil {
			return nil, err
		}
	}
	if n.Select != nil {
		if err := d.fromQuery(out, n.Select); err != nil {
			return nil, err
		}
	}
	for _, c := range n.Constraints {
		if err := d.constraint(c); err != nil {
			return nil, err
		}
	}
	var err error
	if out.AutoIncrement, err = d.options(n.Options); err != nil {
		return nil, err
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	q.WarnUnusedHints()
	return out, nil
}

// createLike copies the shape of another table. As in MySQL, it omits foreign keys and renames
// constraints.
func createLike(s *statement.Statement, out *CreateTable, n *ast.TableName) error {
	pos := s.Find(n.Name.O, s.Find("LIKE", 0))
	obj, err := s.Res.Table(s.Ctx, n.Schema.O, n.Name.O)
	if err != nil {
		return sqlerr.From(err).At(pos)
	}
	if obj.Table == nil {
		return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", s.DBOf(n), n.Name.O).At(pos)
	}
	schema := obj.Table.Schema()
	out.Schema = catalog.Schema{
		Columns: append([]catalog.Column(nil), schema.Visible()...), Indexes: append([]catalog.Index(nil), schema.Indexes...),
		Comment: schema.Comment, Coll: schema.Coll, Compression: schema.Compression,
	}
	d := &definition{schema: &out.Schema, table: out.Name}
	for _, c := range schema.Checks {
		c.Name = d.checkName()
		out.Schema.Checks = append(out.Schema.Checks, c)
	}
	return nil
}

// fromQuery binds CREATE TABLE ... SELECT. The query's columns fill the declared columns of the
// same name; the others are appended.
func (d *definition) fromQuery(out *CreateTable, n ast.ResultSetNode) error {
	q, err := d.Query(n, statement.ShownOnly)
	if err != nil {
		return err
	}
	out.Query = q.Bound()
	declared := len(d.schema.Columns)
	for i, c := range out.Query.Columns {
		name := q.Names[i]
		switch o := d.schema.Ordinal(name); {
		case name == "":
			return sqlerr.New(sqlerr.WrongColumnName, "Incorrect column name ''").WithHint("Give the column an alias.")
		case o >= declared:
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).
				WithHint("Give one of the columns a different alias.")
		case o < 0:
			col := catalog.Column{Name: name, Type: storedType(c.T), NotNull: c.NotNull}
			if readsTables(n) {
				inheritDefault(&col, out.Query.Node, c.ID)
			}
			d.schema.Columns = append(d.schema.Columns, col)
		}
	}
	out.Fill = make([]int, len(d.schema.Columns))
	for o := range out.Fill {
		out.Fill[o] = -1
		for i, name := range q.Names {
			if strings.EqualFold(name, d.schema.Columns[o].Name) {
				out.Fill[o] = i
			}
		}
	}
	return nil
}
