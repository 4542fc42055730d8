package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/ddl"
	"gsql/planner/binder/dml"
	"gsql/planner/binder/query"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
)

// Types that callers of the binder pass to it or receive from it.
type (
	// Session is the session in which a statement is bound.
	Session = statement.Session
	// Placeholders selects the placeholders that stay in a plan.
	Placeholders = statement.Placeholders
	// Bound is a bound query.
	Bound = query.Bound
	// Lock is a table whose rows a query locks.
	Lock = query.Lock
	// Target is the table that a statement changes.
	Target = scope.Target
	// Targets is a resolver that distinguishes tables that a statement only adds rows to.
	Targets = dml.Targets
	// Insert is a bound INSERT or REPLACE.
	Insert = dml.Insert
	// Upsert is a bound ON DUPLICATE KEY UPDATE.
	Upsert = dml.Upsert
	// Update is a bound UPDATE.
	Update = dml.Update
	// Delete is a bound DELETE.
	Delete = dml.Delete
	// Change is the effect of an UPDATE or DELETE on one table.
	Change = dml.Change
	// CreateTable is a bound CREATE TABLE.
	CreateTable = ddl.CreateTable
	// AlterTable is a bound ALTER TABLE.
	AlterTable = ddl.AlterTable
	// AlteredColumn is the source of the values of an altered table's column.
	AlteredColumn = ddl.AlteredColumn
	// TableRules holds the bound generated columns and constraints of a table.
	TableRules = ddl.TableRules
)

// Write is a bound statement that changes rows.
type Write[W any] = dml.Write[W]

// NewPlaceholders returns Placeholders that leave all placeholders whose values are not NULL in a plan.
func NewPlaceholders(values []catalog.Datum) *Placeholders { return statement.NewPlaceholders(values) }

// Locks reports whether a SELECT has a locking clause, and whether it locks for share.
func Locks(n *ast.SelectStmt) (locks, share bool) { return query.Locks(n) }

// AssignsVariables reports whether a statement may assign to user variables within expressions. Its rows must
// be computed one after another, each completely before the next.
func AssignsVariables(text string) bool { return scalar.AssignsVariables(text) }

// ReadsOnly reports whether a plan reads no table other than t.
func ReadsOnly(n logical.Node, t catalog.Table) bool { return dml.ReadsOnly(n, t) }
