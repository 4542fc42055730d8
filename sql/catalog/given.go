package catalog

import (
	"context"
	"sync/atomic"

	"gsql/sql/vec"
)

// Given is a table whose rows are set anew for each run of a plan, used by statements that work
// in portions. Except for scans, it must be used by one goroutine at a time.
type Given struct {
	name   string
	schema *Schema
	cols   []*vec.Vector
	n      int
	id     uint64
}

// givenIDs counts Givens; their versions count down from the maximum, so that they never equal a
// stored table's.
var givenIDs atomic.Uint64

// NewGiven returns a table without rows.
func NewGiven(name string, schema *Schema) *Given {
	return &Given{name: name, schema: schema, id: ^givenIDs.Add(1)}
}

// Give sets the rows: flat vectors in schema order, used until the next call.
func (g *Given) Give(cols []*vec.Vector, n int) {
	g.cols, g.n, g.id = cols, n, ^givenIDs.Add(1)
}

// Name implements Table.
func (g *Given) Name() string { return g.name }

// Schema implements Table.
func (g *Given) Schema() *Schema { return g.schema }

// Stats implements Table. Plans are made before the rows are known.
func (g *Given) Stats() *Stats { return &Stats{Rows: vec.BatchSize} }

// Version implements Table.
func (g *Given) Version() uint64 { return g.id }

// Scan implements Table. Rows are returned in the order in which they were given.
func (g *Given) Scan(_ context.Context, spec ScanSpec) (Source, error) {
	if spec.BatchSize <= 0 {
		spec.BatchSize = vec.BatchSize
	}
	return &givenSource{table: g, spec: spec}, nil
}

// givenSource returns the batches of a Given; it is its own reader.
type givenSource struct {
	table *Given
	spec  ScanSpec
	next  atomic.Int64 // position of the next row to return
}

// NewReader implements Source.
func (s *givenSource) NewReader() (Reader, error) { return s, nil }

// Next implements Reader.
func (s *givenSource) Next() (*vec.Batch, error) {
	size := int64(s.spec.BatchSize)
	from := s.next.Add(size) - size
	if from >= int64(s.table.n) {
		return nil, nil
	}
	to := min(from+size, int64(s.table.n))
	b := &vec.Batch{N: int(to - from), Morsel: from / size, Cols: make([]*vec.Vector, len(s.spec.Columns))}
	for i, c := range s.spec.Columns {
		b.Cols[i] = s.table.cols[c].Slice(int(from), int(to))
	}
	return b, nil
}

// Close implements Source and Reader.
func (s *givenSource) Close() error { return nil }
