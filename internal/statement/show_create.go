package statement

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/storage"
)

// showCreate runs SHOW CREATE TABLE and SHOW CREATE VIEW.
func showCreate(r *run, tx *storage.Tx, n *ast.ShowStmt) (*Result, error) {
	obj, err := r.object(tx, n.Table)
	if err != nil {
		return nil, err
	}
	if v := obj.View; v != nil {
		def := "CREATE VIEW " + catalog.QuoteName(v.Name)
		if v.Columns != nil {
			def += " (" + catalog.QuoteNames(v.Columns) + ")"
		}
		return textResult(result.TextColumns("View", "Create View", "character_set_client", "collation_connection"),
			[][]*string{result.Row(v.Name, def+" AS "+v.SQL, "utf8mb4", "utf8mb4_bin")}), nil
	}
	if n.Tp == ast.ShowCreateView {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", r.s.Database, n.Table.Name.O)
	}
	name, options := obj.Table.Name(), ""
	if storage.IsVersion(obj.Table) {
		options = fmt.Sprintf("ENGINE=%s DEFAULT CHARSET=%s COLLATE=%s", infoschema.Engine, infoschema.Charset, obj.Table.Schema().Coll)
	}
	def := localDefaults(obj.Table.Schema(), timezone.Of(r.s)).CreateTable(name, storage.NextAutoIncrement(obj.Table), options)
	return textResult(result.TextColumns("Table", "Create Table"), [][]*string{result.Row(name, def)}), nil
}

// localDefaults returns a schema whose TIMESTAMP columns have their defaults in the given time
// zone.
func localDefaults(s *catalog.Schema, zone *time.Location) *catalog.Schema {
	if zone == time.UTC {
		return s
	}
	out := *s
	out.Columns = slices.Clone(s.Columns)
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.Type.ID != types.Timestamp || c.Default == nil || c.DefaultExpr {
			continue
		}
		if us, _, ok := types.ParseDatetime(*c.Default); ok {
			local := catalog.Datum{Type: types.Type{ID: types.Datetime, Prec: 6}, I64: timezone.Local(us, zone)}
			text := strings.TrimSuffix(local.Text(), ".000000")
			c.Default = &text
		}
	}
	return &out
}

// showCreateDatabase runs SHOW CREATE DATABASE.
func showCreateDatabase(r *run, tx *storage.Tx, n *ast.ShowStmt) (*Result, error) {
	name, err := n.DBName, error(nil)
	if !infoschema.Is(name) {
		if name, err = tx.Database(name); err != nil {
			return nil, r.locate(err, n.DBName)
		}
	}
	coll := types.Bin
	if !infoschema.Is(name) {
		coll = tx.Collation(name)
	}
	unless := ""
	if n.IfNotExists {
		unless = "/*!32312 IF NOT EXISTS*/ "
	}
	def := fmt.Sprintf("CREATE DATABASE %s%s /*!40100 DEFAULT CHARACTER SET %s COLLATE %s */ /*!80016 DEFAULT ENCRYPTION='N' */",
		unless, catalog.QuoteName(name), infoschema.Charset, coll)
	return textResult(result.TextColumns("Database", "Create Database"), [][]*string{result.Row(name, def)}), nil
}
