package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/infoschema"
)

// refuseVirtual returns error 1044 for statements that would write to a virtual database.
func refuseVirtual(r *run) error {
	for _, db := range writtenDatabases(r) {
		if db = r.inDatabase(db); infoschema.Is(db) {
			user, _ := r.s.Var("user")
			return r.locate(infoschema.Denied(user, db), db)
		}
	}
	return nil
}

// writtenDatabases returns the databases that a statement names as those it changes; "" is the
// current one.
func writtenDatabases(r *run) []string {
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

// definedTables returns the tables and views that a statement creates, changes or drops.
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

// tableOf returns the table of a clause that names exactly one, or else nil: targets among several
// tables are only known after binding.
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

// inTables returns the databases of the given table names.
func inTables(tables ...*ast.TableName) []string {
	var out []string
	for _, t := range tables {
		if t != nil {
			out = append(out, t.Schema.O)
		}
	}
	return out
}
