package exec

import (
	"gsql/planner/logical"
	"gsql/planner/physical"
)

// mostShare is the most memory that is set aside for an operator, for each worker: with as much
// it puts large parts of its rows on disk at a time.
const mostShare = 4 << 20

// holders returns how many operators of a plan hold rows at the same time, at most. Joins,
// aggregates, sorts and windows close an input when they have all of its rows, so that of what
// lies below a join only one side holds any.
func holders(n *physical.Node) int { return (&counting{shared: map[int]*physical.Node{}}).of(n) }

// counting counts holders. It knows the shared subplans that it has met, by their numbers.
type counting struct{ shared map[int]*physical.Node }

func (c *counting) of(n *physical.Node) int {
	sum, most := 0, 0
	for _, in := range n.In {
		below := c.of(in)
		sum, most = sum+below, max(most, below)
	}
	switch x := n.Op.(type) {
	case *physical.Join:
		if x.Keep { // its built side stays for the next iteration
			return 1 + sum
		}
		return 1 + most
	case *physical.HashAgg:
		if !x.KeepsRows() {
			return most
		}
		return 1 + most
	case *physical.Sort, *physical.Window:
		return 1 + most
	case *physical.GroupJoin: // an aggregate puts the parts of blocks together
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
		} else if first := c.shared[x.ID]; first != nil { // where its rows are not kept, they are computed anew
			return c.of(first)
		}
	}
	return sum
}
