package tables

import (
	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
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

// fewRows is the number of result rows up to which the host reads every column that the device does
// not compute with. For larger results, the device returns columns that are cheap to bring there.
const fewRows = 1 << 14

// distinctShare is the number of distinct texts per row above which a dictionary is not cheap.
const distinctShare = 1.0 / 16

// Late implements lower.Columns.
func (s Statistics) Late(t catalog.Table, ordinal int, rows float64) bool {
	if _, ok := t.(catalog.PlaceReader); !ok || ordinal < 0 {
		return false
	}
	_, err := s.Column(t, ordinal)
	return err != nil || rows <= fewRows || distinct(t, ordinal)
}

// distinct reports whether a column has texts of which too many are distinct for a dictionary to be cheap.
func distinct(t catalog.Table, ordinal int) bool {
	stats := t.Stats()
	return t.Schema().Columns[ordinal].Type.Kind() == types.KindStr && ordinal < len(stats.Columns) &&
		float64(stats.Columns[ordinal].NDV) > distinctShare*float64(stats.Rows)
}

// Raw implements lower.Columns.
func (s Statistics) Raw(t catalog.Table, ordinal int) bool {
	if ordinal < 0 || ordinal >= len(t.Schema().Columns) {
		return false
	}
	_, err := s.Column(t, ordinal)
	return err != nil || distinct(t, ordinal)
}

// Derived implements lower.Columns.
func (Statistics) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	return d.Expected(t.Stats().Rows), nil
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

// Raw implements lower.Columns.
func (Loaded) Raw(catalog.Table, int) bool { return false }

// Derived implements lower.Columns.
func (Loaded) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	return column.Narrow{}, sqlerr.Internal("a function of column %s is not on the device", name(t, d.Ordinal))
}

// Late implements lower.Columns: all columns are on the device.
func (Loaded) Late(catalog.Table, int, float64) bool { return false }

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
