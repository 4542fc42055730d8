package join

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// harness makes the case one that optest runs, with the rows or the error that it gives.
func (c *joinCase) harness(t *testing.T, want [][]catalog.Datum, err error) optest.Case {
	t.Helper()
	out := optest.Case{Inputs: []*optest.Relation{{Cols: c.left.cols, Rows: c.left.rows}, {Cols: c.right.cols, Rows: c.right.rows}}, Want: want,
		Build: func(in []op.Operator) (op.Operator, error) { return New(c.node(t), in[0], in[1]) }}
	if err != nil {
		out.Err = sqlerr.SubqueryNo1Row
	}
	return out
}

// TestInEveryWay runs joins of every algorithm and kind as operators are run in general: with
// batches that are ruined once the next one is asked for, cancelled and failing inputs, and
// streams that are taken in random orders.
func TestInEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, algo := range allAlgos {
		for i, kind := range allKinds {
			g := &generator{Rand: r, distinct: 1 + r.IntN(30), nulls: 0.1, noNaN: true}
			c := &joinCase{algo: algo, kind: kind, residual: []string{"", "sum", "less"}[r.IntN(3)], buildLeft: i%2 == 0, streamed: r.IntN(2) == 0}
			c.operands, c.nullSafe = []types.Type{[]types.Type{bigint, text, double}[r.IntN(3)]}, []bool{r.IntN(3) == 0}
			if algo == physical.Range {
				c.operands, c.ranges = append(c.operands, date), []string{"<"}
			}
			c.nullAware = (kind == logical.Mark || kind == logical.Anti) && r.IntN(2) == 0
			if kind == logical.Single {
				g.distinct = 400
			}
			c.left, c.right = g.relation(leftID, 70, c.operands), g.relation(rightID, 40, c.operands)
			want, err := c.rows()
			t.Run(fmt.Sprint(algo, " kind ", kind), func(t *testing.T) { c.harness(t, want, err).Run(t) })
		}
	}
}
