package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// twoBands is a group join with two operands that are each bounded below and above, such as
// points in rectangles. The rows in the band lo <= x <= hi are those with x at most hi, minus
// those with x below lo. This leaves each of two group joins a band and a single bound. Counts
// and exact sums allow such differences.
type twoBands struct {
	x      expr.Expr            // the operand of the indexed side
	lo     expr.Expr            // bound on x, of the probe side
	within []physical.RangePred // all comparisons but lo <= x
	below  []physical.RangePred // x < lo, and the comparisons on other operands
}

// splitBand chooses one of two operands, with one bound below and one above. It returns nil if
// there are more operands or neither has exactly these bounds.
func splitBand(g *groupJoin) *twoBands {
	if len(g.tests()) != 2 {
		return nil
	}
	for _, low := range g.op.Ranges {
		s := &twoBands{x: low.R, lo: low.L}
		ups, downs := 0, 0
		for _, r := range g.op.Ranges {
			switch up := r.Op == expr.FuncLT || r.Op == expr.FuncLE; {
			case !expr.Equal(r.R, low.R):
				s.within, s.below = append(s.within, r), append(s.below, r)
			case up:
				ups++
				s.below = append(s.below, physical.RangePred{Op: complement[r.Op], L: r.L, R: r.R})
			default:
				downs++
				s.within = append(s.within, r)
			}
		}
		if (low.Op == expr.FuncLT || low.Op == expr.FuncLE) && ups == 1 && downs == 1 {
			return s
		}
	}
	return nil
}

// complement maps a comparison to the one that is true where it is false.
var complement = map[expr.FuncID]expr.FuncID{expr.FuncLT: expr.FuncGE, expr.FuncLE: expr.FuncGT}

// differ reports whether the aggregates can be computed as differences.
func differ(g *groupJoin) bool {
	if g.op.Outer || !repeatable(g.b.sideNode(!g.left)) {
		return false
	}
	return !slices.ContainsFunc(g.op.Aggs, func(a *expr.Agg) bool {
		return a.Fn == expr.Min || a.Fn == expr.Max || a.Fn == expr.Sum && a.Args[0].Type().IsFloat()
	})
}

// bandsNode builds the two group joins and the projection that computes the differences. cols are
// the wanted columns, including g.parts; ms and bytes are the price and memory of each group
// join.
func bandsNode(g *groupJoin, cols []logical.Column, rows, ms, bytes float64) (*physical.Node, error) {
	probe, _, pv, bv := g.sides()
	again, err := buildAgain(g, bv)
	if err != nil {
		return nil, err
	}
	aggs := bandAggs(g)
	pass := colset.Of(cols)
	for _, k := range g.op.Keys {
		pass.AddExpr(k.L)
	}
	for _, r := range g.op.Ranges {
		pass.AddExpr(r.L)
	}
	within, below := columnsOf(g, aggs), columnsOf(g, aggs)
	out := append(pass.Pick(pv.columns()), within...)
	first := node(&physical.GroupJoin{Keys: g.op.Keys, Ranges: g.bands.within, Aggs: aggs}, out, probe.Rows, bytes, ms, []variants{pv, bv})
	out = append(out[:len(out):len(out)], below...)
	second := node(&physical.GroupJoin{Keys: g.op.Keys, Ranges: g.bands.below, Aggs: aggs, Outer: true}, out, probe.Rows, bytes, ms, []variants{{{node: first}}, again})
	some := &physical.Filter{Preds: []expr.Expr{
		call(expr.FuncGT, within[0].Ref(), below[0].Ref()), call(expr.FuncNot, call(expr.FuncIsNull, g.bands.lo))}}
	kept := node(some, out, rows, 0, g.p.cpu.Filter(probe.Rows, 4), []variants{{{node: second}}})
	exprs := append(refs(cols[:len(cols)-len(g.parts)]), differences(g, aggs, within, below)...)
	return node(&physical.Project{Exprs: exprs}, cols, rows, 0, g.p.cpu.Project(rows, terms(exprs...)), []variants{{{node: kept}}}), nil
}

// buildAgain plans the indexed side a second time, for another reader.
func buildAgain(g *groupJoin, bv variants) (v variants, err error) {
	err = g.p.tentatively(func() error {
		v, err = g.p.plan(g.b.sideNode(!g.left), colset.Of(bv.columns()))
		return err
	})
	return v, err
}

// columnsOf returns new columns for aggregates.
func columnsOf(g *groupJoin, aggs []*expr.Agg) []logical.Column {
	cols := make([]logical.Column, len(aggs))
	for i, a := range aggs {
		cols[i] = logical.Column{ID: g.p.newID(), Name: a.String(), T: a.T}
	}
	return cols
}

// bandAggs returns the aggregates of both group joins: the number of rows, the wanted aggregates,
// and the number of values in each sum.
func bandAggs(g *groupJoin) []*expr.Agg {
	aggs := []*expr.Agg{{Fn: expr.Count, Args: []expr.Expr{g.bands.x}, T: countType}}
	for _, a := range g.op.Aggs {
		if a.Fn == expr.Sum {
			aggs = append(aggs, a)
		}
		if a.Fn != expr.CountStar && place(aggs, expr.Count, a.Args[0]) < 0 {
			aggs = append(aggs, &expr.Agg{Fn: expr.Count, Args: a.Args, T: countType})
		}
	}
	return aggs
}

// place returns the index of an aggregate, or -1.
func place(aggs []*expr.Agg, fn expr.AggFn, arg expr.Expr) int {
	return slices.IndexFunc(aggs, func(a *expr.Agg) bool { return a.Fn == fn && expr.Equal(a.Args[0], arg) })
}

// differences returns expressions for g.parts over the columns of aggs in both group joins.
func differences(g *groupJoin, aggs []*expr.Agg, within, below []logical.Column) (out []expr.Expr) {
	minus := func(i int) expr.Expr { return call(expr.FuncSub, within[i].Ref(), below[i].Ref()) }
	for _, a := range g.op.Aggs {
		if a.Fn == expr.CountStar {
			out = append(out, minus(0))
			continue
		}
		n := place(aggs, expr.Count, a.Args[0])
		if a.Fn == expr.Count {
			out = append(out, minus(n))
			continue
		}
		s := place(aggs, expr.Sum, a.Args[0])
		sum := call(expr.FuncSub, within[s].Ref(), call(expr.FuncCoalesce, below[s].Ref(), zero))
		some := call(expr.FuncGT, within[n].Ref(), below[n].Ref())
		out = append(out, expr.Cast(call(expr.FuncCase, some, sum), a.T))
	}
	return out
}
