package spill_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/input"
	"gsql/exec/join/jointest"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/exec/optest"
	disk "gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// meeting is the operator that the test runs for a task: it counts pairs of rows with equal keys,
// and returns no rows.
type meeting struct {
	sides  [2]op.Operator
	keys   [2]int // columns
	counts *meetings
}

// meetings sums up the tasks of one goroutine.
type meetings struct{ leftRows, pairs, equal int }

func (m *meeting) Open(ctx *op.Ctx) error {
	var rows [2]map[int64]int
	var all [2]int
	for which, in := range m.sides {
		rows[which] = map[int64]int{}
		if err := in.Open(ctx); err != nil {
			return err
		}
		stream, err := in.Stream()
		if err != nil {
			return err
		}
		for {
			b, err := stream.Next()
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			key := b.Cols[m.keys[which]].Flatten(nil)
			for i := range b.N {
				if all[which]++; !key.IsNull(i) {
					rows[which][key.I64[i]]++
				}
			}
		}
	}
	m.counts.leftRows += all[0]
	m.counts.pairs += all[0] * all[1]
	for k, n := range rows[0] {
		m.counts.equal += n * rows[1][k]
	}
	return nil
}

func (m *meeting) Ordered() bool              { return true }
func (m *meeting) Close() error               { return nil }
func (m *meeting) Stream() (op.Stream, error) { return m, nil }
func (m *meeting) Next() (*vec.Batch, error)  { return nil, nil }

// TestBlocksByKeys joins rows on disk. If partners have equal keys, rows are joined only within
// their partition, with all their partners. Left rows without partners must be included.
func TestBlocksByKeys(t *testing.T) {
	const rows = 20_000
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(27, 28)), Distinct: 1000, Nulls: 0.02}
	left := g.Relation(jointest.LeftID, rows, []types.Type{jointest.Bigint})
	g.Distinct = 8 // some partitions have no right rows
	right := g.Relation(jointest.RightID, rows, []types.Type{jointest.Bigint})
	want := 0
	partners := map[int64]int{}
	for _, row := range right.Rows {
		if !row[1].Null {
			partners[row[1].I64]++
		}
	}
	for _, row := range left.Rows {
		if !row[1].Null {
			want += partners[row[1].I64]
		}
	}
	for _, held := range []spill.Held{spill.HoldLeft, spill.HoldRight, spill.HoldBoth} {
		l, _ := input.NewCollector(left.Cols, []expr.Expr{left.Cols[0].Ref(), left.Cols[1].Ref()})
		r, _ := input.NewCollector(right.Cols, []expr.Expr{right.Cols[1].Ref()})
		for _, equal := range [][2][]int{{{1}, {0}}, {}} {
			var got meetings
			over := func(a, b op.Operator) (op.Operator, error) {
				return &meeting{sides: [2]op.Operator{a, b}, keys: [2]int{1, 0}, counts: &got}, nil
			}
			blocks := spill.NewBlocks(l, r, held, equal, over)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 1<<18), Workers: 1, BatchSize: 500, Spill: disk.NewSpace(t.TempDir(), 0)}
			acct := ctx.Account("test")
			inputs := [2]op.Operator{optest.NewInput(left, 500), optest.NewInput(right, 500)}
			open := func(isLeft bool) error { return inputs[1-vec.One(isLeft)].Open(ctx) }
			if err := blocks.Spill(ctx, inputs, open, acct); err != nil {
				t.Fatal(err)
			}
			results := blocks.Results()
			if _, err := optest.Rows(ctx, results); err != nil {
				t.Fatal(err)
			}
			if err := results.Close(); err != nil {
				t.Fatal(err)
			}
			if err := blocks.Close(); err != nil {
				t.Fatal(err)
			}
			acct.End()
			dealt := len(equal[0]) > 0
			switch {
			case got.equal != want, got.leftRows < rows:
				t.Errorf("holding %d, dealt %v: %d pairs of %d, %d left rows of %d", held, dealt, got.equal, want, got.leftRows, rows)
			case dealt && got.pairs > rows*rows/8:
				t.Errorf("holding %d: %d pairs of rows were brought together for %d with equal keys", held, got.pairs, want)
			}
		}
	}
}
