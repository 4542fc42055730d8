package spill_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// bands fills a case with relations in which a left row has a few partners by the ranges ">=" and
// "<": the first operand of the left side is slightly greater than the second.
func bands(c *jointest.Case, g *jointest.Generator, left, right int) {
	c.Ranges = []expr.FuncID{">=", "<"}
	c.Left, c.Right = g.Relation(jointest.LeftID, left, c.Operands), g.Relation(jointest.RightID, right, c.Operands)
	for i, row := range c.Left.Rows {
		row[2] = jointest.ValueOf(c.Operands[1], i*7919%g.Distinct)
		row[1] = jointest.ValueOf(c.Operands[0], i*7919%g.Distinct+5)
		row[1].Null = i%50 == 3
	}
	for i, row := range c.Right.Rows {
		row[1] = jointest.ValueOf(c.Operands[0], i*6007%g.Distinct)
		row[2] = jointest.ValueOf(c.Operands[1], i*6007%g.Distinct+1)
	}
}

// TestBlockwise joins without equality keys, in part of the memory that the join normally takes.
func TestBlockwise(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, algo := range []physical.JoinAlgo{physical.Range, physical.NestedLoop} {
		for _, shape := range [][]types.Type{{jointest.Bigint, jointest.Bigint}, {jointest.Text, jointest.Text}} {
			for i, kind := range jointest.AllKinds {
				if shape[0] == jointest.Text && algo == physical.NestedLoop {
					continue // slow
				}
				for _, streamed := range []bool{false, true} {
					if streamed && (algo == physical.NestedLoop || shape[0] == jointest.Text) {
						continue
					}
					if testing.Short() && (i+len(algo))%3 > 0 { // a third is enough to look for races
						continue
					}
					g := &jointest.Generator{Rand: r, Distinct: 2000, Nulls: 0.02}
					c := &jointest.Case{Algo: algo, Kind: kind, Operands: shape, Streamed: streamed, BuildLeft: i%2 == 0, Residual: []string{"", "sum"}[r.IntN(2)]}
					bands(c, g, 2000, 1800)
					if kind == logical.Single && shape[0] == jointest.Text {
						continue
					}
					if kind == logical.Single { // a subquery may return at most one row
						for _, row := range c.Left.Rows {
							row[1] = row[2]
							row[1].Null = row[1].I64 == math.MaxInt64
						}
						for _, row := range c.Right.Rows {
							row[1].Null = row[1].I64 == math.MinInt64
						}
					}
					jointest.CheckSpilling(t, c)
				}
			}
		}
	}
}

// TestBlockwisePairs is TestBlockwise for conditions that are not comparisons between the sides.
func TestBlockwisePairs(t *testing.T) {
	for _, kind := range []logical.JoinKind{logical.Inner, logical.Left, logical.Anti, logical.Single, logical.Full} {
		g := &jointest.Generator{Rand: rand.New(rand.NewPCG(23, 24)), Distinct: 300, Nulls: 0.02}
		c := &jointest.Case{Algo: physical.NestedLoop, Kind: kind, Residual: "sum"}
		c.Left, c.Right = g.Relation(jointest.LeftID, 2000, nil), g.Relation(jointest.RightID, 1600, nil)
		for i, row := range c.Right.Rows { // few partners
			row[1].Null = row[1].Null || i%100 > 0 || kind == logical.Single && i > 0
		}
		jointest.CheckSpilling(t, c)
	}
}

// TestBlockwiseEnds checks that too little memory for a single block is an error, as is a full
// disk, and that nothing is held after either.
func TestBlockwiseEnds(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(25, 26)), Distinct: 3000}
	for _, streamed := range []bool{false, true} {
		c := &jointest.Case{Algo: physical.Range, Kind: logical.Left, Operands: []types.Type{jointest.Bigint, jointest.Bigint}, Streamed: streamed}
		bands(c, g, 8000, 8000)
		for limit, want := range map[int64]sqlerr.Code{0: sqlerr.OutOfMemory, 5000: sqlerr.DiskFull} {
			t.Run(fmt.Sprint(streamed, limit), func(t *testing.T) {
				space := spill.NewSpace(t.TempDir(), limit)
				bytes := int64(60_000)
				if limit == 0 {
					bytes = 5_000
				}
				ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", bytes), Workers: 2, BatchSize: 500, Spill: space}
				if _, err := c.RunIn(t, ctx, false); !errors.Is(err, want) || space.Used() != 0 {
					t.Errorf("%v, want %d; %d bytes are left on disk", err, want, space.Used())
				}
			})
		}
	}
}
