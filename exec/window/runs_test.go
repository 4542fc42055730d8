package window

import (
	"testing"

	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// TestSpilling computes windows that share a sort over more rows than fit in memory, in partitions
// of very different sizes.
func TestSpilling(t *testing.T) {
	rel := populate(rng(), relation(bigint), 12_000, 400, 9)
	for i, row := range rel.Rows {
		switch {
		case i%3 == 0:
			row[part] = catalog.Int(int64(i / 700))
		case i%25 == 1:
			row[part] = catalog.Int(-1)
		}
	}
	sum := windowAgg(expr.Sum, rel.Col(ints))
	sum.Frame = frameOf(rel, expr.Rows, expr.Preceding, 5, expr.Following, 3, false)
	keys := []expr.SortKey{{Expr: rel.Col(part)}, {Expr: rel.Col(order2), Desc: true}, {Expr: rel.Col(order1)}}
	plan := &physical.Window{Keys: keys, Funcs: []physical.WindowFunc{
		{WindowFunc: expr.NewWindowFunc(expr.Rank, 0), Partition: 1, Order: 3},
		{WindowFunc: expr.NewWindowFunc(expr.DenseRank, 0), Partition: 1, Order: 2},
		{WindowFunc: expr.NewWindowFunc(expr.CumeDist, 0), Partition: 2, Order: 3},
		{WindowFunc: sum, Partition: 2, Order: 3},
	}}
	build(rel, plan).RunSpilling(t, 0.5, 0.35)
}
