package sort

import (
	"context"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// TestMergePasses sorts with so little memory that few of many runs can be merged at once: each
// pass writes every row once, and there are no more passes than the logarithm of the number of
// runs.
func TestMergePasses(t *testing.T) {
	const rows = 300_000
	v := random(rows, 1<<40)
	rel := optest.New(1, bigint)
	n := &physical.Node{Op: &physical.Sort{Keys: []expr.SortKey{{Expr: rel.Col(0)}}, Limit: -1}, In: []*physical.Node{rel.Node()}, Cols: rel.Cols}
	o, err := New(n, &optest.Columns{Cols: []*vec.Vector{v}})
	if err != nil {
		t.Fatal(err)
	}
	space := spill.NewSpace(t.TempDir(), 0)
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 100_000), Workers: 1, BatchSize: 64, Spill: space}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	runs, once := len(o.runs.all), space.Written()
	s, err := o.Stream()
	if err != nil {
		t.Fatal(err)
	}
	passes := int(space.Written() / once)
	if runs < 50 || passes < 2 || 1<<(passes-2) > runs {
		t.Errorf("%d runs took %d passes", runs, passes)
	}
	if space.Used() > 2*once {
		t.Errorf("%d bytes are on disk, the rows take %d", space.Used(), once)
	}
	seen, last := 0, int64(-1)
	for {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		for _, x := range b.Cols[0].I64[:b.N] {
			if x < last {
				t.Fatalf("%d comes after %d", x, last)
			}
			last = x
		}
		seen += b.N
	}
	if err := s.Close(); err != nil || seen != rows {
		t.Errorf("%d rows, want %d; error %v", seen, rows, err)
	}
	if err := o.Close(); err != nil || space.Used() != 0 {
		t.Errorf("closed: %v, %d bytes are left", err, space.Used())
	}
}
