package window

import (
	"context"
	"fmt"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// inMemory makes the answers of a case those that its operator gives with all memory: the
// other tests compare these with the oracle's, which takes too long for many rows.
func inMemory(t *testing.T, c optest.Case) optest.Case {
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
	o, err := c.Build([]op.Operator{in})
	if err != nil {
		t.Fatal(err)
	}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	err = op.Each(ctx, o, func(_ int, b *vec.Batch) error {
		for i := range b.N {
			var row []catalog.Datum
			for _, v := range b.Cols {
				row = append(row, catalog.DatumAt(v, i))
			}
			c.Want = append(c.Want, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPaging computes every function over every frame in partitions that memory has no
// room for: one of all rows, and large ones among small ones.
func TestPaging(t *testing.T) {
	for _, unit := range []expr.FrameUnit{expr.Rows, expr.Range, expr.Groups} {
		for _, partition := range []int{0, 1} {
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
		row[order2] = optest.Value(text, i) // no two rows are at one place
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
