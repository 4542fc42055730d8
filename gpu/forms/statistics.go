package forms

import (
	"errors"
	"fmt"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/sql/catalog"
)

// statistics describes columns of stored tables.
type statistics struct {
	tables.Statistics
	stored func(catalog.Table) bool
}

// Column implements lower.Columns.
func (s statistics) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	if !s.stored(t) {
		return column.Narrow{}, notStored(t)
	}
	if ordinal < 0 || ordinal >= len(t.Schema().Columns) {
		return column.Narrow{}, errors.New("numbers of rows are not for the device")
	}
	return s.Statistics.Column(t, ordinal)
}

// Derived implements lower.Columns.
func (s statistics) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	if !s.stored(t) {
		return column.Narrow{}, notStored(t)
	}
	return s.Statistics.Derived(t, d)
}

func notStored(t catalog.Table) error { return fmt.Errorf("%s is not a stored table", t.Name()) }
