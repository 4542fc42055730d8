package merge_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
)

// TestMergeSkew joins skewed sides, whose long groups are divided into small tiles, with all
// kinds of join, with exact codes, hashes and colliding hashes, on up to seven workers.
func TestMergeSkew(t *testing.T) {
	defer keyenc.MaskHashes(^uint64(0))
	r := rand.New(rand.NewPCG(45, 46))
	for _, kind := range jointest.AllKinds {
		for round := range 24 {
			undo := merge.SmallTiles([]int{1, 10, 200}[round%3])
			if keyenc.MaskHashes(^uint64(0)); round%4 == 0 {
				keyenc.MaskHashes(7)
			}
			shape := jointest.KeyShapes[r.IntN(len(jointest.KeyShapes))]
			g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(60), Nulls: float64(round%2) * 0.1, Zipf: true}
			c := &jointest.Case{Algo: physical.Merge, Kind: kind, Operands: shape.Types, NullSafe: shape.NullSafe,
				Residual: []string{"", "", "sum", "less"}[r.IntN(4)], NullAware: r.IntN(2) == 0}
			c.NullAware = c.NullAware && (kind == logical.Mark || kind == logical.Anti)
			rows := [][2]int{{1, 500}, {500, 1}, {80, 80}, {7, 300}, {200, 3}}[r.IntN(5)]
			if c.Left, c.Right = g.Relation(jointest.LeftID, rows[0], c.Operands), g.Relation(jointest.RightID, rows[1], c.Operands); kind == logical.Single && round%2 == 0 {
				jointest.Unique(c.Right)
			}
			jointest.Check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{2 + r.IntN(6)})
			undo()
		}
	}
}

// TestMergeTilesInEveryWay is TestInEveryWay for tiles of long groups: streams are read in random
// orders, closed early, and refused memory.
func TestMergeTilesInEveryWay(t *testing.T) {
	defer merge.SmallTiles(30)()
	r := rand.New(rand.NewPCG(47, 48))
	for i, kind := range jointest.AllKinds {
		g := &jointest.Generator{Rand: r, Distinct: 4, Nulls: 0.1, NoNaN: true}
		typ := []types.Type{jointest.Bigint, jointest.Text}[i%2]
		c := &jointest.Case{Algo: physical.Merge, Kind: kind, Operands: []types.Type{typ}, NullSafe: []bool{i%3 == 0}, Residual: []string{"", "sum"}[r.IntN(2)]}
		c.Left, c.Right = g.Relation(jointest.LeftID, 40, c.Operands), g.Relation(jointest.RightID, 60, c.Operands)
		if kind == logical.Single {
			g.Distinct = 200
			c.Right = g.Relation(jointest.RightID, 20, c.Operands)
			jointest.Unique(c.Right)
		}
		want, err := c.Rows()
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) { c.Harness(t, want, err).Run(t) })
	}
}
