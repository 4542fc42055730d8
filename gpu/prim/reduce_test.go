//go:build sim || cuda

package prim_test

import (
	"math"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/enginetest"
	"gsql/gpu/prim"
)

func TestReduce(t *testing.T) {
	for _, n := range sizes[1:] {
		task := enginetest.Begin(t, enginetest.New(t, arena))
		r := random(n)
		ints := keysOf(n, func(int64) int32 { return int32(r.Uint32()) })
		doubles := keysOf(n, func(int64) float64 { return float64(r.Int32()) })
		var sum int64
		var sumF float64
		for i := range n {
			sum += int64(ints[i])
			sumF += doubles[i]
		}
		in, inF, out := enginetest.Upload(t, task, ints), enginetest.Upload(t, task, doubles), alloc(t, task, 8)
		for f, want := range map[prim.Fold]int64{prim.Sum: sum, prim.Min: int64(slices.Min(ints)), prim.Max: int64(slices.Max(ints))} {
			uses(t, task, prim.ReduceBytes(n), func() error { return prim.Reduce(task, f, column.I32, in, n, out) })
			if got := enginetest.Download[int64](t, task, out, 1)[0]; got != want {
				t.Errorf("n %d: fold %d gives %d, want %d", n, f, got, want)
			}
		}
		for f, want := range map[prim.Fold]float64{prim.Sum: sumF, prim.Min: slices.Min(doubles), prim.Max: slices.Max(doubles)} {
			must(t, prim.Reduce(task, f, column.F64, inF, n, out))
			if got := enginetest.Download[float64](t, task, out, 1)[0]; math.Abs(got-want) > 0 {
				t.Errorf("n %d: fold %d gives %g, want %g", n, f, got, want)
			}
		}
	}
}

func TestReduceNothing(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, arena))
	out := alloc(t, task, 8)
	must(t, prim.Reduce(task, prim.Sum, column.I64, 0, 0, out))
	if got := enginetest.Download[int64](t, task, out, 1)[0]; got != 0 {
		t.Errorf("the sum of nothing is %d", got)
	}
	if err := prim.Reduce(task, prim.Min, column.I64, 0, 0, out); err == nil {
		t.Error("there is a minimum of nothing")
	}
}
