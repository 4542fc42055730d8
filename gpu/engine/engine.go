// Package engine puts a device to work for queries: it loads kernels, owns the arena, the
// pinned staging buffers and the streams, and gives one operator at a time the use of them.
package engine

import (
	"context"
	"errors"

	"gsql/gpu"
	"gsql/kernels"
	"gsql/sql/sqlerr"
)

// Engine is one device at work, shared by all sessions of a process.
type Engine struct {
	dev            gpu.Device
	info           gpu.Info
	arena          *gpu.Arena
	busy           chan struct{} // holds a token while no task runs
	loaded         map[string]bool
	compute, copy  gpu.Stream
	smalls         []byte // pinned
	residentBlocks int64
}

// smallBytes is the pinned buffer for results and counters.
const smallBytes = 64 << 10

// New opens an engine with an arena of limit bytes; 0 means gpu.DefaultLimit.
func New(dev gpu.Device, limit int64) (*Engine, error) {
	info, err := dev.Info()
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = gpu.DefaultLimit(info.Free)
	}
	e := &Engine{dev: dev, info: info, busy: make(chan struct{}, 1), loaded: map[string]bool{}, residentBlocks: int64(max(info.SMs, 1)) * 8}
	e.busy <- struct{}{}
	if e.arena, err = gpu.NewArena(dev, limit); err != nil {
		return nil, err
	}
	if e.compute, err = dev.NewStream(); err == nil {
		e.copy, err = dev.NewStream()
	}
	if err == nil {
		e.smalls, err = dev.AllocHost(smallBytes)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Begin waits until no other task uses the device and begins one that charges its memory
// to operator. The caller ends it.
func (e *Engine) Begin(ctx context.Context, operator string) (*Task, error) {
	select {
	case <-e.busy:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &Task{Ctx: ctx, Device: e.dev, Operator: operator, Compute: e.compute, Copy: e.copy, e: e, begin: e.arena.Mark()}, nil
}

func (e *Engine) end(t *Task) error {
	err := errors.Join(e.dev.Sync(t.Compute), e.dev.Sync(t.Copy), e.arena.Release(t.begin))
	e.busy <- struct{}{}
	return err
}

func (e *Engine) alloc(operator string, bytes int64) (gpu.Ptr, error) {
	return e.arena.Alloc(operator, bytes)
}

func (e *Engine) free() int64 { return e.arena.Size() - e.arena.Used() }

// load makes the kernels of a file known to the device.
func (e *Engine) load(file string) error {
	if e.loaded[file] {
		return nil
	}
	text, err := kernels.PTX(file)
	if err == nil {
		err = e.dev.LoadModule(gpu.Module{Name: file, PTX: text})
	}
	if err == nil {
		e.loaded[file] = true
	}
	return err
}

// small gives n bytes of pinned memory, valid until the next call.
func (e *Engine) small(n int) ([]byte, error) {
	if n > len(e.smalls) {
		return nil, sqlerr.Internal("%d bytes read at once from a device", n)
	}
	return e.smalls[:n], nil
}

// Close frees what the engine holds of the device. No task may run.
func (e *Engine) Close() error {
	var errs []error
	for _, s := range []gpu.Stream{e.compute, e.copy} {
		if s != 0 {
			errs = append(errs, e.dev.FreeStream(s))
		}
	}
	if e.smalls != nil {
		errs = append(errs, e.dev.FreeHost(e.smalls))
	}
	return errors.Join(append(errs, e.arena.Close())...)
}
