package storage

import (
	"strconv"
	"strings"

	"gsql/sql/catalog"
)

// hidden is the first byte of the names of databases that hold temporary tables: one for each
// session and each database in which the session has some. Lists of databases omit them.
const hidden = "\x00"

// Temporary makes the transaction see a session's temporary tables, which hide other tables of
// the same names, and makes CreateTemporary create tables for that session.
func (tx *Tx) Temporary(session uint64) {
	tx.temp = hidden + strconv.FormatUint(session, 10) + hidden
}

// shadowing returns the database in which the transaction finds the table name of db: the one
// with the session's temporary tables if it has a table of that name, otherwise db.
func (tx *Tx) shadowing(db, name string) string {
	if tx.temp == "" {
		return db
	}
	if d := tx.names.dbs[strings.ToLower(tx.temp+db)]; d != nil {
		if _, ok := d.get(name); ok {
			return d.name
		}
	}
	return db
}

// besides returns the target database for renaming a table of db: temporary tables stay
// temporary.
func (tx DDL) besides(db, name, toDB string) string {
	if tx.shadowing(db, name) == db {
		return toDB
	}
	return tx.temp + toDB
}

// CreateTemporary creates a temporary table; error 1049, and 1050 if the session already has one
// of that name. Temporary must have been called.
func (tx DDL) CreateTemporary(db, name string, schema *catalog.Schema) error {
	db = tx.dbName(db)
	if _, err := tx.names.database(db); err != nil {
		return err
	}
	if tx.names.dbs[strings.ToLower(tx.temp+db)] == nil {
		if err := tx.CreateDatabase(tx.temp + db); err != nil {
			return err
		}
	}
	shape := *schema
	shape.Temporary = true
	return tx.createTable(tx.temp+db, name, &shape)
}

// DropTemporary removes a temporary table; error 1051 if the session has none of that name.
func (tx DDL) DropTemporary(db, name string) error {
	return tx.dropTable(tx.temp+tx.dbName(db), name)
}

// HasTemporary reports whether the session has a temporary table of that name.
func (tx *Tx) HasTemporary(db, name string) bool {
	db = tx.dbName(db)
	return tx.shadowing(db, name) != db
}

// DropSession removes a session's temporary tables, if it has any.
func (s *Store) DropSession(session uint64) error {
	tx := s.Begin()
	defer tx.Rollback()
	tx.Temporary(session)
	for _, db := range tx.names.dbs {
		if !strings.HasPrefix(db.name, tx.temp) {
			continue
		}
		if err := tx.DDL().DropDatabase(db.name); err != nil {
			return err
		}
	}
	return tx.Commit()
}
