package prim

import (
	"fmt"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

// SelectRows writes the int32 numbers of the rows whose flag, a byte, is not 0, in order, and their
// count to the 64-bit word at count.
func SelectRows(t *engine.Task, flags, rows gpu.Ptr, n int64, count gpu.Ptr) error {
	return compact(t, "gsql_select_rows", "i32", n, count, uint64(flags), uint64(rows))
}

// SelectValues does the same with values of width 4 or 8 bytes instead of row numbers.
func SelectValues(t *engine.Task, width int64, in, flags, out gpu.Ptr, n int64, count gpu.Ptr) error {
	return compact(t, "gsql_select_values", fmt.Sprintf("b%d", width), n, count, uint64(in), uint64(flags), uint64(out))
}

// SelectPairs does the same with pairs of int32.
func SelectPairs(t *engine.Task, left, right, flags, outLeft, outRight gpu.Ptr, n int64, count gpu.Ptr) error {
	return compact(t, "gsql_select_pairs", "i32", n, count, uint64(left), uint64(right), uint64(flags), uint64(outLeft), uint64(outRight))
}

// SelectBytes returns the scratch memory of a selection from n rows.
func SelectBytes(n int64) int64 {
	return padded(lookbackBytes(kernels.Tiles("gsql_select_rows", n, false)))
}

func compact(t *engine.Task, family, typ string, n int64, count gpu.Ptr, args ...uint64) error {
	if n == 0 {
		return t.Fill(count, 0, 8)
	}
	return withZeros(t, lookbackBytes(kernels.Tiles(family, n, false)), func(state gpu.Ptr) error {
		return t.Launch(family, typ, n, false, append(args, uint64(n), uint64(count), uint64(state))...)
	})
}
