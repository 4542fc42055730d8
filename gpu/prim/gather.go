package prim

import (
	"fmt"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// Gather sets out[i] = in[rows[i]] for n values of width 1, 4 or 8 bytes; rows are int32, and
// a negative row number yields 0.
func Gather(t *engine.Task, width int64, in, rows, out gpu.Ptr, n int64) error {
	return t.Launch("gsql_gather_rows", mapType(width), n, false, uint64(in), uint64(rows), uint64(out), uint64(n))
}

// Scatter sets out[rows[i]] = in[i]. The rows must be distinct; negative ones are skipped.
func Scatter(t *engine.Task, width int64, in, rows, out gpu.Ptr, n int64) error {
	return t.Launch("gsql_scatter_rows", mapType(width), n, false, uint64(in), uint64(rows), uint64(out), uint64(n))
}

func mapType(width int64) string { return fmt.Sprintf("b%di32", width) }

// RowNumbers sets rows[i] = first + i: n int32.
func RowNumbers(t *engine.Task, rows gpu.Ptr, first, n int64) error {
	return t.Launch("gsql_row_numbers", "i32", n, false, uint64(rows), uint64(first), uint64(n))
}
