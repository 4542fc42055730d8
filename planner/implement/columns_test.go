package implement

import (
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// TestTerms checks that a division counts as the number of additions that it costs.
func TestTerms(t *testing.T) {
	call := func(fn expr.FuncID, args ...expr.Expr) expr.Expr { return &expr.Call{Fn: fn, Args: args} }
	x, k := &expr.Col{ID: 1}, &expr.Const{Value: catalog.Int(7)}
	for _, tt := range []struct {
		e    expr.Expr
		want float64
	}{{x, 0}, {call("+", x, k), 1}, {call("=", call("+", x, k), k), 2}, {call("=", call("%", x, k), k), 7}, {call("div", call("%", x, k), k), 12}} {
		if got := terms(tt.e); got != tt.want {
			t.Errorf("%s: %g terms, want %g", tt.e, got, tt.want)
		}
	}
}
