package storage

import (
	"maps"
	"slices"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// DefaultDB is the database that always exists.
const DefaultDB = "gsql"

// namespace maps names to what they stand for. It is immutable; changes copy one
// database's map. Keys are lower-case.
type namespace struct {
	dbs map[string]*database
}

type database struct {
	name    string
	objects map[string]object
}

// object is a table or a view.
type object struct {
	name  string
	table *table
	view  *catalog.View
}

func newNamespace() *namespace {
	return &namespace{dbs: map[string]*database{DefaultDB: {name: DefaultDB}}}
}

func (n *namespace) database(name string) (*database, error) {
	if db, ok := n.dbs[strings.ToLower(name)]; ok {
		return db, nil
	}
	e := sqlerr.New(sqlerr.BadDB, "Unknown database '%s'", name)
	if s := suggest.Nearest(name, n.databases()); s != "" {
		e = e.WithHint("Did you mean '%s'?", s)
	}
	return nil, e
}

func (n *namespace) databases() []string {
	var out []string
	for _, db := range n.dbs {
		out = append(out, db.name)
	}
	slices.Sort(out)
	return out
}

// lookup finds a table or view: error 1049 or 1146.
func (n *namespace) lookup(db, name string) (object, error) {
	d, err := n.database(db)
	if err != nil {
		return object{}, err
	}
	if o, ok := d.objects[strings.ToLower(name)]; ok {
		return o, nil
	}
	e := sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", d.name, name)
	if s := suggest.Nearest(name, d.names()); s != "" {
		e = e.WithHint("Did you mean '%s'?", s)
	}
	return object{}, e
}

// names lists the tables and views in order.
func (d *database) names() []string {
	out := make([]string, 0, len(d.objects))
	for _, o := range d.objects {
		out = append(out, o.name)
	}
	slices.Sort(out)
	return out
}

// change is a step from one namespace to the next. Changes are replayed at commit when
// others have committed theirs meanwhile.
type change func(*namespace) (*namespace, error)

// withDatabase gives a copy of n in which db replaces (or joins) what it had.
func (n *namespace) withDatabase(db *database) *namespace {
	out := &namespace{dbs: maps.Clone(n.dbs)}
	out.dbs[strings.ToLower(db.name)] = db
	return out
}

// withObjects gives a copy of n in which edit has changed the objects of db.
func (n *namespace) withObjects(db string, edit func(map[string]object) error) (*namespace, error) {
	d, err := n.database(db)
	if err != nil {
		return nil, err
	}
	next := &database{name: d.name, objects: maps.Clone(d.objects)}
	if next.objects == nil {
		next.objects = make(map[string]object)
	}
	if err := edit(next.objects); err != nil {
		return nil, err
	}
	return n.withDatabase(next), nil
}

func addObject(db string, o object) change {
	return func(n *namespace) (*namespace, error) {
		return n.withObjects(db, func(m map[string]object) error {
			key := strings.ToLower(o.name)
			if _, ok := m[key]; ok {
				return sqlerr.New(sqlerr.TableExists, "Table '%s' already exists", o.name)
			}
			m[key] = o
			return nil
		})
	}
}

// replaceView is CREATE OR REPLACE VIEW: error 1347 when the name is a table's.
func replaceView(db string, o object) change {
	return func(n *namespace) (*namespace, error) {
		return n.withObjects(db, func(m map[string]object) error {
			key := strings.ToLower(o.name)
			if old, ok := m[key]; ok && old.view == nil {
				return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", db, o.name)
			}
			m[key] = o
			return nil
		})
	}
}

// dropObject removes a table (or view): 1051 when there is none, 1347 when the name is
// the other kind's.
func dropObject(db, name string, view bool) change {
	return func(n *namespace) (*namespace, error) {
		return n.withObjects(db, func(m map[string]object) error {
			key := strings.ToLower(name)
			o, ok := m[key]
			switch {
			case !ok || !view && o.view != nil:
				e := sqlerr.New(sqlerr.BadTable, "Unknown table '%s.%s'", db, name)
				if ok {
					e = e.WithHint("'%s' is a view; use DROP VIEW.", o.name)
				}
				return e
			case view && o.view == nil:
				return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", db, name)
			}
			delete(m, key)
			return nil
		})
	}
}

func addDatabase(name string) change {
	return func(n *namespace) (*namespace, error) {
		if _, ok := n.dbs[strings.ToLower(name)]; ok {
			return nil, sqlerr.New(sqlerr.DBCreateExists, "Can't create database '%s'; database exists", name)
		}
		return n.withDatabase(&database{name: name}), nil
	}
}

func dropDatabase(name string) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(name)
		if _, ok := n.dbs[key]; !ok {
			return nil, sqlerr.New(sqlerr.DBDropExists, "Can't drop database '%s'; database doesn't exist", name)
		}
		if key == DefaultDB {
			return nil, sqlerr.New(sqlerr.WrongArguments, "The default database '%s' cannot be dropped", DefaultDB)
		}
		out := &namespace{dbs: maps.Clone(n.dbs)}
		delete(out.dbs, key)
		return out, nil
	}
}
