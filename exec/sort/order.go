package sort

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Order returns the row numbers of v, which is flat, in ascending order of the values, with NULLs
// first and equal values in row order. All workers share the work; cancelling the statement ends
// it. All memory is charged to account; the caller frees the buffer.
func Order(ctx *op.Ctx, account *mem.Account, v *vec.Vector) (*mem.Buffer[int32], error) {
	return order(ctx, account, []column{{v: v}}, v.N)
}
