package join_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// failing is an input that must not be opened.
type failing struct{ op.Operator }

var errOpened = errors.New("an input was opened in vain")

func (f *failing) Open(*op.Ctx) error { return errOpened }

// TestOneSideDecides joins a side that has no rows, or NULL in all operands, with an input that
// fails when it is opened. The input must be opened if, and only if, the kind of join keeps its
// rows.
func TestOneSideDecides(t *testing.T) {
	for _, algo := range jointest.AllAlgos {
		for _, kind := range jointest.AllKinds {
			for _, buildLeft := range []bool{false, true} {
				for _, rows := range []int{0, 5} {
					for _, onDisk := range []bool{false, true} {
						checkDecided(t, algo, kind, buildLeft, rows, onDisk)
					}
				}
			}
		}
	}
}

func checkDecided(t *testing.T, algo physical.JoinAlgo, kind logical.JoinKind, buildLeft bool, rows int, onDisk bool) {
	whole := algo == physical.Merge || algo == physical.Range // these read the left side first if it costs less
	if buildLeft && !whole && (kind == logical.Mark || kind == logical.Single) {
		return // the planner never chooses this
	}
	c := &jointest.Case{Algo: algo, Kind: kind, Operands: []types.Type{jointest.Bigint, jointest.Bigint}, NullSafe: []bool{true, false}, BuildLeft: buildLeft && !whole}
	switch algo {
	case physical.Range:
		c.NullSafe, c.Ranges = c.NullSafe[:1], []expr.FuncID{"<"}
	case physical.NestedLoop:
		c.NullSafe, c.Ranges = nil, []expr.FuncID{"=", "<"}
	}
	c.Left, c.Right = &optest.Relation{Cols: jointest.ColumnsOf(jointest.LeftID, c.Operands)}, &optest.Relation{Cols: jointest.ColumnsOf(jointest.RightID, c.Operands)}
	built := c.Right
	if buildLeft {
		built = c.Left
	}
	for i := range rows {
		built.Rows = append(built.Rows, []catalog.Datum{catalog.Int(int64(i)), catalog.Int(1), catalog.NullOf(jointest.Bigint), catalog.Int(2)})
	}
	n := c.Node(t)
	j := n.Op.(*physical.Join)
	if algo == physical.NestedLoop {
		for _, r := range j.Ranges {
			j.Residual = append(j.Residual, jointest.Call(t, r.Op, r.L, r.R))
		}
		j.Ranges = nil
	}
	in := [2]op.Operator{optest.NewInput(c.Left, 10), optest.NewInput(c.Right, 10)}
	not := 0
	if buildLeft {
		not = 1
	}
	n.In[not].Est.TotalMS = 1
	in[not] = &failing{optest.NewInput(&optest.Relation{}, 10)}
	o, err := join.New(n, in[0], in[1])
	if err != nil {
		t.Fatal(err)
	}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2, BatchSize: 10}
	if onDisk {
		ctx.Spill = spill.NewSpace(t.TempDir(), 0)
	}
	got, err := optest.Rows(ctx, o)
	if closed := o.Close(); closed != nil {
		t.Error(closed)
	}
	name := fmt.Sprintf("%s of kind %d, build left %v, %d rows, on disk %v", algo, kind, buildLeft, rows, onDisk)
	if kind == logical.Full || !buildLeft && kind != logical.Inner && kind != logical.Semi {
		if !errors.Is(err, errOpened) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	want := 0
	if kind == logical.Left || kind == logical.Anti || kind == logical.Mark || kind == logical.Single {
		want = rows
	}
	if err != nil || len(got) != want {
		t.Errorf("%s: %d rows, want %d, error %v: %v", name, len(got), want, err, slices.Compact(got))
	}
}
