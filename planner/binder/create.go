package binder

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// CreateTable is a bound CREATE TABLE.
type CreateTable struct {
	DB, Name    string
	IfNotExists bool
	Temporary   bool
	Schema      catalog.Schema
	// AutoIncrement is the first AUTO_INCREMENT value the statement asks for, 0 for none.
	AutoIncrement uint64
	Query         *Bound // CREATE TABLE ... SELECT: what fills the table, else nil
	Fill          []int  // with Query: for every column of Schema the query's column that fills it, or -1
}

// CreateTable binds a table's definition. Table options that cannot change an answer
// (engine, row format and the like) are ignored.
func (b *Binder) CreateTable(ctx context.Context, s *parse.Statement, n *ast.CreateTableStmt) (*CreateTable, error) {
	st := b.begin(ctx, s)
	out := &CreateTable{
		DB: st.dbOf(n.Table), Name: n.Table.Name.O, IfNotExists: n.IfNotExists, Temporary: n.TemporaryKeyword != ast.TemporaryNone,
	}
	switch {
	case n.Partition != nil:
		return nil, sqlerr.Unsupported(st.find("PARTITION", 0), "PARTITION BY")
	case n.ReferTable != nil:
		return out, st.createLike(out, n.ReferTable)
	}
	d := &definition{statement: st, schema: &out.Schema, table: out.Name}
	out.Schema.Coll = st.res.Collation(n.Table.Schema.O)
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
	out.AutoIncrement = d.options(n.Options)
	if err := d.finish(); err != nil {
		return nil, err
	}
	st.warnUnusedHints()
	return out, nil
}

// createLike copies the shape of another table. As in MySQL foreign keys are left out, and
// constraints get new names.
func (s *statement) createLike(out *CreateTable, n *ast.TableName) error {
	pos := s.find(n.Name.O, s.find("LIKE", 0))
	obj, err := s.res.Table(s.ctx, n.Schema.O, n.Name.O)
	if err != nil {
		return at(err, pos)
	}
	if obj.Table == nil {
		return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", s.dbOf(n), n.Name.O).At(pos)
	}
	schema := obj.Table.Schema()
	out.Schema = catalog.Schema{
		Columns: append([]catalog.Column(nil), schema.Columns...), Indexes: append([]catalog.Index(nil), schema.Indexes...),
		Comment: schema.Comment, Coll: schema.Coll,
	}
	d := &definition{statement: s, schema: &out.Schema, table: out.Name}
	for _, c := range schema.Checks {
		c.Name = d.checkName()
		out.Schema.Checks = append(out.Schema.Checks, c)
	}
	return nil
}

// fromQuery binds CREATE TABLE ... SELECT: the query's columns fill the declared ones
// of the same name, and the others are added behind.
func (d *definition) fromQuery(out *CreateTable, n ast.ResultSetNode) error {
	q, err := d.query(n, nil, nil)
	if err != nil {
		return err
	}
	out.Query = q.bound()
	declared := len(d.schema.Columns)
	for i, c := range out.Query.Columns {
		name := q.names[i]
		switch o := d.schema.Ordinal(name); {
		case o >= declared:
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).
				WithHint("Give one of the columns another alias.")
		case o < 0:
			d.schema.Columns = append(d.schema.Columns, catalog.Column{Name: name, Type: storedType(c.T), NotNull: c.NotNull})
		}
	}
	out.Fill = make([]int, len(d.schema.Columns))
	for o := range out.Fill {
		out.Fill[o] = -1
		for i, name := range q.names {
			if strings.EqualFold(name, d.schema.Columns[o].Name) {
				out.Fill[o] = i
			}
		}
	}
	return nil
}
