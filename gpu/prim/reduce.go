package prim

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/sql/sqlerr"
)

// Fold is the operation of a reduction.
type Fold uint8

// The folds. Integer sums are 64-bit and wrap around.
const (
	Sum Fold = iota
	Min
	Max
)

func (f Fold) family() string {
	return [...]string{"gsql_reduce_sum", "gsql_reduce_min", "gsql_reduce_max"}[f]
}

// Reduce folds n values into the 64-bit word at out: an integer, or a double for F64. The sum of no
// values is 0; minimum and maximum require values. The order of floating-point sums depends only on
// n and the device.
func Reduce(t *engine.Task, f Fold, kind column.Kind, in gpu.Ptr, n int64, out gpu.Ptr) error {
	if n == 0 {
		if f != Sum {
			return sqlerr.Internal("minimum or maximum of no values")
		}
		return t.Fill(out, 0, 8)
	}
	parts := "i64"
	if kind == column.F64 {
		parts = "f64"
	}
	blocks := reduceBlocks(t, n)
	return withScratch(t, 8*blocks, func(p gpu.Ptr) error {
		err := t.LaunchBlocks(f.family(), kind.Suffix(), blocks, 0, uint64(in), uint64(p), uint64(n))
		if err != nil {
			return err
		}
		return t.LaunchBlocks(f.family(), parts, 1, 0, uint64(p), uint64(out), uint64(blocks))
	})
}

// ReduceBytes returns the most scratch memory of a reduction.
func ReduceBytes(n int64) int64 { return padded(8 * min(maxParts, (n+reduceTile-1)/reduceTile)) }

const (
	reduceTile = 4096 // values that justify a block
	maxParts   = 4096
)

func reduceBlocks(t *engine.Task, n int64) int64 {
	return min((n+reduceTile-1)/reduceTile, t.ResidentBlocks(), maxParts)
}
