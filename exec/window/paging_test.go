package window

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// inMemory sets the expected rows of a case to those that its operator returns with enough
// memory. Other tests compare these with the oracle, which takes too long for many rows.
func inMemory(t *testing.T, c optest.Case) optest.Case {
	t.Helper()
	c.Want = rowsOf(t, c, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1})
	return c
}

// rowsOf runs the operator of a case and returns its rows in their order.
func rowsOf(t *testing.T, c optest.Case, ctx *op.Ctx) (rows [][]catalog.Datum) {
	t.Helper()
	rel := c.Inputs[0]
	in := &optest.Columns{}
	for i, col := range rel.Cols {
		v := vec.NewFlat(col.T, len(rel.Rows))
		for r, row := range rel.Rows {
			row[i].Put(v, r)
		}
		in.Cols = append(in.Cols, v)
	}
	o := must(c.Build([]op.Operator{smaller{in}}))
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	err := op.Each(ctx, o, func(_ int, b *vec.Batch) error {
		for i := range b.N {
			var row []catalog.Datum
			for _, v := range b.Cols {
				row = append(row, catalog.DatumAt(v, i))
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err := errors.Join(err, o.Close()); err != nil {
		t.Fatal(err)
	}
	return rows
}

// smaller divides the batches of an operator into smaller ones.
type smaller struct{ *optest.Columns }

// Stream implements op.Operator.
func (s smaller) Stream() (op.Stream, error) {
	in, err := s.Columns.Stream()
	return &cut{Stream: in}, err
}

type cut struct {
	op.Stream
	rest *vec.Batch
}

// Next implements op.Stream.
func (c *cut) Next() (b *vec.Batch, err error) {
	if c.rest == nil || c.rest.N == 0 {
		if c.rest, err = c.Stream.Next(); c.rest == nil {
			return nil, err
		}
	}
	n := min(c.rest.N, 100)
	b, c.rest = c.rest.Slice(0, n), c.rest.Slice(n, c.rest.N)
	return b, nil
}

// TestPaging computes every function over every frame in partitions that do not fit in memory: a
// single partition, and large ones among small ones.
func TestPaging(t *testing.T) {
	for _, unit := range []expr.FrameUnit{expr.Rows, expr.Range, expr.Groups} {
		for _, partition := range []int{0, 1} {
			if testing.Short() && partition == 0 { // half is enough to look for races
				continue
			}
			t.Run(fmt.Sprint(unit, partition), func(t *testing.T) { checkPaging(t, unit, partition, int(unit)%2 == partition) })
		}
	}
}

func checkPaging(t *testing.T, unit expr.FrameUnit, partition int, desc bool) {
	rel := populate(rng(), relation(bigint), 3000, 800, 40)
	for i, row := range rel.Rows {
		row[part] = catalog.Int(int64(i%2*1000 - 1))
		if i%9 == 0 {
			row[part] = catalog.Int(int64(i / 90))
		}
		row[order2] = optest.Value(text, i) // no two rows are peers
	}
	order := partition + 1
	if unit == expr.Rows {
		order++
	}
	for k, frame := range someFrames(rel, unit, desc) {
		if (k+int(unit))%2 != partition {
			continue
		}
		plan := &physical.Window{Keys: keys(rel, desc)[1-partition:]}
		for i, f := range append(framed(rel), unframed(rel)...) {
			if i < len(framed(rel)) {
				f.Frame = frame
			}
			if w := (physical.WindowFunc{WindowFunc: f, Partition: partition, Order: order}); (i+k)%5 == 0 {
				plan.Funcs = append(plan.Funcs, w)
			}
		}
		c := build(&optest.Relation{Cols: rel.Cols}, plan)
		c.Inputs = []*optest.Relation{rel}
		inMemory(t, c).RunSpilling(t, 0.4)
	}
}

// TestPagingIsExact compares the bits of floats that are not exact fractions, over long frames:
// the results must not depend on memory.
func TestPagingIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short runs, which look for races: one worker")
	}
	r := rng()
	rel := populate(r, relation(double), 2500, 600, 30)
	for i, row := range rel.Rows {
		row[order2] = optest.Value(text, i)
		row[floats].F64 = r.NormFloat64() * math.Pow(10, float64(r.IntN(9)))
		row[part] = catalog.Int(int64(i / 2000))
	}
	for _, unit := range []expr.FrameUnit{expr.Rows, expr.Range, expr.Groups} {
		frames := append(someFrames(rel, unit, false),
			frameOf(rel, unit, expr.Preceding, 170, expr.Following, 90, false), frameOf(rel, unit, expr.Preceding, 300, expr.UnboundedFollowing, 0, false),
			frameOf(rel, unit, expr.Following, 50, expr.Following, 200, false), frameOf(rel, unit, expr.Following, 150, expr.UnboundedFollowing, 0, false))
		for k, frame := range frames {
			plan := &physical.Window{Keys: keys(rel, false)}
			for i, f := range framed(rel) {
				if (i+k)%3 == 0 || f.T.Kind() == types.KindF64 {
					f.Frame = frame
					plan.Funcs = append(plan.Funcs, physical.WindowFunc{WindowFunc: f, Partition: 1, Order: 2})
				}
			}
			comparePaging(t, rel, plan)
		}
	}
}

// comparePaging computes windows in memory, and again with an eighth of the memory that this
// took.
func comparePaging(t *testing.T, rel *optest.Relation, plan *physical.Window) {
	t.Helper()
	c := build(&optest.Relation{Cols: rel.Cols}, plan)
	c.Inputs = []*optest.Relation{rel}
	all := mem.NewRoot("query", 0)
	want := rowsOf(t, c, &op.Ctx{Context: context.Background(), Mem: all, Workers: 1, BatchSize: 100})
	space := spill.NewSpace(t.TempDir(), 0)
	got := rowsOf(t, c, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", all.Peak()/8), Workers: 1, BatchSize: 100, Spill: space})
	if len(got) != len(want) || space.Used() != 0 || space.Written() == 0 {
		t.Fatalf("%v: %d rows, want %d; %d of %d bytes are on disk", plan.Funcs[0].Frame, len(got), len(want), space.Used(), space.Written())
	}
	for i, row := range want {
		for k, x := range row {
			if got[i][k] != x {
				t.Fatalf("%v: row %d, column %d is %v on disk, %v in memory", plan.Funcs[0].Frame, i, k, got[i][k], x)
			}
		}
	}
}
