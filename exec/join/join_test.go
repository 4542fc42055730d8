package join_test

import (
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/planner/logical"
	"gsql/planner/physical"
)

var equalityAlgos = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop}

// TestEquality runs every algorithm, kind and key shape over small inputs with many
// duplicates and NULLs.
func TestEquality(t *testing.T) {
	variants := 12
	if testing.Short() { // enough to look for races
		variants = 3
	}
	for _, algo := range equalityAlgos {
		t.Run(string(algo), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, shape := range jointest.KeyShapes {
				for _, kind := range jointest.AllKinds {
					for variant := range variants {
						g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(40), Nulls: float64(variant%3) * 0.1}
						if kind == logical.Single {
							g.Distinct = 300
						}
						c := &jointest.Case{Algo: algo, Kind: kind, Operands: shape.Types, NullSafe: shape.NullSafe,
							Residual: []string{"", "sum", "less"}[r.IntN(3)], NullAware: r.IntN(2) == 0, BuildLeft: r.IntN(3) == 0}
						c.NullAware = c.NullAware && (kind == logical.Mark || kind == logical.Anti)
						c.Left = g.Relation(jointest.LeftID, r.IntN(60), c.Operands)
						c.Right = g.Relation(jointest.RightID, r.IntN(30)*r.IntN(2), c.Operands)
						jointest.Check(t, c, []int{3, 64}, []int{1, 2})
					}
				}
			}
		})
	}
}

// TestSizes runs inputs of about the sizes of batches and blocks, skewed and not skewed.
func TestSizes(t *testing.T) {
	for _, algo := range equalityAlgos {
		r := rand.New(rand.NewPCG(3, 4))
		for _, rows := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 1}, {120, 1023}, {1024, 150}, {1025, 100}, {5000, 40}, {40, 5000}} {
			for i, kind := range jointest.AllKinds {
				if testing.Short() && (i+len(algo)+rows[0])%2 > 0 { // half is enough to look for races
					continue
				}
				g := &jointest.Generator{Rand: r, Distinct: 500, Nulls: 0.01, Zipf: r.IntN(2) == 0}
				shape := jointest.KeyShapes[[]int{0, 3, 8, 12}[r.IntN(4)]]
				c := &jointest.Case{Algo: algo, Kind: kind, Operands: shape.Types, NullSafe: shape.NullSafe, BuildLeft: r.IntN(2) == 0}
				c.Left, c.Right = g.Relation(jointest.LeftID, rows[0], c.Operands), g.Relation(jointest.RightID, rows[1], c.Operands)
				jointest.Check(t, c, []int{1, 1024}[r.IntN(2):][:1], []int{1, 4}[r.IntN(2):][:1])
			}
		}
	}
}
