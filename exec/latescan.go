package exec

import (
	"gsql/exec/dynfilter"
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// scanFilter drops rows of a scan, depending on some of its columns.
type scanFilter struct {
	columns []int // positions in the scan's output
	open    func(ctx *op.Ctx) selector
}

// selector applies a scan filter in one goroutine. Select returns the rows of b that pass, ascending
// and valid until the next call, or reports that all pass. Only the scan filter's columns are set in b.
type selector interface {
	Select(b *vec.Batch) (idx []int32, all bool, err error)
}

// predicates returns the scan filter of a scan's own predicates.
func predicates(n *physical.Node, preds []expr.Expr) (scanFilter, error) {
	f, err := eval.CompileFilter(preds, colIDs(n))
	s := scanFilter{open: func(ctx *op.Ctx) selector { return f.NewEvaluator(ctx.Eval) }}
	for i := range n.Cols {
		if refersTo(preds, n.Cols[i].ID) {
			s.columns = append(s.columns, i)
		}
	}
	return s, err
}

// tester tests the values of a key against a dynamic filter or a bound.
type tester interface {
	Test(v *vec.Vector) (idx []int32, all bool)
}

// membership returns the scan filter of a dynamic filter or a bound.
func membership(n *physical.Node, key expr.Expr, newTester func() tester) (scanFilter, error) {
	p, err := eval.Compile(key, colIDs(n))
	s := scanFilter{open: func(ctx *op.Ctx) selector {
		m := &member{p.NewEvaluator(ctx.Eval), newTester()}
		if _, ok := m.test.(*dynfilter.BoundTester); ok {
			m.key.AllowNarrow()
		}
		return m
	}}
	for i := range n.Cols {
		if refersTo([]expr.Expr{key}, n.Cols[i].ID) {
			s.columns = append(s.columns, i)
		}
	}
	return s, err
}

// member selects the rows whose key passes a tester.
type member struct {
	key  *eval.Evaluator
	test tester
}

// Select implements selector.
func (m *member) Select(b *vec.Batch) (idx []int32, all bool, err error) {
	v, err := m.key.Eval(b)
	if err != nil {
		return nil, false, err
	}
	idx, all = m.test.Test(v)
	return idx, all, nil
}

func refersTo(es []expr.Expr, id expr.ColID) bool {
	found := false
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			c, ok := e.(*expr.Col)
			found = found || ok && c.ID == id
			return !found
		})
	}
	return found
}

// lateScan reads a table's batches filter by filter: a column is read when it is first needed, and
// only for the rows that have passed so far (Abadi et al., "Materialization Strategies in a
// Column-Oriented DBMS", ICDE 2007).
type lateScan struct {
	catalog.LateReader
	ctx    *op.Ctx
	stages []lateStage
	rows   []int32 // the remaining rows of the batch; nil for all
	views  vec.Composer
	batch  vec.Batch
	wide   []vec.Vector // memory of widened columns; nil if columns may be Narrow
}

// lateStage is a scan filter with a buffer for the rows that pass it.
type lateStage struct {
	scanFilter
	selector
	rows []int32
}

func newLateScan(sc *scan, r catalog.Reader) *lateScan {
	late, ok := r.(catalog.LateReader)
	if !ok {
		late = &wholeReader{Reader: r}
	}
	s := &lateScan{LateReader: late, ctx: sc.ctx, stages: make([]lateStage, len(sc.filters))}
	for i, f := range sc.filters {
		s.stages[i] = lateStage{scanFilter: f, selector: f.open(sc.ctx)}
	}
	s.batch.Cols = make([]*vec.Vector, sc.columns)
	if !sc.narrow {
		s.wide = make([]vec.Vector, sc.columns)
	}
	return s
}

// Next implements op.Stream.
func (s *lateScan) Next() (*vec.Batch, error) {
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		n, live, err := s.Advance()
		if n == 0 || err != nil {
			return nil, err
		}
		if s.rows = live; live != nil {
			n = len(live)
		}
		s.batch.N = n
		s.views.Reset()
		clear(s.batch.Cols)
		for i := range s.stages {
			if err := s.sift(&s.stages[i]); err != nil {
				return nil, err
			}
			if s.batch.N == 0 {
				break
			}
		}
		if s.batch.N == 0 {
			continue
		}
		for i := range s.batch.Cols {
			if err := s.load(i); err != nil {
				return nil, err
			}
			if c := s.batch.Cols[i]; s.wide != nil && c.IsNarrow() {
				s.batch.Cols[i] = c.Flatten(&s.wide[i])
			}
		}
		s.batch.Morsel = s.Morsel()
		return &s.batch, nil
	}
}

// load reads column i for the remaining rows, unless it has been read.
func (s *lateScan) load(i int) (err error) {
	if s.batch.Cols[i] == nil {
		s.batch.Cols[i], err = s.Column(i, s.rows)
	}
	return err
}

// loaded counts the columns that have been read.
func loaded(cols []*vec.Vector) int {
	n := 0
	for _, c := range cols {
		if c != nil {
			n++
		}
	}
	return n
}

// sift keeps the rows that a stage selects.
func (s *lateScan) sift(st *lateStage) error {
	for _, c := range st.columns {
		if err := s.load(c); err != nil {
			return err
		}
	}
	idx, all, err := st.Select(&s.batch)
	if all || err != nil {
		return err
	}
	if s.batch.N = len(idx); len(idx) == 0 {
		return nil
	}
	s.views.Expect(loaded(s.batch.Cols))
	for i, c := range s.batch.Cols {
		if c != nil {
			s.batch.Cols[i] = s.views.View(c, idx)
		}
	}
	if s.rows == nil {
		s.rows = idx
		return nil
	}
	st.rows = st.rows[:0]
	for _, x := range idx {
		st.rows = append(st.rows, s.rows[x])
	}
	s.rows = st.rows
	return nil
}

// wholeReader makes a LateReader of a reader that returns whole batches only.
type wholeReader struct {
	catalog.Reader
	batch *vec.Batch
	views vec.Composer
}

// Advance implements catalog.LateReader.
func (r *wholeReader) Advance() (n int, live []int32, err error) {
	for {
		r.batch, err = r.Reader.Next()
		if r.batch == nil || err != nil {
			return 0, nil, err
		}
		r.views.Reset()
		if r.batch.N > 0 {
			return r.batch.N, nil, nil
		}
	}
}

// Column implements catalog.LateReader.
func (r *wholeReader) Column(i int, rows []int32) (*vec.Vector, error) {
	if rows == nil {
		return r.batch.Cols[i], nil
	}
	return r.views.View(r.batch.Cols[i], rows), nil
}

// Morsel implements catalog.LateReader.
func (r *wholeReader) Morsel() int64 { return r.batch.Morsel }

// emptyStream is a stream without rows.
type emptyStream struct{}

// Next implements op.Stream.
func (emptyStream) Next() (*vec.Batch, error) { return nil, nil }

// Close implements op.Stream.
func (emptyStream) Close() error { return nil }
