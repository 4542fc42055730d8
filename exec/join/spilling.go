package join

import (
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/spill"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

// newGrace makes what the join uses if its inputs spill. Rows that were partitioned often enough
// are held in blocks. A null-aware join with a single operand needs to know whether any right row
// is NULL; with more conditions, rows with NULLs are compared with all rows of the other side.
func (p *plan) newGrace(j *physical.Join, level int) *spill.Grace {
	switch {
	case level >= spill.MostLevels:
		return spill.NewBlockwise(p.spilled(), &spill.Blockwise{Make: p.again(holdKeys)})
	case p.nullAware && !p.oneOperand():
		return spill.NewBlockwise(p.spilled(), &spill.Blockwise{Make: p.again(holdKeys), Equal: p.equalKeys()})
	}
	return spill.NewGrace(p.spilled(), level, func(s *spill.Stored, level int, l, r op.Operator) op.Operator {
		return p.onStored(s).equality(j, level, l, r, nil)
	})
}

// spilled describes the join to package spill.
func (p *plan) spilled() *spill.Join {
	return &spill.Join{
		Sides: [2]*input.Spec{p.left, p.right}, Inner: p.kind == logical.Inner, Keeps: [2]bool{p.keeps(match.LeftSide), p.keeps(match.RightSide)},
		NullAware: p.nullAware, Nulls: p.findNulls,
		Unmatched: func() func(*match.Side, []int32) *vec.Batch {
			out := &output{plan: p}
			return func(right *match.Side, rows []int32) *vec.Batch { return out.batch(nil, right, nil, rows) }
		},
	}
}

// equalKeys returns the operands by which rows on disk are partitioned if the join is driven by other
// conditions than equalities: the equality keys, which come first on both sides.
func (p *plan) equalKeys() (keys [2][]int) {
	for i := range p.nullSafe {
		keys[match.LeftSide] = append(keys[match.LeftSide], i)
		keys[match.RightSide] = append(keys[match.RightSide], i)
	}
	return keys
}

// onStored returns the plan for the join of a task.
func (p *plan) onStored(s *spill.Stored) *plan {
	q := *p
	q.left, q.right, q.matched = s.Sides[match.LeftSide], s.Sides[match.RightSide], s.Matched
	if q.wholeRight == nil {
		q.wholeRight = s.Nulls
	}
	return &q
}

// again makes the joins of tasks with newJoin.
func (p *plan) again(newJoin holdingJoin) func(s *spill.Stored, l, r op.Operator, left bool) (op.Operator, error) {
	return func(s *spill.Stored, l, r op.Operator, left bool) (op.Operator, error) {
		return newJoin(p.onStored(s), l, r, left)
	}
}

// holdingJoin makes a join that holds the left side if left is set, and otherwise the right one.
type holdingJoin func(p *plan, l, r op.Operator, left bool) (op.Operator, error)

// spillable makes a join that holds a side, in blocks if it does not fit in memory.
func (p *plan) spillable(newJoin holdingJoin, l, r op.Operator, left bool) (op.Operator, error) {
	j, err := newJoin(p, l, r, left)
	if err != nil {
		return nil, err
	}
	j.(*streaming).grace = spill.NewBlockwise(p.spilled(), &spill.Blockwise{Make: p.again(newJoin)})
	return j, nil
}
