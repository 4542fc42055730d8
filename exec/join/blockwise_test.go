package join

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// bands makes relations of which a left row has a few partners, by the ranges ">=" and "<": the
// second operand of the left side is a little more than the first one.
func bands(c *joinCase, g *generator, left, right int) {
	c.ranges = []string{">=", "<"}
	c.left, c.right = g.relation(leftID, left, c.operands), g.relation(rightID, right, c.operands)
	for i, row := range c.left.rows {
		row[2] = valueOf(c.operands[1], i*7919%g.distinct)
		row[1] = valueOf(c.operands[0], i*7919%g.distinct+5)
		row[1].Null = i%50 == 3
	}
	for i, row := range c.right.rows {
		row[1] = valueOf(c.operands[0], i*6007%g.distinct)
		row[2] = valueOf(c.operands[1], i*6007%g.distinct+1)
	}
}

// TestBlockwise joins without equality keys, with a part of the memory that it takes
// otherwise.
func TestBlockwise(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, algo := range []physical.JoinAlgo{physical.Range, physical.NestedLoop} {
		for _, shape := range [][]types.Type{{bigint, bigint}, {text, text}} {
			for i, kind := range allKinds {
				if shape[0] == text && algo == physical.NestedLoop {
					continue // slow
				}
				for _, streamed := range []bool{false, true} {
					if streamed && (algo == physical.NestedLoop || shape[0] == text) {
						continue
					}
					g := &generator{Rand: r, distinct: 2000, nulls: 0.02}
					c := &joinCase{algo: algo, kind: kind, operands: shape, streamed: streamed, buildLeft: i%2 == 0, residual: []string{"", "sum"}[r.IntN(2)]}
					bands(c, g, 2000, 1800)
					if kind == logical.Single && shape[0] == text {
						continue
					}
					if kind == logical.Single { // a subquery may give one row at most
						for _, row := range c.left.rows {
							row[1] = row[2]
							row[1].Null = row[1].I64 == math.MaxInt64
						}
						for _, row := range c.right.rows {
							row[1].Null = row[1].I64 == math.MinInt64
						}
					}
					checkGrace(t, c)
				}
			}
		}
	}
}

// TestBlockwisePairs does the same for conditions that are no comparisons of the sides.
func TestBlockwisePairs(t *testing.T) {
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Anti, logical.Single} {
		g := &generator{Rand: rand.New(rand.NewPCG(23, 24)), distinct: 300, nulls: 0.02}
		c := &joinCase{algo: physical.NestedLoop, kind: kind, residual: "sum"}
		c.left, c.right = g.relation(leftID, 2000, nil), g.relation(rightID, 1600, nil)
		for i, row := range c.right.rows { // few partners
			row[1].Null = row[1].Null || i%100 > 0 || kind == logical.Single && i > 0
		}
		checkGrace(t, c)
	}
}

// TestBlockwiseEnds: too little memory for any block is an error, and so is a full disk;
// nothing is left of either.
func TestBlockwiseEnds(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(25, 26)), distinct: 3000}
	for _, streamed := range []bool{false, true} {
		c := &joinCase{algo: physical.Range, kind: logical.Left, operands: []types.Type{bigint, bigint}, streamed: streamed}
		bands(c, g, 8000, 8000)
		for limit, want := range map[int64]sqlerr.Code{0: sqlerr.OutOfMemory, 5000: sqlerr.DiskFull} {
			t.Run(fmt.Sprint(streamed, limit), func(t *testing.T) {
				space := spill.NewSpace(t.TempDir(), limit)
				bytes := int64(60_000)
				if limit == 0 {
					bytes = 5_000
				}
				ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", bytes), Workers: 2, BatchSize: 500, Spill: space}
				if _, err := c.runIn(t, ctx, false); !errors.Is(err, want) || space.Used() != 0 {
					t.Errorf("%v, want %d; %d bytes are left on disk", err, want, space.Used())
				}
			})
		}
	}
}
