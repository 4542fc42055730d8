package eval

import (
	"errors"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestTextsAreCharged makes texts of more than a limit, which is error 1037, and of less,
// whose memory goes back with the next batch.
func TestTextsAreCharged(t *testing.T) {
	col := &expr.Col{ID: 1, Name: "n", T: int64Type}
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	for _, e := range []expr.Expr{
		mustCall("repeat", text("ab"), col), mustCall("space", col), mustCall("lpad", text("x"), col, text("yz")), mustCall("rpad", text("x"), col, text("y")),
		mustCall("concat", mustCall("space", col), text("z")), mustCall("replace", mustCall("space", col), text(" "), text("--")), mustCall("insert", text("ab"), &expr.Const{Value: catalog.Int(2)}, &expr.Const{Value: catalog.Int(1)}, mustCall("space", col)),
	} {
		const limit = 8 << 20
		account := mem.NewRoot("query", limit)
		p, err := Compile(e, []expr.ColID{1})
		if err != nil {
			t.Fatal(err)
		}
		ev := p.NewEvaluator(Ctx{Mem: account})
		eval := func(rows int, size int64) error {
			v := vec.NewFlat(int64Type, rows)
			for i := range v.I64 {
				v.I64[i] = size
			}
			_, err := ev.Eval(&vec.Batch{N: rows, Cols: []*vec.Vector{v}})
			return err
		}
		var refused *sqlerr.Error
		if err := eval(900, 10_000); !errors.As(err, &refused) || refused.Code != sqlerr.OutOfMemory {
			t.Errorf("%v: %v", e, err)
		}
		for range 3 {
			if err := eval(100, 20_000); err != nil {
				t.Fatalf("%v: %v", e, err)
			}
			if used := account.Used(); used < 100*20_000-chargeStep || used > limit {
				t.Errorf("%v: %d bytes charged", e, used)
			}
		}
		if ev.Release(); account.Used() != 0 {
			t.Errorf("%v: %d bytes charged after the end", e, account.Used())
		}
	}
}
