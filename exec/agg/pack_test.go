package agg

import (
	"fmt"
	"testing"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestPackedKeys groups by texts that are short at first and sometimes too long to be packed later,
// with one key and with several, in memory and on disk.
func TestPackedKeys(t *testing.T) {
	rel := optest.New(1, text, bigint, text, bigint)
	r := rng()
	for i := range 40_000 {
		s := fmt.Sprint("key ", r.IntN(30_000))
		if i > 5000 && r.IntN(20) == 0 {
			s = "the longer key " + s
		}
		row := []catalog.Datum{catalog.Str(s), catalog.Int(int64(r.IntN(3))), catalog.Str(s[:r.IntN(3)]), catalog.Int(int64(r.IntN(1000)))}
		if r.IntN(9) == 0 {
			row[0], row[2] = catalog.NullOf(text), catalog.NullOf(text)
		}
		rel.Rows = append(rel.Rows, row)
	}
	aggs := []*expr.Agg{{Fn: expr.CountStar, T: bigint}, {Fn: expr.Sum, Args: []expr.Expr{rel.Col(3)}, T: types.Dec(38, 0)}}
	run := func(keys []int) optest.Case {
		return optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build(rel, keys, aggs)}
	}
	run([]int{2, 0, 1}).RunQuick(t)
	run([]int{0}).RunSpilling(t, 0.5)
}
