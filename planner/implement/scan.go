package implement

import (
	"sort"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

func (p *planner) scan(n *logical.Scan, need colSet) variants {
	if len(n.Preds) > 0 {
		need = need.with(n.Preds...)
	}
	props := p.est.Derive(n)
	op := &physical.Scan{Table: n.Table, Alias: n.Alias, Preds: p.orderPreds(n.Preds, p.est.Base(n)), Prune: pruneRanges(n)}
	cols := make([]logical.Column, 0, len(n.Columns))
	op.Ordinals = make([]int, 0, len(n.Columns))
	for i := range n.Columns {
		if need.has(n.Columns[i].ID) {
			cols = append(cols, n.Columns[i])
			op.Ordinals = append(op.Ordinals, n.Ordinals[i])
		}
	}
	rows := cost.TableRows(n.Table)
	width, nterms := p.est.Width(props, cols), terms(n.Preds...)
	ms := p.cpu.Scan(rows, float64(len(cols)), rows*width, nterms)
	if keys := keysLeft(n); keys != nil {
		found := float64(keys.N())
		if by := p.cpu.Lookup(found, min(found, rows), float64(len(cols)), rows, nterms); by < ms {
			op.Keys, ms = keys, by
		}
	}
	return p.single(op, cols, props.Rows, 0, ms)
}

// orderPreds puts predicates first that drop many rows for little work: by the cost
// of a term over the share of rows dropped.
func (p *planner) orderPreds(preds []expr.Expr, in *cost.Props) []expr.Expr {
	if len(preds) < 2 {
		return preds
	}
	type ranked struct {
		e    expr.Expr
		rank float64
	}
	rs := make([]ranked, len(preds))
	for i, e := range preds {
		rs[i] = ranked{e, work(e) / max(1-cost.Selectivity(e, in), 1e-3)}
	}
	sort.SliceStable(rs, func(i, j int) bool { return rs[i].rank < rs[j].rank })
	out := make([]expr.Expr, len(rs))
	for i := range rs {
		out[i] = rs[i].e
	}
	return out
}

// work weighs what an expression costs a row, in terms: strings and patterns are
// dearer than numbers.
func work(e expr.Expr) float64 {
	var sum float64
	expr.Walk(e, func(e expr.Expr) bool {
		c, ok := e.(*expr.Call)
		if !ok {
			return true
		}
		switch {
		case c.Fn == expr.FuncLike:
			sum += 8
		case c.Fn == expr.FuncRegexp:
			sum += 40
		case len(c.Args) > 0 && c.Args[0].Type().IsString():
			sum += 3
		default:
			sum++
		}
		return true
	})
	return sum
}

// pruneRanges derives the bounds by which a scan may skip whole segments. They are
// never narrower than the predicates.
func pruneRanges(n *logical.Scan) []catalog.Range {
	var out []catalog.Range
	for _, e := range n.Preds {
		col, lo, hi := boundsOf(e)
		if lo == nil && hi == nil {
			continue
		}
		ordinal := n.Ordinal(col.ID)
		if ordinal < 0 {
			continue
		}
		out = intersect(out, catalog.Range{Column: ordinal, Lo: lo, Hi: hi})
	}
	return out
}

func intersect(rs []catalog.Range, r catalog.Range) []catalog.Range {
	for i := range rs {
		if rs[i].Column != r.Column {
			continue
		}
		if r.Lo != nil && (rs[i].Lo == nil || r.Lo.Compare(*rs[i].Lo) > 0) {
			rs[i].Lo = r.Lo
		}
		if r.Hi != nil && (rs[i].Hi == nil || r.Hi.Compare(*rs[i].Hi) < 0) {
			rs[i].Hi = r.Hi
		}
		return rs
	}
	return append(rs, r)
}

// boundsOf returns the column and the inclusive bounds that a predicate implies.
func boundsOf(e expr.Expr) (col *expr.Col, lo, hi *catalog.Datum) {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) < 2 {
		return nil, nil, nil
	}
	if c.Fn == expr.FuncIn {
		return listBounds(c)
	}
	op, left, right := c.Fn, c.Args[0], c.Args[1]
	if _, isConst := left.(*expr.Const); isConst {
		op, left, right = cost.Mirror(op), right, left
	}
	col = lookup.PlainColumn(left)
	v := bound(col, right)
	if v == nil {
		return nil, nil, nil
	}
	switch op {
	case expr.FuncEQ, expr.FuncNullSafeEQ:
		return col, v, v
	case expr.FuncLT, expr.FuncLE:
		return col, nil, v
	case expr.FuncGT, expr.FuncGE:
		return col, v, nil
	}
	return nil, nil, nil
}

func listBounds(c *expr.Call) (col *expr.Col, lo, hi *catalog.Datum) {
	col = lookup.PlainColumn(c.Args[0])
	for _, a := range c.Args[1:] {
		v := bound(col, a)
		if v == nil {
			return nil, nil, nil
		}
		if lo == nil || v.Compare(*lo) < 0 {
			lo = v
		}
		if hi == nil || v.Compare(*hi) > 0 {
			hi = v
		}
	}
	return col, lo, hi
}

// bound returns e's value when it compares with the column's values as they are.
func bound(col *expr.Col, e expr.Expr) *catalog.Datum {
	c, ok := e.(*expr.Const)
	if !ok || col == nil || c.Value.Null || !lookup.SameForm(col.T, c.Value.Type) {
		return nil
	}
	return &c.Value
}
