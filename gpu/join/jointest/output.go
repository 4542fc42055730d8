//go:build sim || cuda

package jointest

import (
	"cmp"
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
)

// Output collects a join's pairs on the CPU. Each piece is poisoned before it is returned.
type Output struct {
	Pieces int

	t           testing.TB
	task        *engine.Task
	left, right gpu.Ptr
	capacity    int64
	pairs       []Pair
}

// NewOutput returns an output with pieces of capacity pairs in memory of the task.
func NewOutput(t testing.TB, task *engine.Task, capacity int64) *Output {
	t.Helper()
	none := make([]int32, capacity)
	return &Output{t: t, task: task, capacity: capacity,
		left: enginetest.Upload(t, task, none), right: enginetest.Upload(t, task, none)}
}

// Piece implements join.Output.
func (o *Output) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	if err := o.task.Fill(o.left, 0xEE, 4*o.capacity); err != nil {
		return 0, 0, 0, err
	}
	return o.left, o.right, o.capacity, o.task.Fill(o.right, 0xEE, 4*o.capacity)
}

// Emit implements join.Output.
func (o *Output) Emit(n int64) error {
	if n <= 0 || n > o.capacity {
		o.t.Errorf("a piece of %d pairs is emitted, it has room for %d", n, o.capacity)
		n = min(max(n, 0), o.capacity)
	}
	o.Pieces++
	left, right := enginetest.Download[int32](o.t, o.task, o.left, n), enginetest.Download[int32](o.t, o.task, o.right, n)
	for i := range left {
		o.pairs = append(o.pairs, Pair{left[i], right[i]})
	}
	return nil
}

// Sorted returns the pairs in the order of Pairs.
func (o *Output) Sorted() []Pair {
	slices.SortFunc(o.pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right))
	})
	return o.pairs
}

// Reset discards the pairs.
func (o *Output) Reset() { o.pairs, o.Pieces = nil, 0 }
