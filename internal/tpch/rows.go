package tpch

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Table is one of the eight tables at a scale factor. Rows are made from units: an order for
// lineitem, a row for the other tables. It is safe for concurrent use.
type Table struct {
	*table
	at *scale
}

// Tables returns the tables at a scale factor, referenced ones before those that refer to them.
func Tables(sf float64) ([]Table, error) {
	if !(sf >= leastScale && sf <= mostScale) {
		return nil, fmt.Errorf("scale factor %g: it must be from %g to %d", sf, leastScale, mostScale)
	}
	all := make([]Table, len(tables))
	for i := range tables {
		all[i] = Table{&tables[i], newScale(sf)}
	}
	return all, nil
}

// The limits of scale factors: a part has four suppliers, and the keys of all tables but lineitem and
// orders have 32 bits.
const (
	leastScale = 0.0004
	mostScale  = 10_000
)

// Name returns the table's name.
func (t Table) Name() string { return t.name }

// Schema returns the table's columns, none of which is nullable.
func (t Table) Schema() *arrow.Schema { return t.schema }

// Key returns the names of the columns of the primary key (clause 1.4.2.2).
func (t Table) Key() []string { return t.key }

// Units returns the number of units.
func (t Table) Units() int64 { return t.units(t.at) }

// Rows makes the rows of the units from from up to to, or to the last one. They do not depend on
// other units. The caller releases the record.
func (t Table) Rows(from, to int64) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.schema)
	defer b.Release()
	t.fill(t.at, from, min(to, t.Units()), b)
	return b.NewRecord()
}
