// Package prim runs the primitives that device operators are made of: scan, sort, selection,
// gather, reduction. Each function queues kernels on the task's compute stream and returns. It
// takes scratch memory from the task's arena, the amount that the function's Bytes returns,
// and releases it before it returns, because only later work on the same stream can get that
// memory again.
package prim

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// padded is the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }

// withScratch lends f bytes of memory, contents undefined, for work that f queues.
func withScratch(t *engine.Task, bytes int64, f func(p gpu.Ptr) error) error {
	m := t.Mark()
	p, err := t.Alloc(bytes)
	if err != nil {
		return err
	}
	return errors.Join(f(p), t.Release(m))
}

// withZeros is withScratch with memory of zeros.
func withZeros(t *engine.Task, bytes int64, f func(p gpu.Ptr) error) error {
	return withScratch(t, bytes, func(p gpu.Ptr) error {
		if err := t.Fill(p, 0, bytes); err != nil {
			return err
		}
		return f(p)
	})
}

// lookbackBytes is the state of a single-pass kernel: a ticket and a word a tile.
func lookbackBytes(tiles int64) int64 { return 8 * (1 + tiles) }
