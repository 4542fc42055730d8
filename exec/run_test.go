package exec

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// sequence is a table with one column, which counts from 0.
type sequence struct {
	rows  int64
	delay time.Duration // before each morsel
}

func (s *sequence) Name() string            { return "seq" }
func (s *sequence) Schema() *catalog.Schema { return &catalog.Schema{} }
func (s *sequence) Stats() *catalog.Stats   { return &catalog.Stats{Rows: s.rows, Exact: true} }
func (s *sequence) Version() uint64         { return 1 }

func (s *sequence) Scan(_ context.Context, spec catalog.ScanSpec) (catalog.Source, error) {
	return &sequenceSource{table: s, spec: spec}, nil
}

type sequenceSource struct {
	table   *sequence
	spec    catalog.ScanSpec
	morsel  atomic.Int64
	readers atomic.Int64
}

const sequenceMorsel = 10_000

func (s *sequenceSource) NewReader() (catalog.Reader, error) {
	s.readers.Add(1)
	return &sequenceReader{s: s, col: vec.NewFlat(bigint, 0)}, nil
}

func (s *sequenceSource) Close() error {
	if s.readers.Load() != 0 {
		return errors.New("readers left open")
	}
	return nil
}

type sequenceReader struct {
	s           *sequenceSource
	morsel      int64
	next, until int64
	col         *vec.Vector
}

func (r *sequenceReader) Next() (*vec.Batch, error) {
	if r.next == r.until {
		time.Sleep(r.s.table.delay)
		r.morsel = r.s.morsel.Add(1) - 1
		r.next = r.morsel * sequenceMorsel
		if r.next >= r.s.table.rows {
			r.until = r.next
			return nil, nil
		}
		r.until = min(r.next+sequenceMorsel, r.s.table.rows)
	}
	n := min(int64(r.s.spec.BatchSize), r.until-r.next)
	r.col.Resize(int(n))
	for i := range r.col.I64 {
		r.col.I64[i] = r.next + int64(i)
	}
	r.next += n
	r.s.spec.Progress(n)
	return &vec.Batch{Cols: []*vec.Vector{r.col}, N: int(n), Morsel: r.morsel}, nil
}

func (r *sequenceReader) Close() error {
	r.s.readers.Add(-1)
	return nil
}

var seqCols = []logical.Column{{ID: 1, Name: "n", T: bigint}}

// scanOf returns a plan that scans a sequence for values above low.
func scanOf(table *sequence, low int64) *physical.Node {
	n := &physical.Node{ID: 1, Op: &physical.Scan{Table: table, Ordinals: []int{0}}, Cols: seqCols, Device: physical.CPU}
	pred := less(&expr.Const{Value: catalog.Int(low)}, seqCols[0].Ref())
	return &physical.Node{ID: 2, Op: &physical.Filter{Preds: []expr.Expr{pred}}, In: []*physical.Node{n}, Cols: seqCols, Device: physical.CPU}
}

// above puts an operator with the same columns on top of a plan.
func above(o physical.Op, in *physical.Node) *physical.Node {
	return &physical.Node{ID: in.ID + 1, Op: o, In: []*physical.Node{in}, Cols: in.Cols, Device: physical.CPU}
}

func collect(t *testing.T, r *Result) []int64 {
	t.Helper()
	var out []int64
	for {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		out = append(out, b.Cols[0].Flatten(nil).I64...)
	}
}

