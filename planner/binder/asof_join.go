package binder

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// asof is the condition of an ASOF JOIN: equalities, and a comparison that the nearest
// row of the right side satisfies.
type asof struct {
	keys []expr.Expr // the right operands of the equalities
	op   string      // left op right
	l, r expr.Expr
}

// asofJoin binds an ASOF JOIN as what it means: each row of the right side stands for the
// stretch from its own place to that of its neighbour with equal keys, so that a left row
// lies in one of them at most.
func (b *block) asofJoin(n *ast.Join) (logical.Node, *scope, error) {
	j, sc, err := b.onJoin(n)
	if err != nil {
		return nil, nil, err
	}
	if len(n.Using) > 0 { // the last column is the one that need not be equal
		last := j.On[len(j.On)-1].(*expr.Call)
		if j.On[len(j.On)-1], err = expr.NewCall(">=", last.Args, last.Pos); err != nil {
			return nil, nil, err
		}
	}
	a, err := b.asofCondition(j)
	if err != nil {
		return nil, nil, err
	}
	end, err := b.stretches(j, a)
	if err != nil {
		return nil, nil, err
	}
	j.On = append(j.On, end)
	if n.Tp == ast.LeftJoin {
		j.Kind = logical.Left
		sc.nullable(j.R)
	}
	return j, sc, nil
}

// asofCondition takes the condition apart: error 1235 where it is not equalities and one
// other comparison.
func (b *block) asofCondition(j *logical.Join) (*asof, error) {
	left, right := idsOf(j.L.Schema()), idsOf(j.R.Schema())
	a := &asof{}
	for _, e := range j.On {
		c, ok := e.(*expr.Call)
		if !ok || mirrored[c.Fn] == "" || expr.Volatile(e) {
			return nil, b.asofRefusal()
		}
		op, l, r := c.Fn, c.Args[0], c.Args[1]
		if onlyOf(l, right) && onlyOf(r, left) {
			op, l, r = mirrored[op], r, l
		}
		switch {
		case !onlyOf(l, left) || !onlyOf(r, right):
			return nil, b.asofRefusal()
		case op == "=":
			a.keys = append(a.keys, r)
		case a.op != "":
			return nil, b.asofRefusal()
		default:
			a.op, a.l, a.r = op, l, r
		}
	}
	if a.op == "" {
		return nil, b.asofRefusal()
	}
	return a, nil
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (b *block) asofRefusal() error {
	return sqlerr.Unsupported(b.find("ASOF", b.fromPos()), "ASOF JOIN on anything but equalities and one comparison by <, <=, > or >= of both sides").
		WithHint("Filter in WHERE, or in a derived table.")
}

func idsOf(cols []logical.Column) map[expr.ColID]bool {
	ids := make(map[expr.ColID]bool, len(cols))
	for i := range cols {
		ids[cols[i].ID] = true
	}
	return ids
}

// onlyOf tells whether e refers to some of the columns, and to no others.
func onlyOf(e expr.Expr, ids map[expr.ColID]bool) bool {
	used, only := map[expr.ColID]bool{}, true
	expr.Cols(e, used)
	for id := range used {
		only = only && ids[id]
	}
	return only && len(used) > 0
}

// stretches adds to the rows of the right side the place of their neighbour, and gives the
// condition that a left row is not beyond it.
func (b *block) stretches(j *logical.Join, a *asof) (expr.Expr, error) {
	fn, op := expr.Lead, map[string]string{">=": "<", ">": "<="}[a.op]
	if op == "" {
		fn, op = expr.Lag, map[string]string{"<=": ">", "<": ">="}[a.op]
	}
	missing, err := expr.NewCall("isnull", []expr.Expr{a.r}, -1)
	if err != nil {
		return nil, err
	}
	there, err := expr.NewCall("not", []expr.Expr{missing}, -1)
	if err != nil {
		return nil, err
	}
	col := logical.Column{ID: b.newID(), Name: "neighbour", T: a.r.Type()}
	j.R = &logical.Window{
		In: &logical.Filter{In: j.R, Preds: []expr.Expr{there}}, Partition: a.keys, Order: []expr.SortKey{{Expr: a.r}},
		Funcs: []logical.WindowItem{{Col: col, Fn: expr.NewWindowFunc(fn, 1, a.r)}},
	}
	if far, ok := beyond(col.T, fn == expr.Lead); ok {
		place, err := expr.NewCall("coalesce", []expr.Expr{col.Ref(), &expr.Const{Value: far}}, -1)
		if err != nil {
			return nil, err
		}
		return expr.NewCall(op, []expr.Expr{a.l, place}, -1)
	}
	within, err := expr.NewCall(op, []expr.Expr{a.l, col.Ref()}, -1)
	if err != nil {
		return nil, err
	}
	last, err := expr.NewCall("isnull", []expr.Expr{col.Ref()}, -1)
	if err != nil {
		return nil, err
	}
	return expr.NewCall("or", []expr.Expr{within, last}, -1)
}

// beyond gives what is above, or below, all values of a type; ok is false where there is
// no such thing.
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
