package operators

import (
	"fmt"
	"slices"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	gpujoin "gsql/gpu/join"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// runSpread computes the aggregates on several devices. If one of them is lost, the others do the work
// from the start: no row has been returned yet.
func (a *aggregate) runSpread() (values []gpujoin.Value, err error) {
	err = untilLost(a.ctx, a.node, func(devices []physical.Device) error {
		values, err = a.runOn(devices)
		return err
	}, func() error {
		if err := a.restart(); err != nil {
			return &inputError{err}
		}
		return nil
	})
	return values, err
}

// untilLost does the work of a node on its devices. If one of them is lost, it calls again, and then does the
// work on the others, with a warning.
func untilLost(ctx *op.Ctx, n *physical.Node, do func(devices []physical.Device) error, again func() error) error {
	devices := n.Device.Members()
	for {
		err := do(devices)
		loss := gpu.Lost(err)
		if loss == nil || ctx.Err() != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(devices), func(d physical.Device) bool { return string(d) == loss.Device })
		if len(rest) == 0 || len(rest) == len(devices) {
			return err
		}
		if env := ctx.Eval.Env; env != nil {
			e := sqlerr.From(err)
			env.Warn(uint16(e.Code), fmt.Sprintf("%s ran again on %s: %s", nameOf(n), physical.DeviceSet(rest), e.Msg))
		}
		if err := again(); err != nil {
			return err
		}
		devices = rest
	}
}

// enginesOf returns the engines of devices.
func enginesOf(devices []physical.Device) ([]*engine.Engine, error) {
	engines := make([]*engine.Engine, len(devices))
	for i, d := range devices {
		var err error
		if engines[i], err = engine.For(string(d)); err != nil {
			return nil, err
		}
	}
	return engines, nil
}

// restart makes the inputs anew, as other devices need other columns of them.
func (a *aggregate) restart() error {
	for _, s := range a.sides {
		if err := s.close(); err != nil {
			return err
		}
		var err error
		if s.in, err = a.build.Build(s.node); err != nil {
			return err
		}
		s.opened = false
		for _, o := range s.operands {
			o.vec, o.bound = nil, nil
		}
	}
	a.acct.ReleaseAll()
	return nil
}

// runOn computes the aggregates on some devices.
func (a *aggregate) runOn(devices []physical.Device) (values []gpujoin.Value, err error) {
	if bits := a.node.In[0].Op.(*physical.Join).Spread.Bits; bits > 0 {
		return a.runDivided(devices, bits)
	}
	for _, s := range a.sides {
		if err := s.readComputed(a.ctx, a.acct); err != nil {
			return nil, &inputError{err}
		}
	}
	engines, err := enginesOf(devices)
	if err != nil {
		return nil, err
	}
	err = withWidths(func(wide bool) error {
		s := &spread{aggregate: a, engines: engines, wide: wide, noted: exec.Spread{Received: make([]int64, len(engines))}, rows: make([]int64, len(engines))}
		if err := s.list(); err != nil {
			return err
		}
		if err := s.read(); err != nil {
			return err
		}
		if a.sides[0].rows == 0 || a.sides[1].rows == 0 {
			values = a.aggs.empty()
			return nil
		}
		values, err = s.compute()
		return err
	})
	return values, err
}

// spread is one attempt to compute an aggregate over a join on several devices.
type spread struct {
	*aggregate
	engines []*engine.Engine
	wide    bool

	columns []spreadColumn
	conds   [][2]int // of each condition: its operands' places in columns
	values  []int    // of each aggregate: its argument's place in columns, or -1

	noted exec.Spread
	rows  []int64 // that each device has joined
}

// spreadColumn is a column of which each device has a share of the rows.
type spreadColumn struct {
	side   int
	o      *operand
	format column.Format
}

// list lists the columns that the join computes with.
func (s *spread) list() error {
	for _, c := range s.aggregate.conds {
		f, err := format(s.wide, c.left, c.right)
		if err != nil {
			return err
		}
		s.conds = append(s.conds, [2]int{s.column(0, c.left, f), s.column(1, c.right, f)})
	}
	for i := range s.aggs.all {
		x := &s.aggs.all[i]
		if x.of == nil {
			s.values = append(s.values, -1)
			continue
		}
		f, err := format(s.wide, x.of)
		if err != nil {
			return err
		}
		x.flipped = f.Flipped
		s.values = append(s.values, s.column(x.side, x.of, f))
	}
	return nil
}

// column returns the place of a column in columns, where it is added if necessary.
func (s *spread) column(side int, o *operand, f column.Format) int {
	c := spreadColumn{side, o, f}
	at := slices.Index(s.columns, c)
	if at < 0 {
		at = len(s.columns)
		s.columns = append(s.columns, c)
	}
	return at
}

// read reads the columns of which a share is not on its device.
func (s *spread) read() error {
	resident := make([][]engine.Resident, len(s.engines))
	for i, e := range s.engines {
		resident[i] = e.Resident()
	}
	var absent [2][]*operand
	for _, c := range s.columns {
		if c.o.vec != nil {
			continue
		}
		if rows, ok := s.resident(resident, c.o.key(c.format)); ok {
			s.sides[c.side].rows = rows
		} else if !slices.Contains(absent[c.side], c.o) {
			absent[c.side] = append(absent[c.side], c.o)
		}
	}
	for i, side := range s.sides {
		if err := side.read(s.ctx, s.acct, absent[i]); err != nil {
			return inputErrorOf(err)
		}
	}
	for _, c := range s.columns {
		if c.o.vec == nil {
			continue
		}
		if err := c.o.checkNaN(); err != nil {
			return err
		}
	}
	return nil
}

// resident returns the rows of a column of which each device has its share, and whether that is so.
func (s *spread) resident(of [][]engine.Resident, key engine.Key) (rows int64, all bool) {
	for i := range s.engines {
		key.Share = s.share(i)
		at := slices.IndexFunc(of[i], func(r engine.Resident) bool { return r.Key == key })
		if at < 0 {
			return 0, false
		}
		rows += of[i][at].Rows
	}
	return rows, true
}

// share returns the share of the rows that a device has.
func (s *spread) share(device int) engine.Share {
	return engine.Share{Number: device, Of: len(s.engines)}
}
