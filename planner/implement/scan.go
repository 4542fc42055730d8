package implement

import (
	"sort"

	"gsql/planner/access"
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

func (p *planner) scan(n *logical.Scan, need colset.Set) variants {
	if len(n.Preds) > 0 {
		need = need.With(n.Preds...)
	}
	props := p.est.Derive(n)
	op := &physical.Scan{Table: n.Table, Alias: n.Alias, Preds: p.orderPreds(n.Preds, p.est.Base(n)), Prune: access.Ranges(n)}
	cols := make([]logical.Column, 0, len(n.Columns))
	op.Ordinals = make([]int, 0, len(n.Columns))
	for i := range n.Columns {
		if need.Has(n.Columns[i].ID) {
			cols = append(cols, n.Columns[i])
			op.Ordinals = append(op.Ordinals, n.Ordinals[i])
		}
	}
	rows := cost.TableRows(n.Table)
	width, nterms := p.est.Width(props, cols), terms(n.Preds...)
	ms := p.cpu.Scan(rows, float64(len(cols)), rows*width, nterms)
	if keys := access.Keys(n); keys != nil {
		found := float64(keys.N())
		if by := p.cpu.Lookup(found, min(found, rows), float64(len(cols)), rows, nterms); by < ms {
			op.Keys, ms = keys, by
		}
	}
	return p.single(op, cols, props.Rows, 0, ms)
}

// orderPreds orders predicates by the cost of a term over the share of rows dropped, so that
// cheap, selective ones come first.
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

// work returns the cost of an expression per row, in terms. Strings and patterns cost more than
// numbers.
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
