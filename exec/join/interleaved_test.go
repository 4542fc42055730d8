package join_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestInEveryWay runs joins of every algorithm and kind in the harness for operators: with
// batches that are overwritten once the next is requested, with cancelled and failing inputs, and
// with streams that are read in random orders.
func TestInEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, algo := range jointest.AllAlgos {
		for i, kind := range jointest.AllKinds {
			g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(30), Nulls: 0.1, NoNaN: true}
			c := &jointest.Case{Algo: algo, Kind: kind, Residual: []string{"", "sum", "less"}[r.IntN(3)], BuildLeft: i%2 == 0, Streamed: r.IntN(2) == 0}
			c.Operands, c.NullSafe = []types.Type{[]types.Type{jointest.Bigint, jointest.Text, jointest.Double}[r.IntN(3)]}, []bool{r.IntN(3) == 0}
			if algo == physical.Range {
				c.Operands, c.Ranges = append(c.Operands, jointest.Date), []expr.FuncID{"<"}
			}
			c.NullAware = (kind == logical.Mark || kind == logical.Anti) && r.IntN(2) == 0
			if kind == logical.Single {
				g.Distinct = 400
			}
			c.Left, c.Right = g.Relation(jointest.LeftID, 70, c.Operands), g.Relation(jointest.RightID, 40, c.Operands)
			want, err := c.Rows()
			t.Run(fmt.Sprint(algo, " kind ", kind), func(t *testing.T) { c.Harness(t, want, err).Run(t) })
		}
	}
}
