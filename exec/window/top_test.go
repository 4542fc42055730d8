package window

import (
	"fmt"
	"testing"

	"gsql/exec/optest"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// limited makes a case of a window that drops rows by fn and has further functions, which depend
// on earlier rows.
func limited(rel *optest.Relation, fn expr.WindowFn, partition int, keys []expr.SortKey, top int64) optest.Case {
	over := func(f *expr.WindowFunc) physical.WindowFunc {
		return physical.WindowFunc{WindowFunc: f, Partition: partition, Order: len(keys)}
	}
	sum := windowAgg(expr.CountStar)
	sum.Frame = &expr.Frame{Unit: expr.Rows, Start: expr.Bound{Kind: expr.UnboundedPreceding}, End: expr.Bound{Kind: expr.CurrentRow}}
	plan := &physical.Window{Keys: keys, Top: top, TopBy: 1, Funcs: []physical.WindowFunc{
		over(expr.NewWindowFunc(expr.DenseRank, 0)), over(expr.NewWindowFunc(fn, 0)), over(sum),
	}}
	c := build(rel, plan)
	rank := len(rel.Cols) + 1
	var want [][]catalog.Datum
	for _, row := range c.Want {
		if row[rank].I64 <= top {
			want = append(want, row)
		}
	}
	c.Want = want
	return c
}

// TestTop compares the first rows of partitions of all sizes with the result of computing all
// rows and then dropping the others.
func TestTop(t *testing.T) {
	r := rng()
	for i, kt := range []types.Type{bigint, ubigint, double, dec, text, null} {
		for _, nulls := range []int{0, 5} {
			rel := optest.New(1, bigint, kt, text, bigint).Fill(r, 150, []int{3, 30, 400}[i%3], nulls)
			for k, row := range rel.Rows {
				row[3] = catalog.Int(int64(k))
			}
			for n, top := range []int64{1, 2, 7, 1000} {
				for partition := range 3 {
					name := fmt.Sprintf("%v, NULLs %d, %d of %d keys", kt, nulls, top, partition)
					keys := []expr.SortKey{{Expr: rel.Col(0)}, {Expr: rel.Col(2)}, {Expr: rel.Col(1)}, {Expr: rel.Col(3)}}[2-partition:]
					keys[partition].Desc = n%2 == 0
					t.Run(name, limited(rel, expr.RowNumber, partition, keys, top).RunQuick)
					t.Run(name+", peers", limited(rel, expr.RowNumber, partition, keys[:partition+1], top).RunQuick)
				}
			}
		}
	}
}

// TestTopRank ranks many peers, all of which are returned.
func TestTopRank(t *testing.T) {
	r := rng()
	for _, kt := range []types.Type{bigint, dec, text} {
		rel := optest.New(1, bigint, kt, bigint).Fill(r, 500, 9, 6)
		for _, top := range []int64{1, 3, 20} {
			keys := []expr.SortKey{{Expr: rel.Col(0)}, {Expr: rel.Col(1), Desc: top == 3}, {Expr: rel.Col(2)}}
			for order := 2; order <= 3; order++ {
				c := limited(rel, expr.Rank, 1, keys[:order], top)
				t.Run(fmt.Sprintf("%v, %d, %d keys", kt, top, order), c.Run)
			}
		}
	}
}

// TestTopTidies adds rows that all come before the earlier ones, except for one peer each, so that
// dropped rows are freed on the way.
func TestTopTidies(t *testing.T) {
	const n = 6 * tidyRows
	for _, fn := range []expr.WindowFn{expr.RowNumber, expr.Rank} {
		rel := optest.New(1, bigint, bigint, text)
		for i := range n {
			rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Int(int64(i % 3)), catalog.Int(int64(-i / 6)), catalog.Str(fmt.Sprint(i))})
		}
		f := physical.WindowFunc{WindowFunc: expr.NewWindowFunc(fn, 0), Partition: 1, Order: 2}
		plan := &physical.Window{Keys: []expr.SortKey{{Expr: rel.Col(0)}, {Expr: rel.Col(1)}}, Top: 3, Funcs: []physical.WindowFunc{f}}
		c := build(&optest.Relation{Cols: rel.Cols}, plan)
		c.Inputs = []*optest.Relation{rel}
		want := map[expr.WindowFn]map[int]int64{ // rank by position from n-12 on
			expr.RowNumber: {0: 3, 1: 3, 2: 3, 6: 1, 7: 1, 8: 1, 9: 2, 10: 2, 11: 2},
			expr.Rank:      {0: 3, 1: 3, 2: 3, 3: 3, 4: 3, 5: 3, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1},
		}
		for i, rank := range want[fn] {
			row := rel.Rows[n-12+i]
			c.Want = append(c.Want, []catalog.Datum{row[0], row[1], row[2], {Type: f.T, I64: rank}})
		}
		t.Run(fn.String(), c.RunQuick)
	}
}

// TestTopSpilling returns more rows than fit in memory.
func TestTopSpilling(t *testing.T) {
	rel := populate(rng(), relation(bigint), 12_000, 4000, 9)
	for i, row := range rel.Rows {
		row[part] = catalog.Int(int64(i * 7919 % 12_000 / 40))
	}
	keys := []expr.SortKey{{Expr: rel.Col(part)}, {Expr: rel.Col(order1)}, {Expr: rel.Col(order2), Desc: true}}
	limited(rel, expr.Rank, 1, keys, 25).RunSpilling(t, 0.5, 0.35)
}

// TestTopPaging drops rows by a ranking of all rows, few of which fit in memory.
func TestTopPaging(t *testing.T) {
	const n, top = 9000, 6000
	rel := populate(rng(), relation(bigint), n, 4000, 9)
	for i, row := range rel.Rows {
		row[order1] = catalog.Int(int64(i * 7919 % n))
	}
	for _, fn := range []expr.WindowFn{expr.RowNumber, expr.Rank} {
		f := physical.WindowFunc{WindowFunc: expr.NewWindowFunc(fn, 0), Order: 1}
		plan := &physical.Window{Keys: []expr.SortKey{{Expr: rel.Col(order1)}}, Top: top, Funcs: []physical.WindowFunc{f}}
		c := build(&optest.Relation{Cols: rel.Cols}, plan)
		c.Inputs, c.Want = []*optest.Relation{rel}, nil
		for _, row := range rel.Rows {
			if rank := row[order1].I64 + 1; rank <= top {
				c.Want = append(c.Want, append(row[:len(row):len(row)], catalog.Datum{Type: f.T, I64: rank}))
			}
		}
		t.Run(fn.String(), func(t *testing.T) { c.RunSpilling(t, 0.3) })
	}
}
