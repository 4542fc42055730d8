package state

import (
	"context"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestConcatMergesTwice merges rows into a state whose own rows were merged into another one
// before.
func TestConcatMergesTwice(t *testing.T) {
	account := mem.NewRoot("test", 0)
	text := types.T(types.String)
	a := Aggregate{Agg: &expr.Agg{Fn: expr.GroupConcat, Sep: ";", Args: []expr.Expr{&expr.Col{T: text}}, T: text}, Types: []types.Type{text}}
	states := make([]State, 3)
	for i := range states {
		states[i] = newConcat(a, account, &kernel.Ctx{}, &Files{Ctx: &op.Ctx{}})
		defer states[i].Free()
		if err := states[i].Grow(1); err != nil {
			t.Fatal(err)
		}
		arg := vec.NewFlat(text, 1)
		arg.Str[0] = string(rune('a' + i))
		if err := states[i].Update([]int32{0}, 1, []*vec.Vector{arg}); err != nil {
			t.Fatal(err)
		}
	}
	one := []int32{0}
	for _, m := range [][2]int{{0, 1}, {1, 2}} {
		if err := states[m[0]].Merge(states[m[1]], one, one); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"a;b", "b;c"} {
		dst := vec.NewFlat(text, 1)
		if err := states[i].Finish(&op.Ctx{Context: context.Background()}); err != nil {
			t.Fatal(err)
		}
		if err := states[i].Result(0, 1, dst); err != nil || dst.Str[0] != want {
			t.Errorf("%q, want %q: %v", dst.Str[0], want, err)
		}
	}
}
