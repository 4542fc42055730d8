package forms

import (
	"errors"
	"fmt"

	"gsql/gpu/column"
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
		return column.Narrow{}, fmt.Errorf("%s is not a stored table", t.Name())
	}
	if ordinal < 0 || ordinal >= len(t.Schema().Columns) {
		return column.Narrow{}, errors.New("numbers of rows are not for the device")
	}
	return s.Statistics.Column(t, ordinal)
}
