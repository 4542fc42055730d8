package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
)

// createDatabase runs CREATE DATABASE.
func createDatabase(r *run, tx *storage.Tx, n *ast.CreateDatabaseStmt) (*Result, error) {
	if err := checkEncryption(n.Options); err != nil {
		return nil, r.locate(err, "ENCRYPTION")
	}
	_, missing := tx.Database(n.Name.O)
	existed := missing == nil
	rows, err := r.unless(n.IfNotExists, sqlerr.DBCreateExists, tx.DDL().CreateDatabase(n.Name.O))
	if err != nil {
		return nil, err
	}
	rows.Affected = 1
	if !existed {
		err = setCollation(r, tx, n.Name.O, n.Options)
	}
	return rows, err
}

// dropDatabase drops a database with everything in it. If it was the current database, there is
// none afterwards.
func dropDatabase(r *run, tx *storage.Tx, n *ast.DropDatabaseStmt) (*Result, error) {
	tables, views, _ := tx.Tables(n.Name.O) // a missing database is the error to report
	rows, err := r.unless(n.IfExists, sqlerr.DBDropExists, tx.DDL().DropDatabase(n.Name.O))
	if err != nil {
		return nil, err
	}
	r.s.DB.Triggers.Forget(n.Name.O, "")
	if strings.EqualFold(r.s.Database, n.Name.O) {
		r.s.Database = ""
	}
	rows.Affected = int64(len(tables) + len(views))
	return rows, nil
}

// alterDatabase accepts options that every database has anyway: its text is utf8mb4 and not
// encrypted.
func alterDatabase(r *run, tx *storage.Tx, n *ast.AlterDatabaseStmt) (*Result, error) {
	name := n.Name.O
	if n.AlterDefaultDatabase {
		name = r.s.Database
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
	return &Result{Affected: 1}, setCollation(r, tx, name, n.Options)
}

// setCollation sets the collation that a database's options name. The error is 1235 for one that
// gsql lacks.
func setCollation(r *run, tx *storage.Tx, db string, options []*ast.DatabaseOption) error {
	for _, o := range options {
		if o.Tp != ast.DatabaseOptionCollate {
			continue
		}
		c, ok := types.CollationCalled(o.Value)
		if !ok {
			return r.locate(sqlerr.Unsupported(-1, "COLLATE %s", o.Value), o.Value)
		}
		if err := tx.DDL().SetCollation(db, c); err != nil {
			return err
		}
	}
	return nil
}

// checkEncryption refuses encryption, because databases are stored in memory unencrypted.
func checkEncryption(options []*ast.DatabaseOption) error {
	for _, o := range options {
		if o.Tp == ast.DatabaseOptionEncryption && !strings.EqualFold(o.Value, "N") {
			return sqlerr.Unsupported(-1, "ENCRYPTION = '%s'", o.Value)
		}
	}
	return nil
}
