package radix_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
)

// TestRadixByRow joins several buffers of probe rows, which have more output columns than the build
// side, so that pairs come in the order of the rows. Codes are exact, hashes, or colliding hashes.
// Rows have at most one partner, except in one of the cases.
func TestRadixByRow(t *testing.T) {
	defer keyenc.MaskHashes(^uint64(0))
	r := rand.New(rand.NewPCG(35, 36))
	for i, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Single, logical.Inner, logical.Left} {
		for _, keys := range [][]types.Type{{jointest.Bigint}, {jointest.Text}, {jointest.Text, jointest.Bigint}} {
			for _, buildLeft := range []bool{false, true} {
				if keyenc.MaskHashes(^uint64(0)); i == 4 {
					keyenc.MaskHashes(15)
				}
				g := &jointest.Generator{Rand: r, Distinct: 90, Nulls: 0.05}
				c := &jointest.Case{Algo: physical.Radix, Kind: kind, Operands: keys, NullSafe: make([]bool, len(keys)), BuildLeft: buildLeft, Residual: []string{"", "sum"}[i%2]}
				c.Left, c.Right = g.Relation(jointest.LeftID, 3000, keys), g.Relation(jointest.RightID, 60, keys)
				if buildLeft {
					c.Left, c.Right = g.Relation(jointest.LeftID, 60, keys), g.Relation(jointest.RightID, 3000, keys)
				}
				if i != 3 {
					if buildLeft && kind != logical.Single {
						jointest.Unique(c.Left)
					} else {
						jointest.Unique(c.Right)
					}
				}
				checkTrimmed(t, c, buildLeft)
			}
		}
	}
}

// checkTrimmed outputs a single column of the build side and compares the result with the
// definition.
func checkTrimmed(t *testing.T, c *jointest.Case, buildLeft bool) {
	t.Helper()
	want, err := c.Oracle()
	if err != nil {
		t.Fatal(err)
	}
	from, to := len(c.Left.Cols), len(c.Left.Cols)+len(c.Right.Cols)-1
	if buildLeft {
		from, to = 0, len(c.Left.Cols)-1
	}
	for i, row := range want {
		want[i] = strings.Join(slices.Delete(strings.Split(row, " | "), from, to), " | ")
	}
	slices.Sort(want)
	for _, workers := range []int{1, 2} {
		n := c.Node(t)
		n.Cols = slices.Delete(n.Cols, from, to)
		o, err := join.New(n, optest.NewInput(c.Left, 70), optest.NewInput(c.Right, 70))
		if err != nil {
			t.Fatal(err)
		}
		ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers, BatchSize: 70}
		got, err := optest.Rows(ctx, o)
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || !slices.Equal(got, want) || ctx.Mem.Used() != 0 {
			t.Fatalf("kind %d by %v, build left %v: %v, %d bytes are held; %s", c.Kind, c.Operands, buildLeft, err, ctx.Mem.Used(), optest.Difference(got, want))
		}
	}
}
