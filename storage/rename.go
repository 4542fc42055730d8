package storage

import (
	"strings"

	"gsql/sql/sqlerr"
)

// Rename renames a table or view and moves it to database toDB; "" means the current database for
// db and toDB. Errors: 1049, 1146, and 1050 if the new name is taken.
func (tx DDL) Rename(db, name, toDB, toName string) error {
	db, toDB = tx.dbName(db), tx.dbName(toDB)
	db, toDB = tx.shadowing(db, name), tx.besides(db, name, toDB)
	o, err := tx.names.lookup(db, name)
	if err != nil {
		return err
	}
	moved := object{name: toName}
	if o.view != nil {
		view := *o.view
		view.DB, view.Name = toDB, toName
		moved.view = &view
	} else {
		moved.table = o.table.renamed(toDB, toName)
	}
	if err := tx.apply(moveObject(db, o, toDB, moved)); err != nil {
		return err
	}
	if o.view != nil {
		return nil
	}
	return tx.renameVersion(o.table, moved.table)
}

// renameVersion moves t's contents and keys to the table to.
func (tx DDL) renameVersion(t, to *table) error {
	w, err := tx.target(tx.version(t))
	if err != nil {
		return err
	}
	next := w.view.successor()
	next.table = to
	next.keys = make([]*uniqueKey, len(w.view.keys))
	for i, k := range w.view.keys {
		named := *k
		named.table = to.name
		next.keys[i] = &named
	}
	w.view, w.altered = next, true
	return nil
}

// moveObject removes an object's name and adds the object to under its new one. The error is 1146
// if the name no longer refers to the object.
func moveObject(db string, o object, toDB string, to object) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(o.name)
		n, err := n.withObject(db, key, func(m map[string]object) error {
			if m[key] != o {
				return sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", db, o.name)
			}
			delete(m, key)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return addObject(toDB, to)(n)
	}
}
