package gsql

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

func (r *stmtRun) showCreate(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, n.Table.Schema.O, n.Table.Name.O)
	if err != nil {
		return nil, err
	}
	if v := obj.View; v != nil {
		def := "CREATE VIEW " + quote(v.Name)
		if v.Columns != nil {
			def += " (" + quoteAll(v.Columns) + ")"
		}
		return textResult(textColumns("View", "Create View", "character_set_client", "collation_connection"),
			[][]*string{text(v.Name, def+" AS "+v.SQL, "utf8mb4", "utf8mb4_bin")}), nil
	}
	if n.Tp == ast.ShowCreateView {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", r.s.database, n.Table.Name.O)
	}
	name := obj.Table.Name()
	return textResult(textColumns("Table", "Create Table"), [][]*string{text(name, createTable(name, obj.Table.Schema()))}), nil
}

// createTable writes the CREATE TABLE statement that would make the table.
func createTable(name string, schema *catalog.Schema) string {
	var lines []string
	for _, c := range schema.Columns {
		line := "  " + quote(c.Name) + " " + c.Type.String()
		if c.NotNull {
			line += " NOT NULL"
		}
		switch {
		case c.Default != nil:
			line += " DEFAULT '" + strings.ReplaceAll(*c.Default, "'", "''") + "'"
		case !c.NotNull:
			line += " DEFAULT NULL"
		}
		if c.AutoInc {
			line += " AUTO_INCREMENT"
		}
		lines = append(lines, line)
	}
	for _, ix := range schema.Indexes {
		cols := make([]string, len(ix.Columns))
		for i, c := range ix.Columns {
			cols[i] = schema.Columns[c].Name
		}
		kind := "KEY " + quote(ix.Name)
		switch {
		case ix.Primary:
			kind = "PRIMARY KEY"
		case ix.Unique:
			kind = "UNIQUE " + kind
		}
		lines = append(lines, fmt.Sprintf("  %s (%s)", kind, quoteAll(cols)))
	}
	return "CREATE TABLE " + quote(name) + " (\n" + strings.Join(lines, ",\n") + "\n)"
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return strings.Join(out, ", ")
}

// showCreateDatabase writes the statement that would make a database.
func (r *stmtRun) showCreateDatabase(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	name, err := n.DBName, error(nil)
	if !infoschema.Is(name) {
		if name, err = tx.Database(name); err != nil {
			return nil, r.locate(err, n.DBName)
		}
	}
	unless := ""
	if n.IfNotExists {
		unless = "/*!32312 IF NOT EXISTS*/ "
	}
	def := fmt.Sprintf("CREATE DATABASE %s%s /*!40100 DEFAULT CHARACTER SET %s COLLATE %s */ /*!80016 DEFAULT ENCRYPTION='N' */",
		unless, quote(name), infoschema.Charset, infoschema.Collation)
	return textResult(textColumns("Database", "Create Database"), [][]*string{text(name, def)}), nil
}
