package tables

import (
	"gsql/gpu/column"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// Statistics implements lower.Columns by what is known about tables without reading them.
type Statistics struct{}

// Rows implements lower.Columns.
func (Statistics) Rows(t catalog.Table) int64 { return t.Stats().Rows }

// Column implements lower.Columns. An arbitrary address in Valid means that the column may have
// NULLs. It is 0 only if the column is NOT NULL or exact statistics count no NULLs.
func (Statistics) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	if err := refusal(t, ordinal); err != nil {
		return column.Narrow{}, err
	}
	def, stats := &t.Schema().Columns[ordinal], t.Stats()
	var known catalog.ColumnStats
	if ordinal < len(stats.Columns) {
		known = stats.Columns[ordinal]
	}
	c, err := column.Expect(def.Type, &known, stats.Rows)
	if err != nil {
		return column.Narrow{}, named(t, ordinal, err)
	}
	if counted := stats.Exact && ordinal < len(stats.Columns); !def.NotNull && (!counted || known.Nulls > 0) {
		c.Valid = 1
	}
	return c, nil
}

// Loaded implements lower.Columns by the columns in device memory.
type Loaded map[catalog.Table]map[int]column.Narrow

// Add adds columns that Load has returned.
func (l Loaded) Add(t catalog.Table, ordinals []int, columns []column.Narrow) {
	if l[t] == nil {
		l[t] = map[int]column.Narrow{}
	}
	for i, o := range ordinals {
		l[t][o] = columns[i]
	}
}

// Rows implements lower.Columns. For a table without loaded columns it returns the number in the
// statistics.
func (l Loaded) Rows(t catalog.Table) int64 {
	for _, c := range l[t] {
		return c.Rows
	}
	return t.Stats().Rows
}

// Column implements lower.Columns.
func (l Loaded) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	c, ok := l[t][ordinal]
	if !ok {
		return c, sqlerr.Internal("column %s is not on the device", name(t, ordinal))
	}
	return c, nil
}
