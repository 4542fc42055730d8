// Package transfer prices the data that a join sends to a device.
package transfer

import (
	"math"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Input is the data that one input of a join sends to a device.
type Input struct {
	Node    *physical.Node // on the host
	Props   *cost.Props
	Driving []expr.Expr // operands of the conditions
	Values  []expr.Expr // aggregated columns
	Kept    float64     // columns that the host collects for the output
	Fused   bool        // there is no output: columns that are already on the device are not read at all
}

// Residency reports whether a table's column is in a device's memory. If nil, none is.
type Residency func(d physical.Device, t catalog.Table, ordinal int) bool

// Send returns the ToDevice node, priced with the host's model.
func (s *Input) Send(cpu cost.Model, resides Residency, dev *cost.Accelerator) *physical.Node {
	var bytes, all float64
	es := append(s.Driving[:len(s.Driving):len(s.Driving)], s.Values...)
	for i, e := range es {
		if containsExpr(es[:i], e) {
			continue
		}
		size := s.Props.Rows * (DeviceWidth(e, s.Props) + validWidth(e, s.Node))
		all += size
		// The host removes NaN from floating-point operands.
		if i < len(s.Driving) && e.Type().IsFloat() || !resides.column(s.Node, dev.Device, e) {
			bytes += size
		}
	}
	n, resident := s.Node, bytes == 0 && all > 0
	if resident && s.Fused {
		n = unread(n)
	}
	ms := dev.Upload(bytes) + cpu.Collect(s.Props.Rows, s.Kept)
	return &physical.Node{Op: &physical.ToDevice{Bytes: bytes, Resident: resident}, In: []*physical.Node{n}, Cols: n.Cols, Device: dev.Device,
		Est: physical.Estimate{Rows: n.Est.Rows, CostMS: ms, TotalMS: n.Est.TotalMS + ms, Bytes: all}}
}

// containsExpr reports whether e is among es: the same column, or the same expression.
func containsExpr(es []expr.Expr, e expr.Expr) bool {
	c, isCol := e.(*expr.Col)
	for _, x := range es {
		if x == e {
			return true
		}
		if d, ok := x.(*expr.Col); ok && isCol && c.ID == d.ID {
			return true
		}
	}
	return false
}

// DeviceWidth returns the bytes of a value on a device. Integers, dates and times take 4 if all
// are known to fit.
func DeviceWidth(e expr.Expr, p *cost.Props) float64 {
	t := e.Type()
	if t.Kind() == types.KindI64 && t.Bits() <= 32 && t.Bits() > 0 {
		return 4
	}
	col, ok := e.(*expr.Col)
	if !ok || t.Kind() == types.KindF64 {
		return 8
	}
	if c, ok := p.Col(col.ID); ok && c.Bounded && c.Lo >= math.MinInt32 && c.Hi <= math.MaxInt32 {
		return 4
	}
	return 8
}

// validWidth returns the bytes per row of the NULL markers.
func validWidth(e expr.Expr, n *physical.Node) float64 {
	if c, ok := e.(*expr.Col); ok {
		for i := range n.Cols {
			if n.Cols[i].ID == c.ID && n.Cols[i].NotNull {
				return 0
			}
		}
	}
	return 1
}

// column reports whether e is a column of a table in the device's memory.
func (r Residency) column(n *physical.Node, d physical.Device, e expr.Expr) bool {
	col, ok := e.(*expr.Col)
	if !ok || r == nil {
		return false
	}
	t, ordinal, ok := physical.TableColumn(n, col.ID)
	return ok && r(d, t, ordinal)
}

// unread returns a copy of a plan that does not run because its columns are on the device.
func unread(n *physical.Node) *physical.Node {
	c := *n
	c.Est.CostMS, c.Est.TotalMS = 0, 0
	c.In = nil
	for _, in := range n.In {
		c.In = append(c.In, unread(in))
	}
	return &c
}
