package tables_test

import (
	"context"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// table is a table of given batches, of which each is a morsel.
type table struct {
	schema  catalog.Schema
	stats   catalog.Stats
	version uint64
	batches []*vec.Batch
	scans   int
	fail    error  // of reading the last batch
	block   func() // called before each batch
}

func newTable(version uint64, batches ...*vec.Batch) *table {
	t := &table{version: version, batches: batches}
	for i, b := range batches {
		b.Morsel = int64(3*i + 1)
		t.stats.Rows += int64(b.N)
	}
	t.stats.Exact = true
	for _, c := range batches[0].Cols {
		t.schema.Columns = append(t.schema.Columns, catalog.Column{Name: "c", Type: c.Type})
	}
	return t
}

func (t *table) Name() string            { return "t" }
func (t *table) Schema() *catalog.Schema { return &t.schema }
func (t *table) Stats() *catalog.Stats   { return &t.stats }
func (t *table) Version() uint64         { return t.version }

func (t *table) Scan(ctx context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	t.scans++
	return &source{ctx: ctx, t: t, columns: spec.Columns}, nil
}

type source struct {
	ctx     context.Context
	t       *table
	columns []int
	mu      sync.Mutex
	next    int
}

func (s *source) NewReader() (catalog.Reader, error) { return s, nil }
func (s *source) Close() error                       { return nil }

func (s *source) Next() (*vec.Batch, error) {
	if s.t.block != nil {
		s.t.block()
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.t.batches) {
		return nil, nil
	}
	b := s.t.batches[s.next]
	if s.next++; s.next == len(s.t.batches) && s.t.fail != nil {
		return nil, s.t.fail
	}
	out := &vec.Batch{N: b.N, Morsel: b.Morsel}
	for _, c := range s.columns {
		out.Cols = append(out.Cols, b.Cols[c])
	}
	return out, nil
}
