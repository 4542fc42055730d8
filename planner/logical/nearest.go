package logical

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Nearest selects one row among those that agree in Keys: of the rows that satisfy "Outer Op
// Place", where Op is one of < <= > >=, the one whose Place is nearest to the value of Outer.
type Nearest struct {
	Keys         []expr.Expr
	Op           expr.FuncID
	Outer, Place expr.Expr
	// Ties orders rows with equal places; the first one is selected. Without Ties, any of them
	// is.
	Ties []expr.SortKey
}

// Over lets each row of in represent the stretch from its own place to that of its neighbour, so
// that a value lies in at most one of them. It returns the rows with the neighbour's place, and
// the condition that Outer is not beyond it.
func (n *Nearest) Over(in Node, newID func() expr.ColID) (Node, expr.Expr, error) {
	fn, op := expr.Lead, map[expr.FuncID]expr.FuncID{expr.FuncGE: expr.FuncLT, expr.FuncGT: expr.FuncLE}[n.Op]
	if op == "" {
		fn, op = expr.Lag, map[expr.FuncID]expr.FuncID{expr.FuncLE: expr.FuncGT, expr.FuncLT: expr.FuncGE}[n.Op]
	}
	missing, err := expr.NewCall(expr.FuncIsNull, []expr.Expr{n.Place}, -1)
	if err != nil {
		return nil, nil, err
	}
	there, err := expr.NewCall(expr.FuncNot, []expr.Expr{missing}, -1)
	if err != nil {
		return nil, nil, err
	}
	order := []expr.SortKey{{Expr: n.Place}}
	for _, k := range n.Ties { // the last of equal rows has the stretch up to the next place
		order = append(order, expr.SortKey{Expr: k.Expr, Desc: k.Desc != (fn == expr.Lead)})
	}
	col := Column{ID: newID(), Name: "neighbour", T: n.Place.Type()}
	w := &Window{
		In: &Filter{In: in, Preds: []expr.Expr{there}}, Partition: n.Keys, Order: order,
		Funcs: []WindowItem{{Col: col, Fn: expr.NewWindowFunc(fn, 1, n.Place)}},
	}
	end, err := n.before(op, col, fn == expr.Lead)
	return w, end, err
}

// before returns the condition that Outer is not beyond the neighbour's place, if there is a
// neighbour.
func (n *Nearest) before(op expr.FuncID, neighbour Column, above bool) (expr.Expr, error) {
	if far, ok := beyond(neighbour.T, above); ok {
		place, err := expr.NewCall(expr.FuncCoalesce, []expr.Expr{neighbour.Ref(), &expr.Const{Value: far}}, -1)
		if err != nil {
			return nil, err
		}
		return expr.NewCall(op, []expr.Expr{n.Outer, place}, -1)
	}
	within, err := expr.NewCall(op, []expr.Expr{n.Outer, neighbour.Ref()}, -1)
	if err != nil {
		return nil, err
	}
	last, err := expr.NewCall(expr.FuncIsNull, []expr.Expr{neighbour.Ref()}, -1)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(expr.FuncOr, []expr.Expr{within, last}, -1)
}

// beyond returns a value above, or below, all others of a type; ok is false if there is none.
func beyond(t types.Type, above bool) (d catalog.Datum, ok bool) {
	sign := int64(-1)
	if above {
		sign = 1
	}
	switch {
	case t.ID == types.Int64 || t.Kind() == types.KindU64:
		t = types.Dec(20, 0)
		return catalog.Datum{Type: t, Dec: decimal128.FromI64(sign * math.MaxInt64).Mul(decimal128.FromI64(10))}, true
	case t.Kind() == types.KindI64:
		return catalog.Datum{Type: t, I64: sign * math.MaxInt64}, true
	case t.Kind() == types.KindF64:
		return catalog.Datum{Type: types.T(types.Float64), F64: math.Inf(int(sign))}, true
	case t.Kind() == types.KindDec && t.Prec < types.MaxPrecision:
		return catalog.Datum{Type: types.Dec(int(t.Prec)+1, int(t.Scale)), Dec: decimal128.GetMaxValue(int32(t.Prec) + 1).Mul(decimal128.FromI64(sign))}, true
	}
	return d, false
}
