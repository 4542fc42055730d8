package cost

import (
	"math"

	"gsql/planner/logical"
)

// uncertainRows is the least row count that a nested loop assumes when an estimate is lower: its
// price grows with the product of its inputs, so a wrong estimate of a single row would cost
// much more than an unneeded hash table. Estimates over large tables err by more rows, so
// uncertainShare of the largest table is assumed as well.
const (
	uncertainRows  = 32
	uncertainShare = 1e-3
)

// LeastRows returns a pessimistic row count of n for joins whose price grows steeply with it:
// nested loops, and joins that look up a key for each row.
func LeastRows(n logical.Node) float64 {
	if certain(n) {
		return 0
	}
	return min(LeastJoined(LargestTable(n)), mostRows(n))
}

// LeastJoined returns LeastRows of a join whose largest table has the given number of rows.
func LeastJoined(largest float64) float64 { return max(uncertainRows, uncertainShare*largest) }

// mostRows returns an upper bound of the rows of n where the plan shows one.
func mostRows(n logical.Node) float64 {
	switch n := n.(type) {
	case *logical.Scan:
		if n.Table.Stats().Exact {
			return float64(n.Table.Stats().Rows)
		}
	case *logical.Filter:
		return mostRows(n.In)
	case *logical.Project:
		return mostRows(n.In)
	case *logical.Aggregate:
		return mostRows(n.In)
	}
	return math.Inf(1)
}

// LargestTable returns the most rows of a table read below n.
func LargestTable(n logical.Node) float64 {
	if s, ok := n.(*logical.Scan); ok {
		return float64(s.Table.Stats().Rows)
	}
	if j, ok := n.(*logical.Join); ok { // the most common node, handled without a slice of inputs
		return max(LargestTable(j.L), LargestTable(j.R))
	}
	most := 0.0
	for _, in := range n.Inputs() {
		most = max(most, LargestTable(in))
	}
	return most
}

// certain reports whether the row count of a node is known rather than estimated.
func certain(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Scan:
		return len(n.Preds) == 0 && n.Table.Stats().Exact
	case *logical.Values, *logical.MaxOneRow:
		return true
	case *logical.Aggregate:
		return len(n.Keys) == 0
	case *logical.Project:
		return certain(n.In)
	}
	return false
}
