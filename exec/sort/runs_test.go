package sort

import (
	"context"
	"errors"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestWaitingHoldsNothing refuses a collector its first rows at every point at which memory may
// run out: it must then hold nothing, so that the workers it waits for can continue.
func TestWaitingHoldsNothing(t *testing.T) {
	const rows = 100
	rel := optest.New(1, bigint, text, decimal).Fill(rng(), rows, 50, 5)
	b := &vec.Batch{N: rows}
	var ts []types.Type
	for i, c := range rel.Cols {
		v := vec.NewFlat(c.T, rows)
		for r, row := range rel.Rows {
			row[i].Put(v, r)
		}
		b.Cols, ts = append(b.Cols, v), append(ts, c.T)
	}
	o := Over(&optest.Columns{Cols: b.Cols}, "Sort", ts, []Column{{At: 0}}, 100)
	refused := 0
	for limit := int64(100); ; limit += 100 {
		root := mem.NewRoot("query", limit)
		o.ctx, o.account = &op.Ctx{Context: context.Background(), Mem: root, Workers: 1, Spill: spill.NewSpace(t.TempDir(), 0)}, root.Child("Sort")
		c := o.newCollector()
		err := c.append(b)
		if err == nil {
			break
		}
		if refused++; !errors.Is(err, sqlerr.OutOfMemory) || root.Used() != 0 {
			t.Fatalf("of %d bytes %d are held after %v", limit, root.Used(), err)
		}
	}
	if refused < 100 {
		t.Errorf("only %d limits were too low", refused)
	}
}
