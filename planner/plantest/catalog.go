// Package plantest provides a catalog for planner tests: tables with any schema and statistics
// but without rows.
package plantest

import (
	"context"
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Catalog is an in-memory catalog.Resolver of the database "test". Names ignore case. It must not
// be changed during use.
type Catalog struct {
	objects map[string]catalog.Object
}

// New returns an empty catalog.
func New() *Catalog { return &Catalog{objects: map[string]catalog.Object{}} }

// Add puts t into the catalog, replacing any object with its name.
func (c *Catalog) Add(t *Table) {
	c.objects[strings.ToLower(t.TableName)] = catalog.Object{Table: t}
}

// AddView puts a view of the given SELECT into the catalog.
func (c *Catalog) AddView(name, sql string, columns ...string) {
	v := &catalog.View{DB: "test", Name: name, Columns: columns, SQL: sql, Within: "test"}
	c.objects[strings.ToLower(name)] = catalog.Object{View: v}
}

// Lookup returns the table of that name, or nil.
func (c *Catalog) Lookup(name string) *Table {
	t, _ := c.objects[strings.ToLower(name)].Table.(*Table)
	return t
}

// Table implements catalog.Resolver.
func (c *Catalog) Table(_ context.Context, db, name string) (catalog.Object, error) {
	if db == "" {
		db = "test"
	}
	if o, ok := c.objects[strings.ToLower(name)]; ok && db == "test" {
		return o, nil
	}
	return catalog.Object{}, sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", db, name)
}

// Collation implements catalog.Resolver.
func (c *Catalog) Collation(string) types.Collation { return types.Bin }

// In implements catalog.Resolver: there is one database.
func (c *Catalog) In(string) catalog.Resolver { return c }

// Table is a catalog.Table that consists of its description alone.
type Table struct {
	TableName  string
	Shape      catalog.Schema
	Statistics catalog.Stats
	Found      []int // ordinals of columns by which FindsBy reports that rows are found, individually or together
}

// FindsBy implements catalog.KeyFinder.
func (t *Table) FindsBy(columns []int) bool {
	return !slices.ContainsFunc(columns, func(c int) bool { return !slices.Contains(t.Found, c) })
}

// Name implements catalog.Table.
func (t *Table) Name() string { return t.TableName }

// Schema implements catalog.Table.
func (t *Table) Schema() *catalog.Schema { return &t.Shape }

// Stats implements catalog.Table.
func (t *Table) Stats() *catalog.Stats { return &t.Statistics }

// Version implements catalog.Table.
func (t *Table) Version() uint64 { return 1 }

// Scan implements catalog.Table; it always fails.
func (t *Table) Scan(context.Context, catalog.ScanSpec) (catalog.Source, error) {
	return nil, sqlerr.Internal("plantest tables cannot be scanned")
}
