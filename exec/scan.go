package exec

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// scan reads a table's morsels and filters them. Its streams share the source.
type scan struct {
	plan    *physical.Scan
	columns int
	sieves  []sieve // applied in this order
	ctx     *op.Ctx
	account *mem.Account
	source  catalog.Source
}

func newScan(_ *Inputs, n *physical.Node) (op.Operator, error) {
	s := &scan{plan: n.Op.(*physical.Scan), columns: len(n.Cols)}
	if len(s.plan.Preds) == 0 {
		return s, nil
	}
	f, err := predicates(n, s.plan.Preds)
	s.sieves = []sieve{f}
	return s, err
}

// Open implements op.Operator.
func (s *scan) Open(ctx *op.Ctx) (err error) {
	s.ctx, s.account = ctx, ctx.Mem.Child("Scan "+s.plan.Table.Name())
	s.source, err = s.plan.Table.Scan(ctx, catalog.ScanSpec{
		Columns: s.plan.Ordinals, Prune: s.plan.Prune, BatchSize: ctx.Rows(),
		Mem: s.account, Progress: ctx.Read,
	})
	return err
}

// Ordered implements op.Operator: morsel numbers restore a table's order where it
// matters.
func (s *scan) Ordered() bool { return false }

// Stream implements op.Operator.
func (s *scan) Stream() (op.Stream, error) {
	r, err := s.source.NewReader()
	if err != nil {
		return nil, err
	}
	if len(s.sieves) == 0 {
		return &reading{r, s.ctx}, nil
	}
	return newLateScan(s.ctx, r, s.columns, s.sieves), nil
}

// Close implements op.Operator.
func (s *scan) Close() error {
	if s.source == nil {
		return nil
	}
	err := s.source.Close()
	s.source = nil
	s.account.ReleaseAll()
	return err
}

// reading is a stream over a table's reader.
type reading struct {
	catalog.Reader
	ctx *op.Ctx
}

// Next implements op.Stream.
func (r *reading) Next() (*vec.Batch, error) {
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if b, err := r.Reader.Next(); b == nil || err != nil || b.N > 0 {
			return b, err
		}
	}
}
