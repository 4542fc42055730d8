package implement

import (
	"fmt"
	"math"

	"gsql/internal/mem"
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/several"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

func (p *planner) values(n *logical.Values) variants {
	rows := float64(len(n.Rows))
	return p.single(&physical.Values{Rows: n.Rows}, n.Columns, rows, 0, p.cpu.Project(rows, float64(len(n.Columns))))
}

func (p *planner) filter(n *logical.Filter, need colset.Set) (variants, error) {
	if j, rest, ok := markFilter(n, need); ok {
		v, err := p.joinAs(j, need.With(rest...), j.Kind == logical.Anti)
		if err != nil || len(rest) == 0 {
			return v, err
		}
		return p.filterOver(&logical.Filter{In: j, Preds: rest}, v), nil
	}
	v, err := p.plan(n.In, need.With(n.Preds...))
	if err != nil {
		return nil, err
	}
	return p.filterOver(n, v), nil
}

func (p *planner) filterOver(n *logical.Filter, v variants) variants {
	in := p.est.Derive(n.In)
	t := terms(n.Preds...)
	op := &physical.Filter{Preds: p.orderPreds(n.Preds, in)}
	return p.single(op, v.columns(), p.est.Derive(n).Rows, 0, p.cpu.Filter(in.Rows, t), v)
}

// markFilter recognises a filter that keeps the rows of a mark join whose mark is TRUE, which is
// a semi join, or FALSE, which is a null-aware anti join, if the mark has no other use. It
// returns that join and the other predicates.
func markFilter(n *logical.Filter, need colset.Set) (*logical.Join, []expr.Expr, bool) {
	j, ok := n.In.(*logical.Join)
	if !ok || j.Kind != logical.Mark || j.Correlated || need.Has(j.MarkCol.ID) {
		return nil, nil, false
	}
	kind, found := logical.Semi, false
	var rest []expr.Expr
	for _, e := range n.Preds {
		k, isMark := markTest(e, j.MarkCol.ID)
		if isMark && !found {
			kind, found = k, true
			continue
		}
		rest = append(rest, e)
	}
	if used := (colset.Set{}).With(rest...); !found || used.Has(j.MarkCol.ID) {
		return nil, nil, false
	}
	c := *j
	c.Kind = kind
	return &c, rest, true
}

func markTest(e expr.Expr, mark expr.ColID) (logical.JoinKind, bool) {
	kind := logical.Semi
	if c, ok := e.(*expr.Call); ok && c.Fn == expr.FuncNot {
		kind, e = logical.Anti, c.Args[0]
	}
	c, ok := e.(*expr.Col)
	return kind, ok && c.ID == mark
}

func (p *planner) project(n *logical.Project, need colset.Set) (variants, error) {
	items, exprs := make([]logical.Item, 0, len(n.Items)), make([]expr.Expr, 0, len(n.Items))
	passes := true
	for _, it := range n.Items {
		if !need.Has(it.Col.ID) && !expr.Assigns(it.Expr) {
			continue
		}
		c, isCol := it.Expr.(*expr.Col)
		passes = passes && isCol && c.ID == it.Col.ID
		items, exprs = append(items, it), append(exprs, it.Expr)
	}
	v, err := p.plan(n.In, colset.Set{}.With(exprs...))
	if err != nil || passes {
		return v, err
	}
	return p.projectOver(n, items, exprs, v), nil
}

func (p *planner) projectOver(n *logical.Project, items []logical.Item, exprs []expr.Expr, v variants) variants {
	cols := make([]logical.Column, len(items))
	for i := range items {
		cols[i] = items[i].Col
	}
	rows, t := p.est.Derive(n).Rows, terms(exprs...)
	return p.single(&physical.Project{Exprs: exprs}, cols, rows, 0, p.cpu.Project(rows, t), v)
}

// sort implements a Sort, as a top-N when limit is not negative.
func (p *planner) sort(n *logical.Sort, need colset.Set, limit, offset int64) (variants, error) {
	for _, k := range n.Keys {
		need = need.With(k.Expr)
	}
	v, err := p.plan(n.In, need)
	if err != nil {
		return nil, err
	}
	return p.sortOver(n, v, limit, offset), nil
}

func (p *planner) sortOver(n *logical.Sort, v variants, limit, offset int64) variants {
	in, cols := p.est.Derive(n.In), v.columns()
	rows, keys, width := in.Rows, float64(len(n.Keys)), p.est.Width(in, cols)
	op := &physical.Sort{Keys: n.Keys, Limit: limit, Offset: offset}
	if limit < 0 {
		presorted := isSorted(in, n.Keys)
		alone := p.single(op, cols, rows, rows*width, p.cpu.Sort(rows, keys, float64(len(cols)), presorted), v)
		return sortOnDevices(p, alone[0].node, v, rows, "")
	}
	kept := min(rows, float64(limit)+float64(offset))
	out := max(0, min(rows-float64(offset), float64(limit)))
	below := variants{{node: addBound(p, op, v.home())}}
	price, why := p.cpu.TopN(rows, kept, keys, float64(len(cols))), "a LIMIT keeps few rows"
	if !op.Bounded() {
		price, why = p.cpu.Sort(rows, keys, float64(len(cols)), false), ""
	}
	alone := p.single(op, cols, out, kept*width, price, below)
	return sortOnDevices(p, alone[0].node, v, rows, why)
}

// sortOnDevices returns a sort of the CPU and the offers of devices for it, unless there is a reason why they
// sort no rows. If one device is requested, it sorts as a part of pipelines only.
func sortOnDevices(p *planner, alone *physical.Node, in variants, rows float64, why string) variants {
	if p.inApply {
		why = "runs again for each row of an outer query"
	}
	p.sorts = p.sorts || why == "" || p.place.several() // which then shows the reason
	v := make(variants, 1+len(p.devices))
	v[0].node = alone
	kind := alone.Op.Kind()
	bids := []physical.Bid{{Algorithm: kind, Device: physical.CPU, TotalMS: alone.Est.TotalMS}}
	for d := range p.devices {
		dev := &p.devices[d]
		if p.place.forced() && dev.Devices < 2 {
			continue
		}
		bid := physical.Bid{Algorithm: kind, Device: dev.Device, Why: why}
		if why == "" {
			s := several.Sort{On: dev, Rows: rows}
			offered := sortedOn(p, &s, alone, in.home())
			if bid.TotalMS = offered.total(); dev.Fits(s.Memory()) {
				v[1+d] = offered
			} else {
				bid.Why = fmt.Sprintf("needs %s of each device's %s", mem.Size(int64(s.Memory())), mem.Size(int64(dev.FreeBytes)))
			}
		}
		bids = append(bids, bid)
		if offered := v[1+d].node; offered != nil {
			offered.Rejected = bids[:1:1]
		}
	}
	if len(bids) > 1 {
		alone.Rejected = bids[1:]
	}
	if last := len(v) - 1; p.place.forced() && last > 0 && v[last].node != nil {
		clear(v[:last]) // several devices are requested and can sort
	}
	return v
}

// sortedOn returns the plan of a device's sort.
func sortedOn(p *planner, s *several.Sort, alone, in *physical.Node) variant {
	op := *alone.Op.(*physical.Sort)
	op.Bound, op.Spread = 0, s.Spread()
	ms := s.On.Upload(s.Sent())
	sent := &physical.Node{Op: &physical.ToDevice{Bytes: s.Sent()}, In: []*physical.Node{in}, Cols: in.Cols, Device: s.On.Device,
		Est: physical.Estimate{Rows: in.Est.Rows, CostMS: ms, TotalMS: in.Est.TotalMS + ms, Bytes: s.Sent()}}
	ms = p.cpu.SortElsewhere(s.Rows, float64(len(op.Keys)), float64(len(alone.Cols))) + s.MS()
	return variant{bytes: s.Returned(), ms: s.On.Download(s.Returned()), node: &physical.Node{Op: &op, In: []*physical.Node{sent}, Cols: alone.Cols, Device: s.On.Device,
		Est: physical.Estimate{Rows: alone.Est.Rows, CostMS: ms, TotalMS: sent.Est.TotalMS + ms, Bytes: s.Memory()}}}
}

// isSorted reports whether rows are known to be in the order of keys already.
func isSorted(in *cost.Props, keys []expr.SortKey) bool {
	if len(keys) != 1 || keys[0].Desc {
		return false
	}
	return sortedBy(in, keys[0].Expr)
}

func sortedBy(in *cost.Props, e expr.Expr) bool {
	c, ok := e.(*expr.Col)
	if !ok {
		return false
	}
	col, ok := in.Col(c.ID)
	return ok && col.Sorted
}

// limit implements a Limit. Over a Sort, possibly with a projection in between, it becomes a
// top-N.
func (p *planner) limit(n *logical.Limit, need colset.Set) (variants, error) {
	if n.Count >= 0 && n.Count <= math.MaxInt64-n.Offset {
		switch in := n.In.(type) {
		case *logical.Sort:
			return p.sort(in, need, n.Count, n.Offset)
		case *logical.Project:
			if s, ok := in.In.(*logical.Sort); ok {
				return p.project(&logical.Project{In: &logical.Limit{In: s, Count: n.Count, Offset: n.Offset}, Items: in.Items}, need)
			}
		}
	}
	v, err := p.plan(n.In, need)
	if err != nil {
		return nil, err
	}
	if n.Count >= 0 {
		v = p.stopped(v, p.est.Derive(n.In).Rows, float64(n.Count)+float64(n.Offset))
	}
	return p.single(&physical.Limit{Count: n.Count, Offset: n.Offset}, v.columns(), p.est.Derive(n).Rows, 0,
		p.cpu.Limit(), v), nil
}

// aheadRows is the number of rows that each worker produces beyond those that a LIMIT needs.
const aheadRows = 8192

// stopped scales the price of an input that returns rows while it reads a table, and of which a
// LIMIT needs only the first ones: the rest is never read.
func (p *planner) stopped(v variants, rows, wanted float64) variants {
	share := (wanted + aheadRows*max(1, float64(p.cpu.P.Workers))) / max(rows, 1)
	if n := v.home(); share < 1 && n.Streams() {
		return variants{{node: scaled(n, share)}}
	}
	return v
}

// scaled returns a copy of a plan at a share of its price.
func scaled(n *physical.Node, share float64) *physical.Node {
	m := *n
	m.Est.CostMS, m.Est.TotalMS = n.Est.CostMS*share, n.Est.TotalMS*share
	m.In = make([]*physical.Node, len(n.In))
	for i, in := range n.In {
		m.In[i] = scaled(in, share)
	}
	return &m
}

func (p *planner) setOp(n *logical.SetOp) (variants, error) {
	l, err := p.whole(n.L)
	if err != nil {
		return nil, err
	}
	r, err := p.whole(n.R)
	if err != nil {
		return nil, err
	}
	a, b := p.est.Derive(n.L).Rows, p.est.Derive(n.R).Rows
	out := p.est.Derive(n)
	hashed := n.Kind != logical.Union || !n.All
	var bytes float64
	if hashed {
		bytes = (a + b) * (p.est.Width(out, n.Columns) + 24)
	}
	return p.single(&physical.SetOp{Set: n.Kind, All: n.All}, n.Columns, out.Rows, bytes, p.cpu.SetOp(a, b, float64(len(n.Columns)), hashed), l, r), nil
}

// whole plans n with exactly the columns of its schema, for operators that rely on positions.
func (p *planner) whole(n logical.Node) (variants, error) {
	schema := n.Schema()
	v, err := p.plan(n, colset.Of(schema))
	if err != nil {
		return nil, err
	}
	return v.inOrder(schema), nil
}

func (p *planner) maxOneRow(n *logical.MaxOneRow, need colset.Set) (variants, error) {
	v, err := p.plan(n.In, need)
	if err != nil {
		return nil, err
	}
	return p.single(&physical.MaxOneRow{}, logical.Padded(v.columns()), 1, 0, p.cpu.Limit(), v), nil
}
