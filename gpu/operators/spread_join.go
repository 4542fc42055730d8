package operators

import (
	"errors"

	"gsql/exec"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/group"
	gpujoin "gsql/gpu/join"
	"gsql/gpu/join/radix"
	"gsql/planner/physical"
)

// compute aggregates on the devices, part by part if their memory is short.
func (s *spread) compute() (values []gpujoin.Value, err error) {
	g, err := group.Begin(s.ctx, s.engines, nameOf(s.node))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.End()) }()
	values = s.aggs.empty()
	pieces := s.node.In[0].Op.(*physical.Join).Pieces
	err = eachPart(span{0, s.sides[0].rows}, span{0, s.sides[1].rows}, pieces, func(l, r span) (bool, error) {
		marks := make([]gpu.Mark, len(g.Members))
		for i, m := range g.Members {
			marks[i] = m.Mark()
		}
		part, err := s.part(g, [2]span{l, r})
		for i, m := range g.Members {
			err = errors.Join(err, m.Release(marks[i]))
		}
		if err == nil {
			s.crossings.FromDevice.Add(int64(valueBytes * len(part) * len(g.Members)))
			s.aggs.merge(values, part)
		}
		return false, err
	})
	return values, errors.Join(err, s.note(g))
}

// part joins some rows of both sides, of which each device has a share.
func (s *spread) part(g *group.Group, rows [2]span) ([]gpujoin.Value, error) {
	columns := make([][]column.Column, len(g.Members))
	err := g.Run(func(m *group.Member) (err error) {
		columns[m.Number], err = s.load(m, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.agree(g, columns); err != nil {
		return nil, err
	}
	j := s.node.In[0].Op.(*physical.Join)
	copied := j.Spread.Copied
	if j.Spread.Exchange {
		ins := s.inputs(columns)
		if key, _ := gpujoin.NewKey(ins[0].Conditions); len(key.Rest) == 0 {
			return s.exchange(g, ins, columns, radix.Options{BuildLeft: j.BuildLeft})
		}
		// The values of several conditions do not fit a key. Pairs that a key finds are tested on one device.
		if copied = 1; j.BuildLeft {
			copied = 0
		}
	}
	if columns, err = s.gather(g, copied, columns); err != nil {
		return nil, err
	}
	return s.each(g, columns)
}

// exchange lets the devices exchange rows by their keys, each joining its own.
func (s *spread) exchange(g *group.Group, ins []gpujoin.Input, columns [][]column.Column, opt radix.Options) ([]gpujoin.Value, error) {
	aggs := make([][]gpujoin.Agg, len(columns))
	for d := range columns {
		aggs[d] = s.arguments(columns[d])
	}
	values, ran, err := radix.AggregateOn(g, ins, aggs, opt)
	for d := range s.rows {
		s.noted.Received[d] += ran.Received[d]
		s.rows[d] += ran.Rows[d]
	}
	return values, err
}

// each lets each device join what it has.
func (s *spread) each(g *group.Group, columns [][]column.Column) ([]gpujoin.Value, error) {
	ins := s.inputs(columns)
	parts := make([][]gpujoin.Value, len(columns))
	err := g.Run(func(m *group.Member) (err error) {
		in := ins[m.Number]
		if in.Left == 0 || in.Right == 0 {
			return nil
		}
		s.rows[m.Number] += in.Left + in.Right
		parts[m.Number], err = s.algo.aggregate(m.Task, in, s.arguments(columns[m.Number]))
		return err
	})
	if err != nil {
		return nil, err
	}
	values := s.aggs.empty()
	for _, part := range parts {
		if part != nil {
			s.aggs.merge(values, part)
		}
	}
	return values, nil
}

// inputs returns the join of each device's columns.
func (s *spread) inputs(columns [][]column.Column) []gpujoin.Input {
	ins := make([]gpujoin.Input, len(columns))
	for d, of := range columns {
		ins[d] = gpujoin.Input{Left: of[s.conds[0][0]].Rows, Right: of[s.conds[0][1]].Rows}
		for i, c := range s.conds {
			ins[d].Conditions = append(ins[d].Conditions, gpujoin.Condition{Op: s.aggregate.conds[i].op, Left: of[c[0]], Right: of[c[1]]})
		}
	}
	return ins
}

// arguments returns the aggregates of a device's columns.
func (s *spread) arguments(columns []column.Column) []gpujoin.Agg {
	aggs := make([]gpujoin.Agg, len(s.aggs.part))
	for i, p := range s.aggs.part {
		aggs[i].Func = p.fn
		if at := s.values[p.of]; at >= 0 {
			aggs[i].Left, aggs[i].Column = s.columns[at].side == 0, columns[at]
		}
	}
	return aggs
}

// note records what EXPLAIN ANALYZE shows of the group.
func (s *spread) note(g *group.Group) error {
	s.noted.Balance = radix.Spread{Rows: s.rows}.Balance()
	return noteGroup(g, s.crossings, s.noted)
}

// noteGroup records the time of the device that took longest, and what all devices have done.
func noteGroup(g *group.Group, noted *exec.Crossings, spread exec.Spread) error {
	var errs []error
	var longest int64
	for _, m := range g.Members {
		d, err := m.Time()
		errs = append(errs, err)
		longest = max(longest, int64(d))
		launches, waits := m.Work()
		noted.Launches.Add(launches)
		noted.Waits.Add(waits)
	}
	noted.Time.Add(longest)
	if len(g.Members) > 1 {
		noted.Spread.Store(&spread)
	}
	return errors.Join(errs...)
}
