package hash

import (
	"context"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestReorderRefused checks that columns are unchanged if memory for one of them is refused,
// because they are then spilled.
func TestReorderRefused(t *testing.T) {
	a, b := vec.NewFlat(types.T(types.Int64), 1000), vec.NewFlat(types.T(types.Float64), 1000)
	for i := range 1000 {
		a.I64[i], b.F64[i] = int64(i), float64(i)
	}
	order := make([]int32, 1000)
	for i := range order {
		order[i] = int32(999 - i)
	}
	root := mem.NewRoot("query", 10_000)
	ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 1}
	if err := Reorder(ctx, root, []*vec.Vector{a, b}, order); err == nil || a.I64[0] != 0 || b.F64[0] != 0 || root.Used() != 0 {
		t.Errorf("%v; the first values are %d and %v, %d bytes are left", err, a.I64[0], b.F64[0], root.Used())
	}
}
