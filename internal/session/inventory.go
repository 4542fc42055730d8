package session

import (
	"context"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sysvar"
	"gsql/sql/types"
	"gsql/storage"
)

// inventory is what information_schema shows to one statement.
type inventory struct {
	s  *Session
	tx *storage.Tx
}

// Inventory returns what information_schema shows to a statement that reads from tx.
func (s *Session) Inventory(tx *storage.Tx) infoschema.Inventory { return inventory{s, tx} }

// Databases implements infoschema.Inventory.
func (v inventory) Databases() []string { return v.tx.Databases() }

// Collation implements infoschema.Inventory.
func (v inventory) Collation(db string) types.Collation { return v.tx.Collation(db) }

// Names implements infoschema.Inventory.
func (v inventory) Names(db string) (tables, views []string) {
	tables, views, _ = v.tx.Tables(db) // a missing database has none
	return tables, views
}

// Object implements infoschema.Inventory.
func (v inventory) Object(ctx context.Context, db, name string) (catalog.Object, error) {
	return v.tx.Table(ctx, db, name)
}

// ViewSchema implements infoschema.Inventory.
func (v inventory) ViewSchema(ctx context.Context, view *catalog.View) (*catalog.Schema, error) {
	return v.s.ViewSchema(ctx, v.tx, view)
}

// Processes implements infoschema.Inventory.
func (v inventory) Processes() []infoschema.Process {
	var out []infoschema.Process
	for _, p := range v.s.DB.Processes.All() {
		out = append(out, p.Describe())
	}
	return out
}

// Placements implements infoschema.Inventory.
func (v inventory) Placements() []infoschema.Placement { return v.s.DB.Placements.All() }

// Residents implements infoschema.Inventory.
func (v inventory) Residents() []infoschema.Resident { return v.s.DB.Devices.Residents() }

// Status implements infoschema.Inventory.
func (v inventory) Status() []infoschema.Setting { return v.s.DB.Status() }

// Variables implements infoschema.Inventory.
func (v inventory) Variables(global bool) []infoschema.Setting {
	var out []infoschema.Setting
	for _, name := range sysvar.Names() {
		def, err := sysvar.Find(name)
		if err != nil || global && def.Scope == sysvar.SessionOnly {
			continue
		}
		value, notNull := v.s.Var(name)
		if global {
			value = v.s.DB.Global(def)
		}
		out = append(out, infoschema.Setting{Name: name, Value: def.Shown(value), Null: !notNull})
	}
	return out
}
