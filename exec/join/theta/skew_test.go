package theta_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/join/theta"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestRangeSkew joins few rows with many by ranges in small pieces, with all kinds of join, with
// and without equality keys, on up to seven workers.
func TestRangeSkew(t *testing.T) {
	defer theta.KeepFactors()()
	r := rand.New(rand.NewPCG(63, 64))
	for _, kind := range jointest.AllKinds {
		for round := range 24 {
			undo := theta.SmallPieces([]int64{1, 20, 300}[round%3])
			theta.Favour(r.IntN(6))
			g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(60), Nulls: float64(round%2) * 0.1, Zipf: true, NoNaN: true}
			c := &jointest.Case{Algo: physical.Range, Kind: kind, Residual: []string{"", "", "sum", "less"}[r.IntN(4)],
				NullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
			for range r.IntN(3) {
				c.Operands, c.NullSafe = append(c.Operands, []types.Type{jointest.Date, jointest.Text}[r.IntN(2)]), append(c.NullSafe, r.IntN(3) == 0)
			}
			for range 1 + r.IntN(3) {
				c.Operands = append(c.Operands, []types.Type{jointest.Bigint, jointest.Double, jointest.Text}[r.IntN(3)])
				c.Ranges = append(c.Ranges, rangeOps[r.IntN(4)])
			}
			rows := [][2]int{{1, 500}, {500, 1}, {60, 60}, {600, 20}, {5, 300}}[r.IntN(5)]
			c.Left, c.Right = g.Relation(jointest.LeftID, rows[0], c.Operands), g.Relation(jointest.RightID, rows[1], c.Operands)
			jointest.Check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{2 + r.IntN(6)})
			undo()
		}
	}
}

// TestRangePiecesInEveryWay is TestInEveryWay for small pieces.
func TestRangePiecesInEveryWay(t *testing.T) {
	defer theta.SmallPieces(40)()
	r := rand.New(rand.NewPCG(65, 66))
	for i, kind := range jointest.AllKinds {
		g := &jointest.Generator{Rand: r, Distinct: 20, Nulls: 0.1, NoNaN: true}
		c := &jointest.Case{Algo: physical.Range, Kind: kind, Operands: []types.Type{jointest.Bigint}, Ranges: []expr.FuncID{"<"}, Residual: []string{"", "sum"}[r.IntN(2)]}
		if i%2 == 0 {
			c.Operands, c.NullSafe = append([]types.Type{jointest.Text}, c.Operands...), []bool{false}
		}
		c.Left, c.Right = g.Relation(jointest.LeftID, 10, c.Operands), g.Relation(jointest.RightID, 80, c.Operands)
		want, err := c.Rows()
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) { c.Harness(t, want, err).Run(t) })
	}
}
