package state

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// count is COUNT(*) and COUNT(x, ...): rows without a NULL among the arguments.
type count struct {
	account *mem.Account
	groups  int
	n       *mem.Buffer[int64]
	tally   *Tally // nil if every state counts for itself
}

func (c *count) TallyBy(t *Tally) { c.tally = t }

func (c *count) Grow(n int) error {
	c.groups = n
	return mem.Room(c.account, &c.n, n)
}

func (c *count) Update(gids []int32, n int, args []*vec.Vector) error {
	for i, a := range args {
		if a.Type.ID == types.Null {
			return nil
		}
		if a.Null != nil {
			c.valid(gids, n, args[i:])
			return nil
		}
	}
	ns := c.n.S
	if gids == nil {
		ns[0] += int64(n)
		return nil
	}
	if c.groups <= fewGroups {
		c.tally.count(ns[:c.groups], gids)
		return nil
	}
	for _, g := range gids {
		ns[g]++
	}
	return nil
}

func (c *count) UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error {
	for i := range n {
		if !anyNull(args, i) {
			c.n.S[group(gids, i)] += int64(times[i])
		}
	}
	return nil
}

func (c *count) UpdateRuns(gids, ends []int32, _ []*vec.Vector) error {
	from := int32(0)
	for i, end := range ends {
		c.n.S[gids[i]] += int64(end - from)
		from = end
	}
	return nil
}

// valid counts the rows in which no argument is NULL.
func (c *count) valid(gids []int32, n int, args []*vec.Vector) {
	ns := c.n.S
	if len(args) == 1 {
		null := args[0].Null[:n]
		for i, isNull := range null {
			if !isNull {
				ns[group(gids, i)]++
			}
		}
		return
	}
	for i := range n {
		if !anyNull(args, i) {
			ns[group(gids, i)]++
		}
	}
}

func group(gids []int32, i int) int32 {
	if gids == nil {
		return 0
	}
	return gids[i]
}

// anyNull reports whether row i has a NULL among flat vectors.
func anyNull(args []*vec.Vector, i int) bool {
	for _, a := range args {
		if a.Type.ID == types.Null || a.Null != nil && a.Null[i] {
			return true
		}
	}
	return false
}

func (c *count) Merge(src State, from, to []int32) error {
	ns, other := c.n.S, src.(*count).n.S
	for i, g := range from {
		ns[to[i]] += other[g]
	}
	return nil
}

func (c *count) Finish(*op.Ctx) error { return nil }

func (c *count) Result(lo, hi int, dst *vec.Vector) error {
	copy(dst.I64, c.n.S[lo:hi])
	return nil
}

func (c *count) Free() { c.n.Free() }
