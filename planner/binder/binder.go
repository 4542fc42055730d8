// Package binder turns syntax trees into logical plans: it resolves names, infers types, expands views and common table
// expressions, and finds the aggregates. Its errors carry MySQL's numbers and the byte offset within the statement's
// text. This package has the entry points; the packages below it bind by concept.
package binder

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/ddl"
	"gsql/planner/binder/dml"
	"gsql/planner/binder/query"
	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/parse"
)

// Binder binds statements. It holds no state between statements. Several goroutines may use it if its
// Resolver and Session allow that.
type Binder struct{ env statement.Environment }

// New returns a binder over the tables of res.
func New(res catalog.Resolver, session statement.Session) *Binder {
	return &Binder{statement.Environment{Res: res, Session: session}}
}

// Leaving returns a binder that leaves the placeholders selected by p in the plan.
func (b *Binder) Leaving(p *statement.Placeholders) *Binder {
	c := *b
	c.env.Placeholders = p
	return &c
}

// Locking returns a binder whose queries report the rows that their outermost SELECT locks, in
// tables for which lockable returns true. See Bound.Locks.
func (b *Binder) Locking(lockable func(catalog.Table) bool) *Binder {
	c := *b
	c.env.Lockable = lockable
	return &c
}

func (b *Binder) begin(ctx context.Context, s *parse.Statement) *query.Binder {
	return query.New(statement.New(ctx, b.env, s))
}

// Query binds a SELECT, set operation, VALUES or TABLE statement. node is s.Node or a query within it,
// as in EXPLAIN and CREATE TABLE ... SELECT.
func (b *Binder) Query(ctx context.Context, s *parse.Statement, node ast.Node) (*query.Bound, error) {
	return b.begin(ctx, s).Outermost(node)
}

// Value binds a SELECT of one row like Query, but keeps the digits of quotients beyond those shown.
func (b *Binder) Value(ctx context.Context, s *parse.Statement, node *ast.SelectStmt) (*query.Bound, error) {
	return b.begin(ctx, s).Value(node)
}

// Insert binds INSERT and REPLACE with VALUES, SET or a query.
func (b *Binder) Insert(ctx context.Context, s *parse.Statement, n *ast.InsertStmt) (*dml.Insert, error) {
	return dml.BindInsert(b.begin(ctx, s), n)
}

// Update binds an UPDATE of one table or of several joined tables.
func (b *Binder) Update(ctx context.Context, s *parse.Statement, n *ast.UpdateStmt) (*dml.Update, error) {
	return dml.BindUpdate(b.begin(ctx, s), n)
}

// Delete binds a DELETE from one table or from some of several joined tables.
func (b *Binder) Delete(ctx context.Context, s *parse.Statement, n *ast.DeleteStmt) (*dml.Delete, error) {
	return dml.BindDelete(b.begin(ctx, s), n)
}

// CreateTable binds a table's definition. It ignores table options that cannot change an answer, such as
// the engine and the row format.
func (b *Binder) CreateTable(ctx context.Context, s *parse.Statement, n *ast.CreateTableStmt) (*ddl.CreateTable, error) {
	return ddl.BindCreateTable(b.begin(ctx, s), n)
}

// AlterTable binds ALTER TABLE.
func (b *Binder) AlterTable(ctx context.Context, s *parse.Statement, n *ast.AlterTableStmt) (*ddl.AlterTable, error) {
	return ddl.BindAlterTable(b.begin(ctx, s), n)
}

// Index binds the key that CREATE INDEX adds to a table of the given schema.
func (b *Binder) Index(ctx context.Context, s *parse.Statement, schema *catalog.Schema, n *ast.CreateIndexStmt) (catalog.Index, error) {
	return ddl.BindIndex(b.begin(ctx, s), schema, n)
}

// TableRules binds the generated columns and constraints of a schema that CreateTable or AlterTable
// returned.
func (b *Binder) TableRules(ctx context.Context, table string, schema *catalog.Schema) (*ddl.TableRules, error) {
	return ddl.BindTableRules(b.begin(ctx, &parse.Statement{}), table, schema)
}
