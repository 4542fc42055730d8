// Package prim runs the primitives of device operators: scan, sort, selection, gather, reduction.
// Each function queues kernels on the task's compute stream and returns. It takes scratch memory
// from the task's arena, as much as its Bytes function returns, and releases it before it returns,
// because only later work on the same stream can reuse that memory.
package prim

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// padded returns the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }

// withScratch allocates memory with undefined contents for work that f queues.
func withScratch(t *engine.Task, bytes int64, f func(p gpu.Ptr) error) error {
	m := t.Mark()
	p, err := t.Alloc(bytes)
	if err != nil {
		return err
	}
	return errors.Join(f(p), t.Release(m))
}

// withZeros is withScratch with zeroed memory.
func withZeros(t *engine.Task, bytes int64, f func(p gpu.Ptr) error) error {
	return withScratch(t, bytes, func(p gpu.Ptr) error {
		if err := t.Fill(p, 0, bytes); err != nil {
			return err
		}
		return f(p)
	})
}

// lookbackBytes is the state of a single-pass kernel: a ticket and one word per tile.
func lookbackBytes(tiles int64) int64 { return 8 * (1 + tiles) }
