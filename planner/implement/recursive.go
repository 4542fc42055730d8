package implement

import (
	"gsql/planner/logical"
	"gsql/planner/physical"
)

// recursive implements a recursive common table expression. The step runs once per iteration;
// each is assumed to cost as much as one over a work table of the assumed size.
func (p *planner) recursive(n *logical.Recursive) (variants, error) {
	seed, err := p.whole(n.Seed)
	if err != nil {
		return nil, err
	}
	was := p.inApply
	p.inApply = true
	p.steps++
	step, err := p.whole(n.Step)
	p.steps--
	p.inApply = was
	if err != nil {
		return nil, err
	}
	out := p.est.Derive(n)
	rounds := max(1, out.Rows/max(1, p.est.Derive(n.Step).Rows))
	ms := (rounds-1)*step.home().Est.TotalMS + p.cpu.SetOp(out.Rows, 0, float64(len(n.Columns)), n.Distinct)
	op := &physical.Recursive{Name: n.Name, Work: n.Work, Distinct: n.Distinct, Count: n.Count, Offset: n.Offset}
	return p.single(op, n.Columns, out.Rows, out.Rows*p.est.Width(out, n.Columns), ms, seed, step), nil
}

func (p *planner) workTable(n *logical.WorkTable) variants {
	rows := p.est.Derive(n).Rows
	return p.single(&physical.WorkTable{Work: n.Work, Alias: n.Alias}, n.Columns, rows, 0, p.cpu.Limit())
}
