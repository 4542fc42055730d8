package implement

import (
	"math"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// sent is what one input of a join gives to a device.
type sent struct {
	node    *physical.Node // on the host
	props   *cost.Props
	driving []expr.Expr // operands of the conditions
	values  []expr.Expr // aggregated columns
	kept    float64     // columns that the host collects for the output
	fused   bool        // there is no output: what lies on the device is not read at all
}

// send makes the ToDevice node.
func (p *planner) send(s *sent, dev *cost.Accelerator) *physical.Node {
	var bytes, all float64
	es := append(s.driving[:len(s.driving):len(s.driving)], s.values...)
	for i, e := range es {
		if containsExpr(es[:i], e) {
			continue
		}
		size := s.props.Rows * (deviceWidth(e, s.props) + validWidth(e, s.node))
		all += size
		// Operands that are floating point are cleared of NaN on the host.
		if i < len(s.driving) && e.Type().IsFloat() || !p.isResident(s.node, dev.Device, e) {
			bytes += size
		}
	}
	n, resident := s.node, bytes == 0 && all > 0
	if resident && s.fused {
		n = unread(n)
	}
	ms := dev.Upload(bytes) + p.cpu.Collect(s.props.Rows, s.kept)
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

// deviceWidth returns the bytes of a value on a device: integers, dates and times take 4
// where all are known to fit.
func deviceWidth(e expr.Expr, p *cost.Props) float64 {
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

// validWidth returns the bytes a row that tell whether the value is NULL.
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

// isResident reports whether e is a column of a table that lies in the device's memory.
func (p *planner) isResident(n *physical.Node, d physical.Device, e expr.Expr) bool {
	col, ok := e.(*expr.Col)
	if !ok || p.place.Resident == nil {
		return false
	}
	t, ordinal, ok := physical.TableColumn(n, col.ID)
	return ok && p.place.Resident(d, t, ordinal)
}

// unread copies a plan of which nothing needs to run, as its columns lie on the device.
func unread(n *physical.Node) *physical.Node {
	c := *n
	c.Est.CostMS, c.Est.TotalMS = 0, 0
	c.In = nil
	for _, in := range n.In {
		c.In = append(c.In, unread(in))
	}
	return &c
}
