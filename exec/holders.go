package exec

import (
	"gsql/exec/agg"
	"gsql/planner/logical"
	"gsql/planner/physical"
)

// mostShare is the most memory per worker that is set aside for an operator, in bytes: with this
// much, it spills large parts of its rows at a time.
const mostShare = 4 << 20

// holders returns the greatest number of operators of a plan that hold rows at the same time.
// Joins, aggregates, sorts and windows close an input once they have all its rows, so only one of
// the two inputs of a join holds rows at a time.
func holders(n *physical.Node) int { return (&counting{shared: map[int]*physical.Node{}}).of(n) }

// counting counts holders. It records the shared subplans it has met by their numbers.
type counting struct{ shared map[int]*physical.Node }

func (c *counting) of(n *physical.Node) int {
	sum, most := 0, 0
	for _, in := range n.In {
		below := c.of(in)
		sum, most = sum+below, max(most, below)
	}
	switch x := n.Op.(type) {
	case *physical.Join:
		if x.Keep { // its build side stays for the next iteration
			return 1 + sum
		}
		return 1 + most
	case *physical.HashAgg:
		switch {
		case !x.KeepsRows():
			return most
		case len(x.Keys) > 0 && agg.HasTwoLevels(n):
			return 2 + most
		}
		return 1 + most
	case *physical.Rollup: // two levels, one of which is grouped from the other, besides those that are complete
		return 2 + max(most, 1)
	case *physical.Apply:
		return 1 + sum
	case *physical.Sort, *physical.Window:
		return 1 + most
	case *physical.GroupJoin: // an aggregate combines the parts of blocks
		return 2 + most
	case *physical.SetOp:
		if x.Set == logical.Union && x.All {
			return sum
		}
		return 1 + sum
	case *physical.Recursive:
		return 1 + sum
	case *physical.Shared:
		if len(n.In) > 0 {
			c.shared[x.ID] = n.In[0]
		} else if first := c.shared[x.ID]; first != nil { // if its rows are not kept, they are recomputed
			return c.of(first)
		}
	}
	return sum
}
