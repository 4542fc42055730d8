package exec

import (
	"slices"

	"gsql/exec/dynfilter"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// scan reads a table's morsels and filters them. Its streams share the source.
type scan struct {
	plan    *physical.Scan
	columns int
	filters []scanFilter // applied in this order
	dynamic []*dynfilter.Filter
	on      []int // the table column that each filter tests, or negative
	bound   *dynfilter.Bound
	boundOn int        // the table column that it tests
	lookups []lookedUp // used together
	narrow  bool       // decimals may be Narrow
	passing bool       // texts need not outlive the next batch
	ctx     *op.Ctx
	account *mem.Account
	source  catalog.Source
}

// lookedUp is a column whose values are looked up because a dynamic filter lists them.
type lookedUp struct {
	by     *dynfilter.Filter
	column int // of the table
}

func newScan(b *Inputs, n *physical.Node) (op.Operator, error) {
	s := &scan{plan: n.Op.(*physical.Scan), columns: len(n.Cols)}
	if err := s.addDynamic(b, n, true); err != nil {
		return nil, err
	}
	if len(s.plan.Preds) > 0 {
		f, err := predicates(n, s.plan.Preds)
		if err != nil {
			return nil, err
		}
		s.filters = append(s.filters, f)
	}
	return s, s.addDynamic(b, n, false)
}

// addDynamic adds the dynamic filters and the bound that are tested before the predicates if
// early is set, else those tested after them.
func (s *scan) addDynamic(b *Inputs, n *physical.Node, early bool) error {
	if d := s.plan.Bound; d != nil && d.Early == early {
		if s.bound = b.bounds[d.ID]; s.bound == nil {
			return sqlerr.Internal("no top-N makes the dynamic bound %d of %s", d.ID, s.plan.Table.Name())
		}
		dropped := b.dropped(n)
		v, err := membership(n, d.Key, func() tester { return s.bound.Tester(dropped) })
		if err != nil {
			return err
		}
		s.filters, s.boundOn = append(s.filters, v), ordinalOf(n, d.Key)
	}
	for _, d := range s.plan.Dynamic {
		if d.Early != early {
			continue
		}
		f := b.filters[d.ID]
		if f == nil {
			return sqlerr.Internal("no join makes the dynamic filter %d of %s", d.ID, s.plan.Table.Name())
		}
		dropped := b.dropped(n)
		v, err := membership(n, d.Key, func() tester { return f.Tester(dropped) })
		if err != nil {
			return err
		}
		s.filters = append(s.filters, v)
		if d.Lookup {
			s.lookups = append(s.lookups, lookedUp{f, ordinalOf(n, lookup.Column(d.Key))})
		}
		s.dynamic = append(s.dynamic, f)
		s.on = append(s.on, ordinalOf(n, d.Key))
	}
	return nil
}

// Open implements op.Operator.
func (s *scan) Open(ctx *op.Ctx) (err error) {
	s.ctx, s.account = ctx, ctx.Mem.Child("Scan "+s.plan.Table.Name())
	s.source, err = s.plan.Table.Scan(ctx, catalog.ScanSpec{
		Columns: s.plan.Ordinals, Prune: s.prune(), Bound: s.pruneBehind(), Keys: s.keys(), BatchSize: ctx.Rows(),
		Narrow: s.narrow || len(s.filters) > 0, Passing: s.passing, Mem: s.account, Progress: ctx.Read,
	})
	return err
}

// prune returns the ranges of the scan's predicates and of its dynamic filters.
func (s *scan) prune() []catalog.Range {
	out := s.plan.Prune[:len(s.plan.Prune):len(s.plan.Prune)]
	for i, f := range s.dynamic {
		if s.on[i] < 0 {
			continue
		}
		if lo, hi, ok := f.Bounds(s.plan.Table.Schema().Columns[s.on[i]].Type); ok {
			out = append(out, catalog.Range{Column: s.on[i], Lo: &lo, Hi: &hi})
		}
	}
	return out
}

// keys returns the values whose rows are looked up, or nil to scan the table.
func (s *scan) keys() *catalog.Keys {
	if len(s.lookups) == 0 {
		return s.plan.Keys
	}
	k := &catalog.Keys{}
	for _, l := range s.lookups {
		v := l.by.Keys()
		if v == nil { // the build side of the join spilled
			return nil
		}
		k.Columns, k.Values = append(k.Columns, l.column), append(k.Values, v)
	}
	return k
}

// pruneBehind returns a function that returns the range of values that a top-N still needs, or
// nil if the scan has no bound.
func (s *scan) pruneBehind() func() (r catalog.Range, nulls, ok bool) {
	if s.bound == nil || s.boundOn < 0 {
		return nil
	}
	return func() (catalog.Range, bool, bool) {
		lo, hi, nulls, ok := s.bound.Range()
		return catalog.Range{Column: s.boundOn, Lo: lo, Hi: hi}, nulls, ok
	}
}

// ordinalOf returns the table column that e refers to, or -1 if e is not a column.
func ordinalOf(n *physical.Node, e expr.Expr) int {
	if c, ok := e.(*expr.Col); ok {
		for i := range n.Cols {
			if n.Cols[i].ID == c.ID {
				return n.Op.(*physical.Scan).Ordinals[i]
			}
		}
	}
	return -1
}

// nothing reports whether a dynamic filter drops all rows.
func (s *scan) nothing() bool {
	return slices.ContainsFunc(s.dynamic, (*dynfilter.Filter).Empty)
}

// AllowNarrow implements op.Narrowing.
func (s *scan) AllowNarrow() { s.narrow = true }

// AllowPassing implements op.Passing. It is ignored if there are scan filters, because predicates may
// keep texts, such as patterns.
func (s *scan) AllowPassing() { s.passing = len(s.filters) == 0 }

// Ordered implements op.Operator. The streams need not keep the table's order: consumers that
// need it restore it by morsel.
func (s *scan) Ordered() bool { return false }

// Stream implements op.Operator.
func (s *scan) Stream() (op.Stream, error) {
	if s.nothing() {
		return emptyStream{}, nil
	}
	r, err := s.source.NewReader()
	if err != nil {
		return nil, err
	}
	if len(s.filters) == 0 {
		return &reading{r, s.ctx}, nil
	}
	return newLateScan(s, r), nil
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

// reading is a stream of a table's reader.
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
