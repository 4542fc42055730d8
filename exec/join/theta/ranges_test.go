package theta_test

import (
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/join/theta"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var rangeOps = []expr.FuncID{"<", "<=", ">", ">="}

// TestRanges runs range joins with one and two predicates, with and without equality keys, with
// windows and with sweeps.
func TestRanges(t *testing.T) {
	defer theta.KeepFactors()()
	r := rand.New(rand.NewPCG(5, 6))
	operands := []types.Type{jointest.Bigint, jointest.Unsigned, jointest.Double, jointest.Date, jointest.Decimal, jointest.Wide, jointest.Text, jointest.Null}
	for round := range 700 {
		theta.Favour(round)
		g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(60), Nulls: float64(round%3) * 0.05}
		c := &jointest.Case{Algo: physical.Range, Kind: jointest.AllKinds[r.IntN(len(jointest.AllKinds))], Residual: []string{"", "", "sum", "less"}[r.IntN(4)],
			NullAware: r.IntN(2) == 0, BuildLeft: r.IntN(2) == 0}
		if round%7 == 0 {
			c.Algo = physical.NestedLoop
		}
		c.NullAware = c.NullAware && (c.Kind == logical.Mark || c.Kind == logical.Anti)
		g.NoNaN = c.NullAware
		for range r.IntN(2) * r.IntN(3) {
			c.Operands = append(c.Operands, []types.Type{jointest.Date, jointest.Text, jointest.Double}[r.IntN(3)])
			c.NullSafe = append(c.NullSafe, r.IntN(3) == 0)
		}
		for range 1 + r.IntN(3) {
			c.Operands = append(c.Operands, operands[r.IntN(len(operands))])
			c.Ranges = append(c.Ranges, rangeOps[r.IntN(4)])
		}
		c.Left = g.Relation(jointest.LeftID, r.IntN(80), c.Operands)
		c.Right = g.Relation(jointest.RightID, r.IntN(80)*r.IntN(4)/3, c.Operands)
		jointest.Check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestBands runs two comparisons on the same operand of either side.
func TestBands(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(200), Nulls: float64(round%2) * 0.05}
		typ := []types.Type{jointest.Bigint, jointest.Double, jointest.Decimal, jointest.Text, jointest.Wide}[r.IntN(5)]
		c := &jointest.Case{Algo: []physical.JoinAlgo{physical.Range, physical.NestedLoop}[r.IntN(2)], Kind: jointest.AllKinds[r.IntN(len(jointest.AllKinds))],
			Operands: []types.Type{typ, typ}, Ranges: []expr.FuncID{rangeOps[r.IntN(2)], rangeOps[2+r.IntN(2)]}, BuildLeft: r.IntN(2) == 0}
		c.Left, c.Right = g.Relation(jointest.LeftID, r.IntN(150), c.Operands), g.Relation(jointest.RightID, r.IntN(150), c.Operands)
		c.SameOperand = []string{"l", "r"}[round%2]
		jointest.Check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestStreamedRanges holds one side and streams the other, with one to three comparisons, whose
// operands sometimes rise or fall together.
func TestStreamedRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	words := []types.Type{jointest.Bigint, jointest.Unsigned, jointest.Double, jointest.Date, jointest.Decimal, jointest.Null}
	for round := range 700 {
		g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(60), Nulls: float64(round%3) * 0.05}
		c := &jointest.Case{Algo: physical.Range, Kind: jointest.AllKinds[r.IntN(len(jointest.AllKinds))], Residual: []string{"", "", "sum", "less"}[r.IntN(4)],
			NullAware: r.IntN(2) == 0, BuildLeft: r.IntN(2) == 0, Streamed: true}
		c.NullAware = c.NullAware && (c.Kind == logical.Mark || c.Kind == logical.Anti)
		g.NoNaN = c.NullAware
		typ := words[r.IntN(len(words))]
		for range 1 + r.IntN(3) {
			if r.IntN(3) == 0 {
				typ = words[r.IntN(len(words))]
			}
			c.Operands = append(c.Operands, typ)
			c.Ranges = append(c.Ranges, []expr.FuncID{"<", "<=", ">", ">=", "<", ">=", "="}[r.IntN(7)])
		}
		if len(c.Operands) == 2 && c.Operands[0] == c.Operands[1] {
			c.SameOperand = []string{"", "l", "r"}[r.IntN(3)]
		}
		c.Left, c.Right = g.Relation(jointest.LeftID, r.IntN(80), c.Operands), g.Relation(jointest.RightID, r.IntN(80)*r.IntN(4)/3, c.Operands)
		if round%3 == 0 { // the operands of a row rise together, or one falls
			for _, rel := range []*optest.Relation{c.Left, c.Right} {
				for _, row := range rel.Rows {
					for i := range c.Operands {
						if c.Operands[i] == jointest.Bigint && c.Operands[0] == jointest.Bigint && !row[1].Null && !row[1+i].Null {
							row[1+i].I64 = row[1].I64*int64(1-2*(round%2)) + int64(i)
						}
					}
				}
			}
		}
		jointest.Check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestLargeRanges joins more rows than fit in a tile or a block.
func TestLargeRanges(t *testing.T) {
	defer theta.KeepFactors()()
	r := rand.New(rand.NewPCG(9, 10))
	for round := range 12 {
		theta.Favour(round)
		g := &jointest.Generator{Rand: r, Distinct: 3000, Nulls: 0.01}
		c := &jointest.Case{Algo: physical.Range, Kind: jointest.AllKinds[round%5], Operands: []types.Type{jointest.Date, jointest.Date}, Ranges: []expr.FuncID{"<", ">="}}
		if round >= 4 {
			c.Operands, c.NullSafe = []types.Type{jointest.Date, jointest.Date, jointest.Date}, []bool{false}
		}
		c.Left, c.Right = g.Relation(jointest.LeftID, 400, c.Operands), g.Relation(jointest.RightID, 1300, c.Operands)
		for i := range c.Left.Rows { // few pairs: l.k < r.k0 only at the top
			c.Left.Rows[i][len(c.NullSafe)+1].I64 += 2500
		}
		jointest.Check(t, c, []int{1024}, []int{1 + round%2*3})
	}
}
