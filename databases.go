package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
)

func (r *stmtRun) createDatabase(tx *storage.Tx, n *ast.CreateDatabaseStmt) (*Rows, error) {
	if err := checkEncryption(n.Options); err != nil {
		return nil, r.locate(err, "ENCRYPTION")
	}
	_, missing := tx.Database(n.Name.O)
	existed := missing == nil
	rows, err := r.unless(n.IfNotExists, sqlerr.DBCreateExists, tx.CreateDatabase(n.Name.O))
	if err != nil {
		return nil, err
	}
	rows.Affected = 1
	if !existed {
		err = r.setCollation(tx, n.Name.O, n.Options)
	}
	return rows, err
}

// dropDatabase drops a database with all in it. Where it was the current one, there is
// none afterwards.
func (r *stmtRun) dropDatabase(tx *storage.Tx, n *ast.DropDatabaseStmt) (*Rows, error) {
	tables, views, _ := tx.Tables(n.Name.O) // that there is no such database, dropping it tells
	rows, err := r.unless(n.IfExists, sqlerr.DBDropExists, tx.DropDatabase(n.Name.O))
	if err != nil {
		return nil, err
	}
	r.dropTriggers(n.Name.O, "")
	if strings.EqualFold(r.s.database, n.Name.O) {
		r.s.database = ""
	}
	rows.Affected = int64(len(tables) + len(views))
	return rows, nil
}

// alterDatabase accepts what a database is already: its text is utf8mb4 and not encrypted.
func (r *stmtRun) alterDatabase(tx *storage.Tx, n *ast.AlterDatabaseStmt) (*Rows, error) {
	name := n.Name.O
	if n.AlterDefaultDatabase {
		name = r.s.database
	}
	if _, err := tx.Database(name); err != nil {
		return nil, r.locate(err, name)
	}
	if err := checkEncryption(n.Options); err != nil {
		return nil, r.locate(err, "ENCRYPTION")
	}
	for _, o := range n.Options {
		if value := strings.ToLower(o.Value); !strings.HasPrefix(value, "utf8") {
			if o.Tp == ast.DatabaseOptionCharset || o.Tp == ast.DatabaseOptionCollate {
				return nil, r.locate(sqlerr.Unsupported(-1, "%s", o.Value).WithHint("Text is always %s.", infoschema.Charset), o.Value)
			}
		}
	}
	return &Rows{Affected: 1}, r.setCollation(tx, name, n.Options)
}

// setCollation sets the collation that a database's options name: error 1235 for one that
// gsql does not have. Other options leave it as it is.
func (r *stmtRun) setCollation(tx *storage.Tx, db string, options []*ast.DatabaseOption) error {
	for _, o := range options {
		if o.Tp != ast.DatabaseOptionCollate {
			continue
		}
		c, ok := types.CollationCalled(o.Value)
		if !ok {
			return r.locate(sqlerr.Unsupported(-1, "COLLATE %s", o.Value), o.Value)
		}
		if err := tx.SetCollation(db, c); err != nil {
			return err
		}
	}
	return nil
}

// checkEncryption refuses what would be untrue: databases lie in memory as they are.
func checkEncryption(options []*ast.DatabaseOption) error {
	for _, o := range options {
		if o.Tp == ast.DatabaseOptionEncryption && !strings.EqualFold(o.Value, "N") {
			return sqlerr.Unsupported(-1, "ENCRYPTION = '%s'", o.Value)
		}
	}
	return nil
}
