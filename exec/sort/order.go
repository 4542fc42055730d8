package sort

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Order returns the row numbers of flat vectors in ascending order of the values, those of the first
// vector first, with NULLs first and equal values in row order. All workers share the work;
// cancelling the statement ends it. All memory is charged to account; the caller frees the buffer.
func Order(ctx *op.Ctx, account *mem.Account, vs ...*vec.Vector) (*mem.Buffer[int32], error) {
	keys := make([]column, len(vs))
	for i, v := range vs {
		keys[i].v = v
	}
	return order(ctx, account, keys, vs[0].N)
}
