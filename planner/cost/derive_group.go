package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

func aggregated(in *Props, n *logical.Aggregate) *Props {
	p := &Props{Rows: Groups(in, n.Keys), in: [2]*Props{in}}
	combinations := 1.0
	for _, k := range n.Keys {
		if c, ok := in.Col(k.ID); ok {
			combinations *= c.Domain
		}
	}
	for _, k := range n.Keys {
		if c, ok := in.Col(k.ID); ok {
			c.Sorted, c.mcv, c.base = false, nil, min(c.base, combinations)
			if p.Rows < in.Rows/2 { // sample rows of the input would give frequent groups too much weight
				c.looks = nil
			}
			if c.Null > 0 {
				c.Null = 1 / max(1, p.Rows)
			}
			p.own = append(p.own, ownColumn{k.ID, c})
		}
	}
	for i := range n.Aggs {
		p.own = append(p.own, ownColumn{n.Aggs[i].Col.ID, aggColumn(&n.Aggs[i], in, p.Rows)})
	}
	return p
}

func aggColumn(a *logical.AggItem, in *Props, groups float64) Column {
	col := Column{Type: a.Col.T, NDV: max(1, groups), Width: TypeWidth(a.Col.T), grouped: groupedOf(a, in, groups)}
	switch a.Agg.Fn {
	case expr.Min, expr.Max, expr.First:
		if c, ok := columnOf(a.Agg.Args[0], in); ok {
			col.Lo, col.Hi, col.Bounded, col.NDV = c.Lo, c.Hi, c.Bounded, min(c.NDV, groups)
		}
	case expr.Count, expr.CountStar:
		col.NDV = max(1, min(groups, math.Sqrt(in.Rows)))
		if m, ok := col.spread(); ok {
			col.NDV = min(col.NDV, 1+6*m.dev)
		}
		col.Lo, col.Hi, col.Bounded = 0, max(1, 2*in.Rows/max(1, groups)), groups > 0
	}
	return col
}

// Groups returns the number of groups of in by keys: the combinations of their values, reduced to
// the number that in's rows are expected to contain.
func Groups(in *Props, keys []logical.Column) float64 {
	if len(keys) == 0 {
		return 1
	}
	count, most, some := combinationsOf(in, keys)
	if some {
		count = drawn(count, in.Rows)
	}
	return max(min(count, most, in.Rows), min(1, in.Rows))
}

// windowed returns the Props after window functions: the rows of the input, or the first ones of
// each partition, in another order.
func windowed(in *Props, n *logical.Window) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}}
	if n.Top.Count > 0 {
		p.Rows = min(in.Rows, Partitions(in, n)*float64(n.Top.Count))
	}
	for i := range n.Funcs {
		col := windowColumn(&n.Funcs[i], n, in)
		if n.Top.Count > 0 && n.Funcs[i].Col.ID == n.Top.By {
			col.Hi = min(col.Hi, float64(n.Top.Count))
			col.NDV = min(col.NDV, col.Hi)
		}
		p.own = append(p.own, ownColumn{n.Funcs[i].Col.ID, col})
	}
	return p
}

// Partitions estimates the number of partitions into which a window divides its input.
func Partitions(in *Props, n *logical.Window) float64 {
	product := 1.0
	for _, e := range n.Partition {
		product *= max(1, in.NDV(e))
	}
	if len(n.Partition) <= 1 {
		return min(product, max(1, in.Rows))
	}
	return max(1, min(drawn(product, in.Rows), in.Rows))
}

func windowColumn(it *logical.WindowItem, n *logical.Window, in *Props) Column {
	rows := max(1, in.Rows)
	col := Column{Type: it.Col.T, NDV: max(1, rows/2), Width: TypeWidth(it.Col.T)}
	switch it.Fn.Fn {
	case expr.RowNumber, expr.Rank, expr.DenseRank:
		col.Lo, col.Hi, col.Bounded, col.NDV = 1, rows, true, rows
	case expr.Ntile:
		buckets := min(float64(it.Fn.N), rows)
		col.Lo, col.Hi, col.Bounded, col.NDV = 1, buckets, true, buckets
	case expr.PercentRank, expr.CumeDist:
		col.Lo, col.Hi, col.Bounded, col.NDV = 0, 1, true, rows
	case expr.Lag, expr.Lead:
		col.besideOf(it, n, in)
	}
	switch it.Fn.Fn {
	case expr.Lag, expr.Lead, expr.FirstValue, expr.LastValue, expr.NthValue:
		if c, ok := columnOf(it.Fn.Args[0], in); ok {
			col.Lo, col.Hi, col.Bounded, col.NDV, col.Null, col.Width = c.Lo, c.Hi, c.Bounded, c.NDV, c.Null, c.Width
		}
	}
	return col
}
