package gsql

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/types"
	"gsql/storage"
)

// inventory is what information_schema tells one statement of.
type inventory struct {
	s  *Session
	tx *storage.Tx
}

// Databases implements infoschema.Inventory.
func (v inventory) Databases() []string { return v.tx.Databases() }

// Collation implements infoschema.Inventory.
func (v inventory) Collation(db string) types.Collation { return v.tx.Collation(db) }

// Names implements infoschema.Inventory.
func (v inventory) Names(db string) (tables, views []string) {
	tables, views, _ = v.tx.Tables(db) // one that is not there has none
	return tables, views
}

// Object implements infoschema.Inventory.
func (v inventory) Object(ctx context.Context, db, name string) (catalog.Object, error) {
	return v.tx.Table(ctx, db, name)
}

// ViewSchema implements infoschema.Inventory.
func (v inventory) ViewSchema(ctx context.Context, view *catalog.View) (*catalog.Schema, error) {
	r := &stmtRun{s: v.s, ctx: ctx}
	return r.viewSchema(v.tx, view)
}

// refuseVirtual is error 1044 for statements that would write a virtual database.
func (r *stmtRun) refuseVirtual() error {
	for _, db := range r.written() {
		if db == "" {
			db = r.s.database
		}
		if infoschema.Is(db) {
			user, _ := r.s.Var("user")
			return r.locate(infoschema.Denied(user, db), db)
		}
	}
	return nil
}

// written gives the databases that a statement names as the place of what it changes; ""
// stands for the current one.
func (r *stmtRun) written() []string {
	switch n := r.stmt.Node.(type) {
	case *ast.InsertStmt:
		return inTables(tableOf(n.Table))
	case *ast.UpdateStmt:
		return inTables(tableOf(n.TableRefs))
	case *ast.DeleteStmt:
		if n.Tables != nil {
			return inTables(n.Tables.Tables...)
		}
		return inTables(tableOf(n.TableRefs))
	case *ast.LoadDataStmt:
		return inTables(n.Table)
	case *ast.ImportIntoStmt:
		return inTables(n.Table)
	case *ast.CreateDatabaseStmt:
		return []string{n.Name.O}
	case *ast.DropDatabaseStmt:
		return []string{n.Name.O}
	case *ast.AlterDatabaseStmt:
		return []string{n.Name.O}
	case ast.DDLNode:
		return inTables(definedTables(n)...)
	}
	return nil
}

// definedTables gives the tables and views that a statement makes, changes or drops.
func definedTables(n ast.DDLNode) []*ast.TableName {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return []*ast.TableName{n.Table}
	case *ast.DropTableStmt:
		return n.Tables
	case *ast.TruncateTableStmt:
		return []*ast.TableName{n.Table}
	case *ast.AlterTableStmt:
		return []*ast.TableName{n.Table}
	case *ast.CreateViewStmt:
		return []*ast.TableName{n.ViewName}
	case *ast.CreateIndexStmt:
		return []*ast.TableName{n.Table}
	case *ast.DropIndexStmt:
		return []*ast.TableName{n.Table}
	case *ast.RenameTableStmt:
		var out []*ast.TableName
		for _, t := range n.TableToTables {
			out = append(out, t.OldTable, t.NewTable)
		}
		return out
	}
	return nil
}

// tableOf gives the table of a clause that names just one, else nil: targets among
// several tables are found when they are bound.
func tableOf(refs *ast.TableRefsClause) *ast.TableName {
	if refs == nil || refs.TableRefs == nil || refs.TableRefs.Right != nil {
		return nil
	}
	source, _ := refs.TableRefs.Left.(*ast.TableSource)
	if source == nil {
		return nil
	}
	t, _ := source.Source.(*ast.TableName)
	return t
}

func inTables(tables ...*ast.TableName) []string {
	var out []string
	for _, t := range tables {
		if t != nil {
			out = append(out, t.Schema.O)
		}
	}
	return out
}
