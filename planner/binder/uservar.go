package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// AssignsVariables tells whether a statement may assign to user variables within
// expressions. Its rows must be computed one after another, each wholly before the next.
func AssignsVariables(text string) bool { return strings.Contains(text, ":=") }

// userVariable binds @name to its present value or, in statements that assign to user
// variables, to the value it has when a row is computed.
func (b *block) userVariable(name string, pos int) expr.Expr {
	d, ok := b.session.UserVar(name)
	if !ok {
		d = catalog.NullOf(types.T(types.String))
	}
	if !AssignsVariables(b.text) {
		return &expr.Const{Value: d}
	}
	t, assigned := b.shared.userVars[name]
	if !assigned {
		t = d.Type
	}
	return &expr.Call{Fn: "get_user_var", Args: []expr.Expr{&expr.Const{Value: catalog.Str(name)}}, T: t, Pos: pos}
}

// assignVariable binds @name := value.
func (b *block) assignVariable(name string, value ast.ExprNode, pos int) (expr.Expr, error) {
	e, err := b.expr(value)
	if err != nil {
		return nil, err
	}
	t := e.Type()
	if t.ID == types.Null {
		t = types.T(types.String)
		e = expr.Cast(e, t)
	}
	if b.shared.userVars == nil {
		b.shared.userVars = map[string]types.Type{}
	}
	b.shared.userVars[name] = t
	return &expr.Call{Fn: "set_user_var", Args: []expr.Expr{&expr.Const{Value: catalog.Str(name)}, e}, T: t, Pos: pos}, nil
}
