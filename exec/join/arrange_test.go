package join

import (
	"math/rand/v2"
	"testing"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// TestFullKeys runs hash joins whose build side has each key of a range once: in order, in
// another order, and all but one or two of them; with payload that is put into the keys'
// order with them, NULLs among it, and with text, which is not.
func TestFullKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, kind := range allKinds {
		for _, key := range []types.Type{bigint, unsigned, date} {
			for _, payload := range []types.Type{double, bigint, text, null} {
				for form := range 4 {
					g := &generator{Rand: r, distinct: 70, nulls: 0.1}
					operands := []types.Type{key, payload}
					c := &joinCase{algo: physical.Hash, kind: kind, operands: operands, nullSafe: []bool{form%2 == 0}, buildLeft: kind != logical.Single && r.IntN(2) == 0}
					build := g.relation(rightID, 40, operands)
					probe := g.relation(leftID, 90, operands)
					if c.left, c.right = probe, build; c.buildLeft {
						c.left, c.right = g.relation(leftID, 40, operands), g.relation(rightID, 90, operands)
						build = c.left
					}
					order := r.Perm(len(build.rows))
					for i, row := range build.rows {
						x := int64(i)
						if form > 0 {
							x = int64(order[i])
						}
						row[1] = catalog.Datum{Type: key, I64: 5 + x}
					}
					if form > 1 {
						build.rows = build.rows[form-1:]
					}
					c.operands = operands[:1]
					check(t, c, []int{3, 64}, []int{1, 2})
				}
			}
		}
	}
}
