package operators

import (
	"slices"

	"gsql/exec"
	"gsql/exec/join/input"
	"gsql/exec/op"
	"gsql/gpu/engine"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// side is one input of a join that is aggregated on the device.
type side struct {
	node      *physical.Node // the ToDevice
	in        op.Operator
	crossings *exec.Crossings
	operands  []*operand
	rows      int64 // known once read or found on the device
	opened    bool
	free      func() // releases what was read; nil if nothing was
}

// has reports whether e is a column of the side.
func (s *side) has(e expr.Expr) bool {
	c, ok := e.(*expr.Col)
	return ok && slices.ContainsFunc(s.node.Cols, func(col logical.Column) bool { return col.ID == c.ID })
}

// operand returns the side's operand for e. For a column it is always the same one, except that a
// DOUBLE in a condition has no NaN.
func (s *side) operand(cfg *Config, e expr.Expr, noNaN bool) *operand {
	o := cfg.newOperand(e, s.node, noNaN)
	if c, ok := e.(*expr.Col); ok {
		for _, x := range s.operands {
			if d, ok := x.expr.(*expr.Col); ok && d.ID == c.ID && x.noNaN == o.noNaN {
				return x
			}
		}
	}
	s.operands = append(s.operands, o)
	return o
}

// readComputed reads the side if any of its operands is not a table's column.
func (s *side) readComputed(ctx *op.Ctx, acct *mem.Account) error {
	if !s.opened && slices.ContainsFunc(s.operands, func(o *operand) bool { return o.table == nil }) {
		return s.read(ctx, acct, s.operands)
	}
	return nil
}

// read reads the values of operands from the side's input, which can be done once.
func (s *side) read(ctx *op.Ctx, acct *mem.Account, absent []*operand) error {
	if len(absent) == 0 {
		return nil
	}
	if s.opened {
		return errUnread
	}
	s.opened = true
	exprs := make([]expr.Expr, len(absent))
	for i, o := range absent {
		exprs[i] = o.expr
	}
	c, err := input.NewCollector(s.node.Cols, exprs)
	if err != nil {
		return err
	}
	if err := s.in.Open(ctx); err != nil {
		return err
	}
	values, free, err := c.Collect(ctx, s.in, acct)
	s.free = free
	if err != nil {
		return err
	}
	s.rows = int64(values.Rows)
	for i, o := range absent {
		o.setValues(values.Keys[i])
	}
	return nil
}

// look records whether o is on the device in the format of key; if not, it adds o to the absent
// operands.
func (s *side) look(resident []engine.Resident, o *operand, key engine.Key, absent []*operand) []*operand {
	at := slices.IndexFunc(resident, func(r engine.Resident) bool { return r.Key == key })
	switch {
	case at >= 0:
		s.rows = resident[at].Rows
	case !slices.Contains(absent, o):
		absent = append(absent, o)
	}
	return absent
}

// close releases what was read; it may be called more than once.
func (s *side) close() error {
	if s.free != nil {
		s.free()
		s.free = nil
	}
	if s.in == nil {
		return nil
	}
	err := s.in.Close()
	s.in = nil
	return err
}
