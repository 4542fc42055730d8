package join

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
)

// TestRadixByRow joins several rounds of probe rows, of which more columns are wanted than of
// the build side: pairs come in the order of the rows. Codes are exact, hashes, and hashes that
// collide; rows find one partner, none, and in the last case several.
func TestRadixByRow(t *testing.T) {
	defer func(b uint64) { hashBits = b }(hashBits)
	r := rand.New(rand.NewPCG(35, 36))
	for i, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Single, logical.Inner, logical.Left} {
		for _, keys := range [][]types.Type{{bigint}, {text}, {text, bigint}} {
			for _, buildLeft := range []bool{false, true} {
				if hashBits = ^uint64(0); i == 4 {
					hashBits = 15
				}
				g := &generator{Rand: r, distinct: 90, nulls: 0.05}
				c := &joinCase{algo: physical.Radix, kind: kind, operands: keys, nullSafe: make([]bool, len(keys)), buildLeft: buildLeft, residual: []string{"", "sum"}[i%2]}
				c.left, c.right = g.relation(leftID, 3000, keys), g.relation(rightID, 60, keys)
				if buildLeft {
					c.left, c.right = g.relation(leftID, 60, keys), g.relation(rightID, 3000, keys)
				}
				if i != 3 {
					if buildLeft && kind != logical.Single {
						unique(c.left)
					} else {
						unique(c.right)
					}
				}
				checkTrimmed(t, c, buildLeft)
			}
		}
	}
}

// checkTrimmed leaves one column of the build side and compares with the definition.
func checkTrimmed(t *testing.T, c *joinCase, buildLeft bool) {
	t.Helper()
	want, err := c.oracle()
	if err != nil {
		t.Fatal(err)
	}
	from, to := len(c.left.cols), len(c.left.cols)+len(c.right.cols)-1
	if buildLeft {
		from, to = 0, len(c.left.cols)-1
	}
	for i, row := range want {
		want[i] = strings.Join(slices.Delete(strings.Split(row, "|"), from, to), "|")
	}
	slices.Sort(want)
	for _, workers := range []int{1, 2} {
		n := c.node(t)
		n.Cols = slices.Delete(n.Cols, from, to)
		o, err := New(n, &input{rel: c.left, size: 70, forms: true}, &input{rel: c.right, size: 70, forms: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers, BatchSize: 70}
		got, err := drain(ctx, o)
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || !slices.Equal(got, want) || ctx.Mem.Used() != 0 {
			t.Fatalf("kind %d by %v, build left %v: %v, %d bytes are held; %s", c.kind, c.operands, buildLeft, err, ctx.Mem.Used(), difference(got, want))
		}
	}
}
