package rules

import (
	"math"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// pullLimit turns a LIMIT per outer value into a condition on the row number: the position, in
// the order of the sort below, among the rows that agree in the inner sides of the equalities.
// Rows that match no outer value are dropped before the numbering. If other predicates require
// the domain below, each row would be sorted once for every outer value that it meets. The LIMIT
// then stays, since running the plan once per outer value needs no memory for that, unless it
// selects the row nearest to the outer value (pull_nearest.go).
func (p *puller) pullLimit(x *logical.Limit) (logical.Node, []expr.Expr) {
	below, keys := x.In, []expr.SortKey(nil)
	if s, ok := x.In.(*logical.Sort); ok {
		below, keys = s.In, s.Keys
	}
	in, preds := p.withoutDuplicates(below)
	var used colset.Set
	for _, k := range keys {
		p.c.refs(k.Expr, &used)
	}
	bound, preds, by := p.bind(in, preds, used.Intersect(p.outer))
	if p.failed = p.failed || bound != in; p.failed {
		return x, nil
	}
	equal, others := p.apart(in, preds)
	if len(others) > 0 {
		return p.pullNearest(x, in, keys, equal, others)
	}
	in, eqs := p.equalities(in, equal)
	in, cols := p.inSchema(p.wanted(in, eqs), eqs)
	number := logical.WindowItem{Fn: expr.NewWindowFunc(expr.RowNumber, 0)}
	number.Col = logical.Column{ID: p.c.opt.NextID(), Name: "row_number", T: number.Fn.T, NotNull: true}
	w := &logical.Window{In: in, Funcs: []logical.WindowItem{number}}
	for _, col := range cols {
		w.Partition = append(w.Partition, col.Ref())
	}
	for _, k := range keys {
		w.Order = append(w.Order, expr.SortKey{Expr: cond.Substitute(k.Expr, by), Desc: k.Desc})
	}
	return p.c.only(filter(w, limits(number.Col.Ref(), x)), p.c.schema(in)), predicates(eqs, cols)
}

// apart separates the predicates that are equalities from the others.
func (p *puller) apart(n logical.Node, preds []expr.Expr) (equal, others []expr.Expr) {
	for _, e := range preds {
		if _, ok := p.equality(e, n); ok {
			equal = append(equal, e)
		} else {
			others = append(others, e)
		}
	}
	return equal, others
}

// limits returns the conditions on the row number that implement a LIMIT.
func limits(number expr.Expr, x *logical.Limit) (preds []expr.Expr) {
	if x.Offset > 0 {
		preds = append(preds, cond.Call(expr.FuncGT, number, unsigned(uint64(x.Offset))))
	}
	if x.Count >= 0 && uint64(x.Offset)+uint64(x.Count) <= math.MaxInt64 {
		preds = append(preds, cond.Call(expr.FuncLE, number, unsigned(uint64(x.Offset)+uint64(x.Count))))
	}
	return preds
}

func unsigned(n uint64) expr.Expr {
	return &expr.Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(n)}}
}

// wanted drops the rows of n that match no outer value, if the outer values can be computed in
// advance.
func (p *puller) wanted(n logical.Node, eqs []outerEquality) logical.Node {
	var cols colset.Set
	for _, eq := range eqs {
		p.c.refs(eq.outer, &cols)
	}
	if !repeatable(p.c, sourceOf(p.c, p.source, cols)) {
		return n
	}
	d, by, _ := p.domain(cols)
	j := &logical.Join{Kind: logical.Semi, L: n, R: d}
	for _, eq := range eqs {
		j.On = append(j.On, cond.Call(eq.op, eq.inner, cond.Substitute(eq.outer, by)))
	}
	return j
}