func TestParallelScanKeepsTheTablesOrder(t *testing.T) {
	const rows, low = 450_000, 1234
	account := mem.NewRoot("query", 0)
	var read atomic.Int64
	plan := scanOf(&sequence{rows: rows}, low)
	for _, limited := range []bool{false, true} {
		n, want := plan, rows-low-1
		if limited {
			n, want = above(&physical.Limit{Count: 70_000, Offset: 10}, plan), 70_000
		}
		r, err := Run(context.Background(), n, DefaultRegistry(), Options{Workers: 4, Mem: account, RowsRead: &read, Analyze: true})
		if err != nil {
			t.Fatal(err)
		}
		got := collect(t, r)
		if len(got) != want {
			t.Fatalf("%d rows, want %d", len(got), want)
		}
		for i, x := range got {
			first := int64(low + 1)
			if limited {
				first += 10
			}
			if x != first+int64(i) {
				t.Fatalf("row %d is %d", i, x)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if m := r.Metrics()[1]; !limited && (m.Rows != rows || m.Batches == 0 || m.Time == 0) {
			t.Errorf("scan metrics: %+v", m)
		}
		if m := r.Metrics()[2]; !limited && m.Rows != int64(want) {
			t.Errorf("filter metrics: %+v", m)
		}
	}
	if account.Used() != 0 {
		t.Errorf("%d bytes held", account.Used())
	}
	if read.Load() < rows {
		t.Errorf("%d rows read, want at least %d", read.Load(), rows)
	}
}

func TestSmallPlansStartNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	plan := above(&physical.Sort{Keys: []expr.SortKey{{Expr: seqCols[0].Ref(), Desc: true}}, Limit: -1}, scanOf(&sequence{rows: 1000}, 10))
	r, err := Run(context.Background(), plan, DefaultRegistry(), Options{Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines, %d before", now, before)
	}
	if got := collect(t, r); len(got) != 989 || got[0] != 999 {
		t.Errorf("%d rows from %d", len(got), got[0])
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCancellation cancels plans that would run for a long time and checks that they end soon.
// One of three attempts must be fast, because a busy machine may delay any single one.
func TestCancellation(t *testing.T) {
	key := []expr.SortKey{{Expr: seqCols[0].Ref(), Desc: true}}
	big := scanOf(&sequence{rows: 1 << 40}, -1)
	self := &physical.Node{Op: &physical.SetOp{All: true}, In: []*physical.Node{big, big}, Cols: seqCols, Device: physical.CPU}
	none := scanOf(&sequence{rows: 1 << 40}, 1<<50)
	plans := map[string]*physical.Node{
		"sort":    above(&physical.Sort{Keys: key, Limit: -1}, big),
		"top n":   above(&physical.Sort{Keys: key, Limit: 10}, big),
		"group":   above(&physical.HashAgg{Keys: []expr.Expr{seqCols[0].Ref()}}, big),
		"except":  {Op: &physical.SetOp{Set: logical.Except}, In: []*physical.Node{big, self}, Cols: seqCols, Device: physical.CPU},
		"nothing": none,
		"limit":   above(&physical.Limit{Count: 1}, none),
	}
	for name, plan := range plans {
		for _, workers := range []int{1, 3} {
			before := runtime.NumGoroutine()
			account := mem.NewRoot("query", 0)
			late, err := time.Hour, error(nil)
			for try := 0; try < 3 && late > 5*time.Second; try++ {
				ctx, cancel := context.WithCancel(context.Background())
				var at time.Time
				time.AfterFunc(60*time.Millisecond, func() { at = time.Now(); cancel() })
				err = drainPlan(ctx, plan, Options{Workers: workers, Mem: account})
				late = time.Since(at)
			}
			if late > 5*time.Second {
				t.Errorf("%s: ended %v after cancellation", name, late)
			}
			if !errors.Is(err, sqlerr.QueryInterrupted) {
				t.Errorf("%s: error %v", name, err)
			}
			if account.Used() != 0 {
				t.Errorf("%s: %d bytes held", name, account.Used())
			}
			for range 10_000 {
				if runtime.NumGoroutine() <= before {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if now := runtime.NumGoroutine(); now > before {
				t.Errorf("%s: %d goroutines, %d before", name, now, before)
			}
		}
	}
}

func drainPlan(ctx context.Context, n *physical.Node, opt Options) error {
	r, err := Run(ctx, n, DefaultRegistry(), opt)
	if err != nil {
		return err
	}
	for {
		b, err := r.Next()
		if b == nil || err != nil {
			return errors.Join(err, r.Close())
		}
	}
}

func TestClosingEarlyIsNoError(t *testing.T) {
	r, err := Run(context.Background(), scanOf(&sequence{rows: 1 << 40}, -1), DefaultRegistry(), Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Next(); b == nil || err != nil {
		t.Fatal(b, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestPanicsBecomeErrors(t *testing.T) {
	reg := DefaultRegistry()
	for _, where := range []string{"open", "next"} {
		reg.Register("max_one_row", physical.CPU, func(*Inputs, *physical.Node) (op.Operator, error) {
			return &panicking{where: where}, nil
		})
		r, err := Run(context.Background(), &physical.Node{Op: &physical.MaxOneRow{}, Device: physical.CPU}, reg, Options{})
		if where == "next" {
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Next()
			if _, again := r.Next(); again == nil {
				t.Error("the error is forgotten")
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if !errors.Is(err, sqlerr.InternalError) {
			t.Errorf("%s: %v", where, err)
		}
	}
	if _, err := Run(context.Background(), &physical.Node{Op: &physical.MaxOneRow{}, Device: "gpu7"}, reg, Options{}); !errors.Is(err, sqlerr.InternalError) {
		t.Errorf("unknown device: %v", err)
	}
}

type panicking struct{ where string }

func (p *panicking) Open(*op.Ctx) error {
	if p.where == "open" {
		panic("in Open")
	}
	return nil
}
func (p *panicking) Stream() (op.Stream, error) { return p, nil }
func (p *panicking) Ordered() bool              { return true }
func (p *panicking) Next() (*vec.Batch, error)  { panic("in Next") }
func (p *panicking) Close() error               { return nil }
