package agg

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestMedian computes medians of groups of all sizes, in memory and on disk, with values that fit
// in 64-bit decimals and others that do not.
func TestMedian(t *testing.T) {
	for _, typ := range []types.Type{types.Dec(12, 2), bigint, types.Dec(30, 2), double} {
		rel := optest.New(1, bigint, typ)
		r := rng()
		for g := range 240 {
			for range g * g / 60 {
				row := []catalog.Datum{catalog.Int(int64(g)), optest.Value(typ, r.IntN(3)*g+r.IntN(1000)*5)}
				if typ.FitsInt64() {
					row[1].Dec = decimal128.FromI64(int64(r.IntN(4000) - 1000))
				}
				if r.IntN(20) == 0 {
					row[1] = catalog.NullOf(typ)
				}
				rel.Rows = append(rel.Rows, row)
			}
		}
		r.Shuffle(len(rel.Rows), func(i, j int) { rel.Rows[i], rel.Rows[j] = rel.Rows[j], rel.Rows[i] })
		of := types.Dec(38, int(typ.Scale)+4)
		if typ == double {
			of = double
		}
		aggs := []*expr.Agg{{Fn: expr.Median, Args: []expr.Expr{rel.Col(1)}, T: of}}
		c := optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, []int{0}, aggs), Build: build(rel, []int{0}, aggs)}
		c.RunQuick(t)
		if typ.Kind() == types.KindDec {
			c.RunSpilling(t, 0.6)
		}
	}
}
