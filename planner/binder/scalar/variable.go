package scalar

import (
	"math"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
	"gsql/sql/types"
)

// systemVariable returns the value of @@x, @@session.x or @@global.x. notNull is false if it is NULL.
func (b *Binder) systemVariable(n *ast.VariableExpr) (text string, notNull bool, err error) {
	name := strings.ToLower(n.Name)
	if _, err := sysvar.Find(name); err != nil {
		return "", false, err
	}
	text, notNull = b.Session.Var(name)
	if n.IsGlobal {
		text, err = b.Session.GlobalVar(name)
	}
	return text, notNull, err
}

// variable binds @@x to its current value, and user variables.
func (b *Binder) variable(n *ast.VariableExpr, pos int) (expr.Expr, error) {
	switch {
	case n.Value != nil:
		return b.assignVariable(strings.ToLower(n.Name), n.Value, pos)
	case !n.IsSystem:
		return b.userVariable(strings.ToLower(n.Name), pos), nil
	}
	text, notNull, err := b.systemVariable(n)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if !notNull {
		return &expr.Const{Value: catalog.NullOf(types.T(types.String))}, nil
	}
	if x, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(x, 10) == text {
		return &expr.Const{Value: catalog.Int(x)}, nil
	}
	if x, err := strconv.ParseUint(text, 10, 64); err == nil && x > math.MaxInt64 {
		return &expr.Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)}}, nil
	}
	return &expr.Const{Value: catalog.Str(text)}, nil
}

// AssignsVariables reports whether a statement may assign to user variables within expressions. Its rows must be
// computed one after another, each completely before the next.
func AssignsVariables(text string) bool { return strings.Contains(text, ":=") }

// userVariable binds @name to its current value. In statements that assign to user variables, it
// is the value at the time when a row is computed.
func (b *Binder) userVariable(name string, pos int) expr.Expr {
	d, ok := b.Session.UserVar(name)
	if !ok {
		d = catalog.NullOf(types.T(types.String))
	}
	if !AssignsVariables(b.Text) {
		return &expr.Const{Value: d}
	}
	t, assigned := b.Shared.UserVars[name]
	if !assigned {
		t = d.Type
	}
	return &expr.Call{Fn: expr.FuncGetUserVar, Args: []expr.Expr{&expr.Const{Value: catalog.Str(name)}}, T: t, Pos: pos}
}

// assignVariable binds @name := value.
func (b *Binder) assignVariable(name string, value ast.ExprNode, pos int) (expr.Expr, error) {
	e, err := b.Expr(value)
	if err != nil {
		return nil, err
	}
	e = expr.Unrounded(e)
	t := e.Type()
	if t.ID == types.Null {
		t = types.T(types.String)
		e = expr.Cast(e, t)
	}
	if b.Shared.UserVars == nil {
		b.Shared.UserVars = map[string]types.Type{}
	}
	b.Shared.UserVars[name] = t
	return &expr.Call{Fn: expr.FuncSetUserVar, Args: []expr.Expr{&expr.Const{Value: catalog.Str(name)}, e}, T: t, Pos: pos}, nil
}
