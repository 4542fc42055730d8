package jointest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Check compares a join with the oracle for the given batch sizes and worker counts.
func Check(t *testing.T, c *Case, sizes, workers []int) {
	t.Helper()
	want, wantErr := c.Oracle()
	for _, size := range sizes {
		for _, w := range workers {
			for _, forms := range []bool{false, true} {
				got, err := c.Run(t, size, w, forms)
				name := fmt.Sprintf("%s kind %d keys %v %v ranges %v residual %q aware %v left %v; %dx%d rows, batches of %d, %d workers, forms %v",
					c.Algo, c.Kind, c.Operands, c.NullSafe, c.Ranges, c.Residual, c.NullAware, c.BuildLeft,
					len(c.Left.Rows), len(c.Right.Rows), size, w, forms)
				if wantErr != nil {
					if !errors.Is(err, sqlerr.SubqueryNo1Row) {
						t.Fatalf("%s: error %v, want 1242", name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s:\n%s", name, optest.Difference(got, want))
				}
			}
		}
	}
}

// KeyShapes lists types of key tuples.
var KeyShapes = []struct {
	Types    []types.Type
	NullSafe []bool
}{
	{[]types.Type{Bigint}, []bool{false}},
	{[]types.Type{Bigint}, []bool{true}},
	{[]types.Type{Unsigned}, []bool{false}},
	{[]types.Type{Double}, []bool{false}},
	{[]types.Type{Double}, []bool{true}},
	{[]types.Type{Date}, []bool{false}},
	{[]types.Type{Decimal}, []bool{false}},
	{[]types.Type{Wide}, []bool{false}},
	{[]types.Type{Text}, []bool{false}},
	{[]types.Type{Text}, []bool{true}},
	{[]types.Type{Null}, []bool{false}},
	{[]types.Type{Null}, []bool{true}},
	{[]types.Type{Date, Date}, []bool{false, false}},
	{[]types.Type{Date, Decimal, Date}, []bool{false, true, false}},
	{[]types.Type{Bigint, Unsigned}, []bool{false, true}},
	{[]types.Type{Text, Date}, []bool{true, false}},
	{[]types.Type{Text, Wide}, []bool{false, false}},
}

// Harness returns the case for optest, with the rows or the error that the join must return.
func (c *Case) Harness(t testing.TB, want [][]catalog.Datum, err error) optest.Case {
	t.Helper()
	out := optest.Case{Inputs: []*optest.Relation{c.Left, c.Right}, Want: want,
		Build: func(in []op.Operator) (op.Operator, error) { return join.New(c.Node(t), in[0], in[1]) }}
	if err != nil {
		out.Err = sqlerr.SubqueryNo1Row
	}
	return out
}

// CheckSpilling runs a join with fractions of the memory that it normally takes, on one and three
// workers. It must return the same rows, and some of them must have spilled.
func CheckSpilling(t *testing.T, c *Case) {
	t.Helper()
	all := mem.NewRoot("query", 0)
	want, err := c.RunIn(t, &op.Ctx{Context: context.Background(), Mem: all, Workers: 1, BatchSize: 500}, false)
	if err != nil {
		t.Fatal(err)
	}
	parts, away := []int64{2, 4}, int64(2)
	if c.Algo == physical.Radix { // it reduces its probe buffers before it spills
		parts, away = []int64{2, 4, 7, 9}, 7
	}
	workerCounts := []int{1, 3}
	if testing.Short() { // short runs are for the race detector
		workerCounts, parts = []int{3}, parts[len(parts)-1:]
	}
	for _, workers := range workerCounts {
		for _, part := range parts {
			space := spill.NewSpace(t.TempDir(), 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", all.Peak()/part), Workers: workers, BatchSize: 200, Spill: space}
			got, err := c.RunIn(t, ctx, workers > 1)
			if c.NullAware && workers > 1 && errors.Is(err, sqlerr.OutOfMemory) {
				// Several workers may be refused memory that the others hold at that moment. A
				// single worker must succeed.
				t.Logf("%s: refused %d workers 1/%d of the memory: %v", c.Algo, workers, part, err)
				continue
			}
			if err != nil {
				t.Fatalf("%s kind %d keys %v, %d workers, 1/%d of %d bytes: %v", c.Algo, c.Kind, c.Operands, workers, part, all.Peak(), err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s kind %d keys %v, %d workers, 1/%d of the memory: %s", c.Algo, c.Kind, c.Operands, workers, part, optest.Difference(got, want))
			}
			if space.Used() != 0 || part >= away && space.Written() == 0 {
				t.Fatalf("%s kind %d: %d bytes were on disk, %d are left", c.Algo, c.Kind, space.Written(), space.Used())
			}
		}
	}
	c.Harness(t, nil, nil).RunInterleaved(t, all.Peak()/parts[len(parts)-1])
}
