package storage

import (
	"strconv"
	"strings"

	"gsql/sql/catalog"
)

// hidden is the first byte of the names of databases that hold temporary tables: one for
// every session and database in which it has some. Lists of databases leave them out.
const hidden = "\x00"

// Temporary makes the transaction see, and CreateTemporary make, the temporary tables
// of a session. They hide tables of the same names.
func (tx *Tx) Temporary(session uint64) {
	tx.temp = hidden + strconv.FormatUint(session, 10) + hidden
}

// shadowing returns the database in which the transaction finds a table of db: that of its
// temporary tables if there is one of the name.
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

// besides returns the database for the new name of a table of db: temporary tables stay
// temporary.
func (tx DDL) besides(db, name, toDB string) string {
	if tx.shadowing(db, name) == db {
		return toDB
	}
	return tx.temp + toDB
}

// CreateTemporary makes a temporary table: error 1049, and 1050 when the session has
// one of the name. Temporary must have been called.
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

// DropTemporary removes a temporary table: error 1051 when the session has none of the
// name.
func (tx DDL) DropTemporary(db, name string) error {
	return tx.dropTable(tx.temp+tx.dbName(db), name)
}

// HasTemporary reports whether the session has a temporary table of the name.
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
