// Package access derives from the predicates of a scan which segments and keys of its table must
// be read.
package access

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Ranges returns the bounds by which a scan may skip whole segments. They are never narrower than
// the predicates.
func Ranges(n *logical.Scan) []catalog.Range {
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

// bound returns e's value if it compares with the column's values without conversion.
func bound(col *expr.Col, e expr.Expr) *catalog.Datum {
	c, ok := e.(*expr.Const)
	if !ok || col == nil || c.Value.Null || !lookup.SameForm(col.T, c.Value.Type) {
		return nil
	}
	return &c.Value
}
