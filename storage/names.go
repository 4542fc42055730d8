package storage

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strings"

	"gsql/internal/suggest"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// DefaultDB is the database that always exists.
const DefaultDB = "gsql"

// namespace maps names to databases, and those to tables and views. It is immutable; a change
// copies one shard of one database. Keys are lower-case.
type namespace struct {
	dbs map[string]*database
}

type database struct {
	name   string
	coll   types.Collation      // default for tables declared without one
	shards [objectShards]*shard // nil if empty
}

// objectShards keeps changes of definitions cheap in databases with thousands of tables.
const objectShards = 64

// shard is part of a database's tables and views, by lower-case name.
type shard struct{ objects map[string]object }

var shardSeed = maphash.MakeSeed()

// shardOf returns the number of the shard for a lower-case name.
func shardOf(key string) int { return int(maphash.String(shardSeed, key) % objectShards) }

// get finds a table or view by its name, ignoring case.
func (d *database) get(name string) (object, bool) {
	key := strings.ToLower(name)
	s := d.shards[shardOf(key)]
	if s == nil {
		return object{}, false
	}
	o, ok := s.objects[key]
	return o, ok
}

// has reports whether t is the table of its name.
func (n *namespace) has(t *table) bool {
	d := n.dbs[strings.ToLower(t.db)]
	if d == nil {
		return false
	}
	o, ok := d.get(t.name)
	return ok && o.table == t
}

// all iterates over the tables and views in no particular order.
func (d *database) all() iter.Seq[object] {
	return func(yield func(object) bool) {
		for _, s := range d.shards {
			if s == nil {
				continue
			}
			for _, o := range s.objects {
				if !yield(o) {
					return
				}
			}
		}
	}
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
	if name == "" {
		return nil, sqlerr.New(sqlerr.NoDB, "No database selected").WithHint("Write USE name first, or database.table.")
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
		if !strings.HasPrefix(db.name, hidden) {
			out = append(out, db.name)
		}
	}
	slices.Sort(out)
	return out
}

// lookup finds a table or view; errors 1049 and 1146.
func (n *namespace) lookup(db, name string) (object, error) {
	d, err := n.database(db)
	if err != nil {
		return object{}, err
	}
	if o, ok := d.get(name); ok {
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
	var out []string
	for o := range d.all() {
		out = append(out, o.name)
	}
	slices.Sort(out)
	return out
}

// change is a step from one namespace to the next. A commit replays its changes if other
// transactions have committed changes in the meantime.
type change func(*namespace) (*namespace, error)

// withDatabase returns a copy of n to which db is added, replacing the database of that name if
// there is one.
func (n *namespace) withDatabase(db *database) *namespace {
	out := &namespace{dbs: maps.Clone(n.dbs)}
	out.dbs[strings.ToLower(db.name)] = db
	return out
}

// withObject returns a copy of n in which edit has changed the objects of the shard of database
// db that holds the lower-case name key.
func (n *namespace) withObject(db, key string, edit func(map[string]object) error) (*namespace, error) {
	d, err := n.database(db)
	if err != nil {
		return nil, err
	}
	objects := make(map[string]object)
	at := shardOf(key)
	if old := d.shards[at]; old != nil {
		maps.Copy(objects, old.objects)
	}
	if err := edit(objects); err != nil {
		return nil, err
	}
	next := *d
	next.shards[at] = &shard{objects}
	return n.withDatabase(&next), nil
}

func addObject(db string, o object) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(o.name)
		return n.withObject(db, key, func(m map[string]object) error {
			if _, ok := m[key]; ok {
				return sqlerr.New(sqlerr.TableExists, "Table '%s' already exists", o.name)
			}
			m[key] = o
			return nil
		})
	}
}

// replaceView implements CREATE OR REPLACE VIEW; error 1347 if the name belongs to a table.
func replaceView(db string, o object) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(o.name)
		return n.withObject(db, key, func(m map[string]object) error {
			if old, ok := m[key]; ok && old.view == nil {
				return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", db, o.name)
			}
			m[key] = o
			return nil
		})
	}
}

// dropObject removes a table (or view). The error is 1051 if it does not exist or if a view has the
// name of the table, and 1347 if a table has the name of the view.
func dropObject(db, name string, view bool) change {
	return func(n *namespace) (*namespace, error) {
		key := strings.ToLower(name)
		return n.withObject(db, key, func(m map[string]object) error {
			o, ok := m[key]
			switch {
			case !ok || !view && o.view != nil:
				e := sqlerr.New(sqlerr.BadTable, "Unknown table '%s.%s'", shown(db), name)
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

// shown returns the name of a database that users see.
func shown(db string) string { return db[strings.LastIndex(db, hidden)+1:] }

func addDatabase(name string) change {
	return func(n *namespace) (*namespace, error) {
		if _, ok := n.dbs[strings.ToLower(name)]; ok {
			return nil, sqlerr.New(sqlerr.DBCreateExists, "Can't create database '%s'; database exists", name)
		}
		return n.withDatabase(&database{name: name}), nil
	}
}

func setCollation(name string, coll types.Collation) change {
	return func(n *namespace) (*namespace, error) {
		d, err := n.database(name)
		if err != nil {
			return nil, err
		}
		next := *d
		next.coll = coll
		return n.withDatabase(&next), nil
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
