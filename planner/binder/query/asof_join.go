package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// asof is the condition of an ASOF JOIN: equalities, and the comparison that the nearest row of the right side
// satisfies.
type asof struct {
	keys []expr.Expr // the right operands of the equalities
	op   expr.FuncID // left op right
	l, r expr.Expr
}

// asofJoin binds an ASOF JOIN as an equivalent join: each row of the right side represents the
// range from its own value to that of its neighbour with equal keys, so that a left row lies in
// at most one range.
func (f *from) asofJoin(n *ast.Join) (logical.Node, *scope.Scope, error) {
	j, sc, err := f.onJoin(n)
	if err != nil {
		return nil, nil, err
	}
	if len(n.Using) > 0 { // the last column is compared by >=
		last := j.On[len(j.On)-1].(*expr.Call)
		if j.On[len(j.On)-1], err = expr.NewCall(expr.FuncGE, last.Args, last.Pos); err != nil {
			return nil, nil, err
		}
	}
	a, err := f.asofCondition(j)
	if err != nil {
		return nil, nil, err
	}
	near := logical.Nearest{Keys: a.keys, Op: a.op, Outer: a.l, Place: a.r}
	right, end, err := near.Over(j.R, f.NewID)
	if err != nil {
		return nil, nil, err
	}
	j.R = right
	j.On = append(j.On, end)
	if n.Tp == ast.LeftJoin {
		j.Kind = logical.Left
		sc.Nullable(j.R)
	}
	return j, sc, nil
}

// asofCondition splits the condition. Error 1235: it does not consist of equalities and one other
// comparison.
func (f *from) asofCondition(j *logical.Join) (*asof, error) {
	left, right := scope.IDsOf(j.L.Schema()), scope.IDsOf(j.R.Schema())
	a := &asof{}
	for _, e := range j.On {
		c, ok := e.(*expr.Call)
		if !ok || mirrored[c.Fn] == "" || expr.Volatile(e) {
			return nil, f.asofRefusal()
		}
		op, l, r := c.Fn, c.Args[0], c.Args[1]
		if onlyOf(l, right) && onlyOf(r, left) {
			op, l, r = mirrored[op], r, l
		}
		switch {
		case !onlyOf(l, left) || !onlyOf(r, right):
			return nil, f.asofRefusal()
		case op == expr.FuncEQ:
			a.keys = append(a.keys, r)
		case a.op != "":
			return nil, f.asofRefusal()
		default:
			a.op, a.l, a.r = op, l, r
		}
	}
	if a.op == "" {
		return nil, f.asofRefusal()
	}
	return a, nil
}

var mirrored = map[expr.FuncID]expr.FuncID{expr.FuncEQ: expr.FuncEQ, expr.FuncLT: expr.FuncGT, expr.FuncLE: expr.FuncGE, expr.FuncGT: expr.FuncLT, expr.FuncGE: expr.FuncLE}

func (f *from) asofRefusal() error {
	return sqlerr.Unsupported(f.Find("ASOF", fromPos(f.sel)), "ASOF JOIN on anything but equalities and one comparison by <, <=, > or >= of both sides").
		WithHint("Filter in WHERE or in a derived table.")
}

// onlyOf reports whether e refers to at least one of the columns and to no others.
func onlyOf(e expr.Expr, ids map[expr.ColID]bool) bool {
	used, only := map[expr.ColID]bool{}, true
	expr.Cols(e, used)
	for id := range used {
		only = only && ids[id]
	}
	return only && len(used) > 0
}
