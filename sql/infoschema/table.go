package infoschema

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// guessedRows is the row count that the planner assumes for virtual tables.
const guessedRows = 200

// definition defines a virtual table: its name, its columns and the function that makes its rows.
// rows is nil for a table that is always empty.
type definition struct {
	db, name string
	schema   func() *catalog.Schema
	rows     func(*scan) error
}

// byName maps a database name in lower case and a table name in upper case to a definition.
var byName = map[string]map[string]*definition{Information: {}, Performance: {}}

// define adds a table to a database.
func define(db, name, columns string, rows func(*scan) error) {
	byName[db][strings.ToUpper(name)] = newDefinition(db, name, columns, rows)
}

// newDefinition returns a definition. columns is a comma-separated list of names and types as
// declared in MySQL.
func newDefinition(db, name, columns string, rows func(*scan) error) *definition {
	return &definition{
		db: db, name: name, rows: rows,
		schema: sync.OnceValue(func() *catalog.Schema { return declared(columns) }),
	}
}

var versions atomic.Uint64

// table is a definition together with an inventory.
type table struct {
	*definition
	inv     Inventory
	version uint64
	// only restricts the listed tables to one, for SHOW COLUMNS and SHOW INDEX.
	only *object
}

func newTable(d *definition, inv Inventory) *table {
	return &table{definition: d, inv: inv, version: versions.Add(1)}
}

// Name implements catalog.Table.
func (t *table) Name() string { return t.name }

// Schema implements catalog.Table.
func (t *table) Schema() *catalog.Schema { return t.schema() }

// Stats implements catalog.Table.
func (t *table) Stats() *catalog.Stats { return &catalog.Stats{Rows: guessedRows} }

// Version implements catalog.Table. The contents may differ in each statement.
func (t *table) Version() uint64 { return t.version }

// Scan implements catalog.Table.
func (t *table) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	if spec.BatchSize <= 0 {
		spec.BatchSize = vec.BatchSize
	}
	return &scan{ctx: ctx, t: t, spec: spec}, nil
}

// scan makes the rows of a table at the first read and returns them in batches.
type scan struct {
	ctx  context.Context
	t    *table
	spec catalog.ScanSpec

	once sync.Once
	err  error
	n    int
	cols []*vec.Vector // by position in spec.Columns
	next atomic.Int64  // first row not yet returned
}

// NewReader implements catalog.Source.
func (s *scan) NewReader() (catalog.Reader, error) { return reader{s}, nil }

// Close implements catalog.Source.
func (s *scan) Close() error { return nil }

func (s *scan) make() {
	schema := s.t.Schema()
	s.cols = make([]*vec.Vector, len(s.spec.Columns))
	for i, o := range s.spec.Columns {
		t := types.T(types.Int64)
		if o != catalog.RowID {
			t = schema.Columns[o].Type
		}
		s.cols[i] = &vec.Vector{Type: t}
	}
	if s.t.rows != nil {
		s.err = s.t.rows(s)
	}
	for _, v := range s.cols {
		v.N = s.n
	}
	if s.spec.Progress != nil {
		s.spec.Progress(int64(s.n))
	}
}

// lazy is a cell that is expensive to compute: it is computed only if its column is read.
type lazy func() any

// add adds a row. Cells are in the order of the table's columns: nil for NULL, strings and
// integers.
func (s *scan) add(cells ...any) {
	for i, o := range s.spec.Columns {
		var cell any = int64(s.n)
		if o != catalog.RowID {
			cell = cells[o]
		}
		if f, ok := cell.(lazy); ok {
			cell = f()
		}
		appendCell(s.cols[i], cell, s.n)
	}
	s.n++
}

// appendCell appends cell to a flat vector of n rows.
func appendCell(v *vec.Vector, cell any, n int) {
	if v.Null != nil {
		v.Null = append(v.Null, cell == nil)
	} else if cell == nil {
		v.Null = make([]bool, n+1, 2*n+8)
		v.Null[n] = true
	}
	if v.Type.Kind() == types.KindStr {
		text, _ := cell.(string)
		v.Str = append(v.Str, text)
		return
	}
	x := int64(0)
	switch c := cell.(type) {
	case int:
		x = int64(c)
	case int64:
		x = c
	case uint64:
		x = int64(c)
	}
	v.I64 = append(v.I64, x)
}

// wants reports whether rows with value in the named column may be needed. When a query compares
// the column, the planner passes bounds for it.
func (s *scan) wants(column, value string) bool {
	for _, r := range s.spec.Prune {
		if s.t.Schema().Columns[r.Column].Name != column {
			continue
		}
		if r.Lo != nil && value < r.Lo.Str || r.Hi != nil && value > r.Hi.Str {
			return false
		}
	}
	return true
}

// reader reads a scan's rows.
type reader struct{ s *scan }

// Next implements catalog.Reader.
func (r reader) Next() (*vec.Batch, error) {
	s := r.s
	if err := s.ctx.Err(); err != nil {
		return nil, sqlerr.From(err)
	}
	s.once.Do(s.make)
	if s.err != nil {
		return nil, s.err
	}
	size := s.spec.BatchSize
	from := int(s.next.Add(int64(size))) - size
	if from >= s.n {
		return nil, nil
	}
	to := min(from+size, s.n)
	b := &vec.Batch{N: to - from, Cols: make([]*vec.Vector, len(s.cols)), Morsel: int64(from/size) + 1}
	for i, v := range s.cols {
		b.Cols[i] = v.Slice(from, to)
	}
	return b, nil
}

// Close implements catalog.Reader.
func (r reader) Close() error { return nil }
