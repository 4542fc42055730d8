package sort

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Order returns the numbers of v's rows in ascending order of their values, NULLs first and equal
// values in the rows' order; v is flat. All workers share the work, which ends with the
// statement. The memory, and that of the work, is account's; the caller frees the buffer.
func Order(ctx *op.Ctx, account *mem.Account, v *vec.Vector) (*mem.Buffer[int32], error) {
	return order(ctx, account, []column{{v: v}}, v.N)
}
