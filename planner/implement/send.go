package implement

import (
	"math"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// send makes the ToDevice node over n that brings the values of es to a device, of rows
// described by props. The host collects kept columns beside them.
func (p *planner) send(n *physical.Node, dev *cost.Accelerator, es []expr.Expr, kept float64, props *cost.Props) *physical.Node {
	var bytes, all float64
	for i, e := range es {
		if containsExpr(es[:i], e) {
			continue
		}
		size := props.Rows * (deviceWidth(e, props) + validWidth(e, n))
		all += size
		if !p.isResident(n, dev.Device, e) {
			bytes += size
		}
	}
	resident := bytes == 0 && all > 0
	if resident && kept == 0 {
		n = unread(n)
	}
	ms := dev.Upload(bytes) + p.cpu.Collect(props.Rows, kept)
	return &physical.Node{Op: &physical.ToDevice{Bytes: bytes, Resident: resident}, In: []*physical.Node{n}, Cols: n.Cols, Device: dev.Device,
		Est: physical.Estimate{Rows: n.Est.Rows, CostMS: ms, TotalMS: n.Est.TotalMS + ms, Bytes: all}}
}

// containsExpr tells whether e is among es: the same column, or the same expression.
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

// deviceWidth gives the bytes of a value on a device: integers, dates and times take 4
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

// validWidth gives the bytes a row that tell whether the value is NULL.
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

// isResident tells whether e is a column of a table that lies in the device's memory.
func (p *planner) isResident(n *physical.Node, d physical.Device, e expr.Expr) bool {
	col, ok := e.(*expr.Col)
	if !ok || p.place.Resident == nil {
		return false
	}
	t, ordinal, ok := tableColumn(n, col.ID)
	return ok && p.place.Resident(d, t, ordinal)
}

// tableColumn finds the table's column that n gives as id: n is a scan without predicates,
// or a projection over one that passes the column on.
func tableColumn(n *physical.Node, id expr.ColID) (t catalog.Table, ordinal int, ok bool) {
	at := -1
	for i := range n.Cols {
		if n.Cols[i].ID == id {
			at = i
		}
	}
	if at < 0 {
		return nil, 0, false
	}
	switch op := n.Op.(type) {
	case *physical.Scan:
		return op.Table, op.Ordinals[at], len(op.Preds) == 0 && op.Ordinals[at] != catalog.RowID
	case *physical.Project:
		if c, isCol := op.Exprs[at].(*expr.Col); isCol {
			return tableColumn(n.In[0], c.ID)
		}
	}
	return nil, 0, false
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
