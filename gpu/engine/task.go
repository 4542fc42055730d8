package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"time"

	"gsql/gpu"
	"gsql/kernels"
	"gsql/sql/sqlerr"
)

// Task is one operator's exclusive use of an engine, by one goroutine. Work goes to two streams:
// kernels to Compute, copies that overlap with them to Copy.
type Task struct {
	Ctx      context.Context
	Device   gpu.Device
	Operator string // the operator to which memory is charged
	Compute  gpu.Stream
	Copy     gpu.Stream

	e       *Engine
	counted *counted // Device
	begin   gpu.Mark
	loading int                   // Loaders that have not finished
	staged  map[*gpu.Staging]bool // the staging buffers that the task holds

	streamed int64 // bytes that streams have queued for the device
	pieces   int   // their blocks
}

// Alloc returns device memory with undefined contents, valid until Release of an earlier mark or
// the task's end. Unused cached columns are evicted if necessary. If the device has too little
// left, the error is 1037 and nothing is taken: the caller tries smaller pieces.
func (t *Task) Alloc(bytes int64) (gpu.Ptr, error) {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	p, err := t.e.arena.Alloc(t.Operator, bytes)
	if err == nil {
		return p, nil
	}
	if made, failed := t.e.makeRoom(bytes); !made {
		return 0, cmp.Or(failed, err)
	}
	return t.e.arena.Alloc(t.Operator, bytes)
}

// Free returns the bytes that Alloc can currently allocate.
func (t *Task) Free() int64 {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	return t.e.cached.floor(t.e.arena) - t.e.arena.Height()
}

// Mark returns the current height of the stack of allocations.
func (t *Task) Mark() gpu.Mark {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	return t.e.arena.Mark()
}

// Release releases everything allocated since m. The caller must have synchronised the streams that
// use it, unless only work queued later on the same stream uses the memory again.
func (t *Task) Release(m gpu.Mark) error {
	if t.loading > 0 { // a load that failed midway may still be copying
		if err := t.Device.Sync(t.e.upload); err != nil {
			return err
		}
	}
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	return t.e.arena.Release(m)
}

// order makes later work on second wait for the work queued on first.
func (t *Task) order(first, second gpu.Stream) error {
	if err := t.Device.Record(t.e.fence, first); err != nil {
		return err
	}
	return t.Device.Wait(second, t.e.fence)
}

// stage returns a staging buffer for uploads. unstage returns it to the pool and records the copies
// queued from it, for which the next Get waits.
func (t *Task) stage() (*gpu.Staging, error) {
	s, err := t.e.uploads.Get(t.Ctx)
	if err == nil {
		t.staged[s] = true
	}
	return s, err
}

func (t *Task) unstage(s *gpu.Staging) error {
	err := t.e.uploads.Behind(s, t.e.upload)
	delete(t.staged, s)
	t.e.uploads.Put(s)
	return err
}

// Err reports whether the query was cancelled. Algorithms call it before each launch of work that
// takes more than a few milliseconds; Launch calls it itself.
func (t *Task) Err() error { return t.Ctx.Err() }

// Launch queues an entry of a kernel family on Compute; typ is its type suffix. For a tiled family,
// the grid has one block for each tile of n items; otherwise it has as many blocks as fill the
// device, or fewer if n is small. wide reports whether a member of typ has 8 bytes.
func (t *Task) Launch(family, typ string, n int64, wide bool, args ...uint64) error {
	f, err := familyOf(family)
	if err != nil {
		return err
	}
	blocks := (n + int64(f.Tile(wide)) - 1) / int64(f.Tile(wide))
	if !f.Tiled {
		blocks = min(blocks, t.e.residentBlocks)
	}
	return t.LaunchBlocks(family, typ, blocks, 0, args...)
}

// LaunchBlocks queues an entry with a grid of the given size and bytes of dynamic shared memory.
// With no blocks it does nothing. Grids have less than 2^31 blocks.
func (t *Task) LaunchBlocks(family, typ string, blocks int64, shared int, args ...uint64) error {
	if err := t.Ctx.Err(); err != nil || blocks == 0 {
		return err
	}
	f, err := familyOf(family)
	if err != nil {
		return err
	}
	if err := t.e.load(f.FileOf(typ)); err != nil {
		return err
	}
	return t.LaunchEntry(f.Entry(typ), blocks, f.Threads, shared, args...)
}

// ResidentBlocks returns the number of blocks that fill the device.
func (t *Task) ResidentBlocks() int64 { return t.e.residentBlocks }

// Fill queues, on Compute, setting bytes of device memory to value.
func (t *Task) Fill(p gpu.Ptr, value byte, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return t.Device.Memset(p, value, bytes, t.Compute)
}

// Read waits for Compute and copies device memory to dst, which must be small: results and
// counters, up to a few kilobytes. Larger amounts go through the engine's staging buffers.
func (t *Task) Read(dst []byte, src gpu.Ptr) error {
	small, err := t.e.small(len(dst))
	if err != nil {
		return err
	}
	if err := t.Device.CopyToHost(small, src, t.Compute); err != nil {
		return err
	}
	if err := t.Device.Sync(t.Compute); err != nil {
		return err
	}
	copy(dst, small)
	return t.Ctx.Err()
}

// ReadWord waits for Compute and returns the 64-bit word at p.
func (t *Task) ReadWord(p gpu.Ptr) (uint64, error) {
	var word [8]byte
	err := t.Read(word[:], p)
	return binary.LittleEndian.Uint64(word[:]), err
}

// Sync waits for Compute and returns the first error of its work.
func (t *Task) Sync() error {
	if err := t.Device.Sync(t.Compute); err != nil {
		return err
	}
	return t.Ctx.Err()
}

// Time waits for Compute and returns how long the task has held the device, by the device's clock:
// from the task's first work to its last, including waiting.
func (t *Task) Time() (time.Duration, error) {
	if err := t.Device.Record(t.e.ended, t.Compute); err != nil {
		return 0, err
	}
	return t.Device.Elapsed(t.e.began, t.e.ended)
}

// End waits for all work, releases the task's memory and lets the next task begin.
func (t *Task) End() error { return t.e.end(t) }

func familyOf(name string) (*kernels.Family, error) {
	if f := kernels.Find(name); f != nil {
		return f, nil
	}
	return nil, sqlerr.Internal("no kernel family %s", name)
}
