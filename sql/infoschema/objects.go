package infoschema

import (
	"slices"

	"gsql/sql/catalog"
)

// object is a table or a view.
type object struct {
	db, name string
	table    catalog.Table // nil for a view
	view     *catalog.View
}

// databases returns all databases in order whose names pass the scan's bounds on column.
func (s *scan) databases(column string) []string {
	all := append(Databases(), s.t.inv.Databases()...)
	slices.Sort(all)
	return slices.DeleteFunc(all, func(db string) bool { return !s.wants(column, db) })
}

// objects calls f for every table and view that passes the scan's bounds on TABLE_SCHEMA and
// TABLE_NAME.
func (s *scan) objects(f func(*object) error) error {
	if s.t.only != nil {
		return f(s.t.only)
	}
	for _, db := range s.databases("TABLE_SCHEMA") {
		tables, views := Names(db), []string(nil)
		if !Is(db) {
			tables, views = s.t.inv.Names(db)
		}
		names := slices.Concat(tables, views)
		slices.Sort(names)
		for _, name := range names {
			if !s.wants("TABLE_NAME", name) {
				continue
			}
			o, err := s.object(db, name)
			if err == nil {
				err = f(o)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scan) object(db, name string) (*object, error) {
	if Is(db) {
		t, err := Find(s.t.inv, db, name)
		return &object{db: db, name: name, table: t}, err
	}
	obj, err := s.t.inv.Object(s.ctx, db, name)
	return &object{db: db, name: name, table: obj.Table, view: obj.View}, err
}

// schema returns an object's columns; none for a view whose sources no longer exist.
func (s *scan) schema(o *object) *catalog.Schema {
	if o.table != nil {
		return o.table.Schema()
	}
	schema, err := s.t.inv.ViewSchema(s.ctx, o.view)
	if err != nil {
		return &catalog.Schema{}
	}
	return schema
}

// stored calls f for the tables that contain rows, with their schemas.
func (s *scan) stored(f func(*object, *catalog.Schema)) error {
	return s.objects(func(o *object) error {
		if o.table != nil && !Is(o.db) {
			f(o, o.table.Schema())
		}
		return nil
	})
}

func yesNo(yes bool) string {
	if yes {
		return "YES"
	}
	return "NO"
}
