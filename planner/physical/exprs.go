package physical

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// MapExprs rebuilds op with f applied to each expression that it computes; the columns by which
// dynamic filters and bounds test rows are unchanged. It returns op itself if nothing changed.
func MapExprs(op Op, f func(expr.Expr) expr.Expr) Op {
	m := mapping{f: f}
	switch x := op.(type) {
	case *Scan:
		c := *x
		c.Preds = m.list(x.Preds)
		return changed(&m, x, &c)
	case *Values:
		c := Values{Rows: make([][]expr.Expr, len(x.Rows))}
		for i, row := range x.Rows {
			c.Rows[i] = m.list(row)
		}
		return changed(&m, x, &c)
	case *Filter:
		return changed(&m, x, &Filter{Preds: m.list(x.Preds)})
	case *Project:
		return changed(&m, x, &Project{Exprs: m.list(x.Exprs)})
	case *Join:
		c := *x
		c.Keys, c.Ranges, c.Residual = m.pairs(x.Keys), m.ranges(x.Ranges), m.list(x.Residual)
		return changed(&m, x, &c)
	case *Apply:
		c := *x
		c.Bind, c.On = m.list(x.Bind), m.list(x.On)
		return changed(&m, x, &c)
	case *HashAgg:
		return changed(&m, x, &HashAgg{Keys: m.list(x.Keys), Aggs: m.aggs(x.Aggs)})
	case *GroupJoin:
		c := *x
		c.Keys, c.Ranges, c.Where, c.Aggs = m.pairs(x.Keys), m.ranges(x.Ranges), m.list(x.Where), m.aggs(x.Aggs)
		return changed(&m, x, &c)
	case *Sort:
		c := *x
		c.Keys = m.keys(x.Keys)
		return changed(&m, x, &c)
	case *Window:
		c := *x
		c.Keys, c.Funcs = m.keys(x.Keys), m.funcs(x.Funcs)
		return changed(&m, x, &c)
	}
	return op
}

// changed returns after if some expression changed, else before.
func changed[T Op](m *mapping, before, after T) Op {
	if m.changed {
		return after
	}
	return before
}

// mapping applies f to lists of values that hold expressions.
type mapping struct {
	f       func(expr.Expr) expr.Expr
	changed bool
}

func (m *mapping) one(e expr.Expr) expr.Expr {
	out := m.f(e)
	m.changed = m.changed || out != e
	return out
}

func (m *mapping) list(es []expr.Expr) []expr.Expr {
	out, changed := logical.MapList(es, m.f)
	m.changed = m.changed || changed
	return out
}

func (m *mapping) keys(ks []expr.SortKey) []expr.SortKey {
	out, changed := logical.MapKeys(ks, m.f)
	m.changed = m.changed || changed
	return out
}

func (m *mapping) pairs(ks []KeyPair) []KeyPair {
	out := append([]KeyPair(nil), ks...)
	for i := range out {
		out[i].L, out[i].R = m.one(out[i].L), m.one(out[i].R)
	}
	return out
}

func (m *mapping) ranges(rs []RangePred) []RangePred {
	out := append([]RangePred(nil), rs...)
	for i := range out {
		out[i].L, out[i].R = m.one(out[i].L), m.one(out[i].R)
	}
	return out
}

func (m *mapping) aggs(as []*expr.Agg) []*expr.Agg {
	out := append([]*expr.Agg(nil), as...)
	for i, a := range as {
		c := *a
		c.Args, c.OrderBy = m.list(a.Args), m.keys(a.OrderBy)
		out[i] = &c
	}
	return out
}

func (m *mapping) funcs(fs []WindowFunc) []WindowFunc {
	out := append([]WindowFunc(nil), fs...)
	for i := range out {
		fn := out[i].WindowFunc.Map(m.f)
		m.changed = m.changed || fn != out[i].WindowFunc
		out[i].WindowFunc = fn
	}
	return out
}
