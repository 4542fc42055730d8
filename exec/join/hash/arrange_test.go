package hash_test

import (
	"math/rand/v2"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// TestFullKeys runs hash joins whose build side has each key of a range once: in order, in
// another order, and with one or two of them missing. The payload, some of it NULL, is reordered
// with the keys; with texts it is not.
func TestFullKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, kind := range jointest.AllKinds {
		for _, key := range []types.Type{jointest.Bigint, jointest.Unsigned, jointest.Date} {
			for _, payload := range []types.Type{jointest.Double, jointest.Bigint, jointest.Text, jointest.Null} {
				for form := range 4 {
					g := &jointest.Generator{Rand: r, Distinct: 70, Nulls: 0.1}
					operands := []types.Type{key, payload}
					c := &jointest.Case{Algo: physical.Hash, Kind: kind, Operands: operands, NullSafe: []bool{form%2 == 0}, BuildLeft: kind != logical.Single && r.IntN(2) == 0}
					build := g.Relation(jointest.RightID, 40, operands)
					probe := g.Relation(jointest.LeftID, 90, operands)
					if c.Left, c.Right = probe, build; c.BuildLeft {
						c.Left, c.Right = g.Relation(jointest.LeftID, 40, operands), g.Relation(jointest.RightID, 90, operands)
						build = c.Left
					}
					order := r.Perm(len(build.Rows))
					for i, row := range build.Rows {
						x := int64(i)
						if form > 0 {
							x = int64(order[i])
						}
						row[1] = catalog.Datum{Type: key, I64: 5 + x}
					}
					if form > 1 {
						build.Rows = build.Rows[form-1:]
					}
					c.Operands = operands[:1]
					jointest.Check(t, c, []int{3, 64}, []int{1, 2})
				}
			}
		}
	}
}
