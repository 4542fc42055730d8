package forms

import (
	"errors"
	"fmt"

	"gsql/gpu/column"
	"gsql/gpu/tables"
	"gsql/sql/catalog"
)

// statistics describes columns of tables whose sizes are known.
type statistics struct{ tables.Statistics }

// Column implements lower.Columns.
func (s statistics) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	if st := t.Stats(); st.Rows == 0 && !st.Exact {
		return column.Narrow{}, fmt.Errorf("the number of rows of %s is not known", t.Name())
	}
	if ordinal < 0 || ordinal >= len(t.Schema().Columns) {
		return column.Narrow{}, errors.New("numbers of rows are not for the device")
	}
	return s.Statistics.Column(t, ordinal)
}
