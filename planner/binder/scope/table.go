package scope

import (
	"strings"
	"time"

	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Scan returns a scan of all columns of a table. A rewrite rule prunes them later.
func Scan(s *statement.Statement, t catalog.Table, db, alias string) (*logical.Scan, *Scope) {
	schema := t.Schema()
	node := &logical.Scan{
		Table: t, DB: db, Alias: alias,
		Columns: make([]logical.Column, len(schema.Columns)), Ordinals: make([]int, len(schema.Columns)),
	}
	for i := range schema.Columns {
		c := &schema.Columns[i]
		node.Columns[i] = logical.Column{ID: s.NewID(), Name: c.Name, Table: alias, T: c.Type, NotNull: c.NotNull}
		node.Ordinals[i] = i
	}
	src := &Source{Key: strings.ToLower(alias), DB: strings.ToLower(db), Alias: alias, Table: t, Scan: node}
	sc := New(src, node.Columns)
	for i := range schema.Columns {
		sc.Columns[i].Hidden = schema.Columns[i].Hidden
	}
	return node, sc
}

// LocalTimes returns the scan, or a projection over it that converts TIMESTAMP columns to local times. It
// updates sc to the columns of the result.
func LocalTimes(s *statement.Statement, scan *logical.Scan, sc *Scope) logical.Node {
	if s.Zone == time.UTC {
		return scan
	}
	items, changed := PassItems(scan.Columns), false
	for i, c := range scan.Columns {
		if c.T.ID != types.Timestamp {
			continue
		}
		local := c
		local.ID = s.NewID()
		items[i] = logical.Item{Col: local, Expr: s.LocalTime(c.Ref())}
		sc.Columns[i].Column, changed = local, true
	}
	if !changed {
		return scan
	}
	node := &logical.Project{In: scan, Items: items}
	sc.Sources[0].local = node
	return node
}

// AddRowID adds the row id to the columns of a table's scan.
func AddRowID(s *statement.Statement, src *Source) logical.Column {
	id := logical.Column{ID: s.NewID(), Name: "_rowid", Table: src.Alias, T: types.T(types.Int64)}
	src.Scan.Columns = append([]logical.Column{id}, src.Scan.Columns...)
	src.Scan.Ordinals = append([]int{catalog.RowID}, src.Scan.Ordinals...)
	if src.local != nil {
		src.local.Items = append(src.local.Items, logical.Item{Col: id, Expr: id.Ref()})
	}
	return id
}

// Target is the table that a statement changes.
type Target struct {
	Table    catalog.Table
	DB, Name string
}

// Target returns the table behind a source.
func (src *Source) Target() Target {
	return Target{Table: src.Table, DB: src.DB, Name: src.Table.Name()}
}
