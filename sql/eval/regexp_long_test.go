package eval

import (
	"slices"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestReplacementsAreBounded checks that replacements whose results would be too long, such as a
// million matches replaced by a thousand bytes each, are NULL with warning 1301, and that these
// results are not computed first.
func TestReplacementsAreBounded(t *testing.T) {
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	a := strings.Repeat("a", 1<<20)
	for _, e := range []expr.Expr{
		mustCall("regexp_replace", text(a), text("a"), text(strings.Repeat("b", 1000))),
		mustCall("export_set", &expr.Const{Value: catalog.Int(-1)}, text(a+a), text("")),
		mustCall("make_set", append([]expr.Expr{&expr.Const{Value: catalog.Int(-1)}}, slices.Repeat([]expr.Expr{text(strings.Repeat(a, 9))}, 9)...)...),
	} {
		p, err := Compile(e, nil)
		if err != nil {
			t.Fatal(err)
		}
		env := &session{}
		out, err := p.NewEvaluator(kernel.Ctx{Env: env}).Eval(&vec.Batch{N: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !out.IsNull(0) {
			t.Errorf("%.30v: %d bytes, want NULL", e, len(out.Str[0]))
		}
		if len(env.codes) == 0 || sqlerr.Code(env.codes[0]) != sqlerr.AllowedPacketOverflowed {
			t.Errorf("%.30v: warnings %v, want 1301", e, env.codes)
		}
	}
}
