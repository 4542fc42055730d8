package cost

import (
	"math"

	"gsql/planner/logical"
)

// uncertainRows is what a nested loop must reckon with where an estimate says less: its
// price grows with the product of its inputs, so that a wrong guess of one row would
// cost far more than an unneeded hash table. Estimates over large tables err by more rows:
// uncertainShare of the largest table is reckoned with too.
const (
	uncertainRows  = 32
	uncertainShare = 1e-3
)

// LeastRows is how many rows of a node joins whose price grows with them steeply reckon with at
// least: nested loops, and those that look up a key for each.
func LeastRows(n logical.Node) float64 {
	if certain(n) {
		return 0
	}
	return min(LeastJoined(LargestTable(n)), mostRows(n))
}

// LeastJoined is LeastRows of a join in which the largest table has so many rows.
func LeastJoined(largest float64) float64 { return max(uncertainRows, uncertainShare*largest) }

// mostRows is how many rows a node can have, as far as that is plain.
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
	if j, ok := n.(*logical.Join); ok { // the commonest, without a slice of inputs
		return max(LargestTable(j.L), LargestTable(j.R))
	}
	most := 0.0
	for _, in := range n.Inputs() {
		most = max(most, LargestTable(in))
	}
	return most
}

// certain reports whether the row count of a node is known, not guessed.
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
