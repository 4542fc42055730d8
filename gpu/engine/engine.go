// Package engine runs queries' work on a device: it loads kernels, owns the arena, the pinned
// staging buffers and the streams, and lends them to one operator at a time.
package engine

import (
	"context"
	"errors"
	"sync"

	"gsql/gpu"
	"gsql/kernels"
	"gsql/sql/sqlerr"
)

// Engine is one device in use, shared by all sessions of a process.
type Engine struct {
	dev            gpu.Device
	info           gpu.Info
	busy           chan struct{} // holds a token while no task runs
	gone           chan struct{} // closed when the device was lost and the engine is closed
	loss           *gpu.LostError
	loaded         map[string]bool
	compute, copy  gpu.Stream
	upload         gpu.Stream
	fence          gpu.Event
	began, ended   gpu.Event // of the running task's time on the device
	uploads        *gpu.StagingPool
	downloads      *gpu.StagingPool
	smalls         []byte // pinned
	residentBlocks int64

	mu     sync.Mutex // guards the fields below, which tasks change and others read
	arena  *gpu.Arena
	cached cache
}

// smallBytes is the pinned buffer for results and counters.
const smallBytes = 64 << 10

// New opens an engine with an arena of limit bytes; 0 means gpu.DefaultLimit.
func New(dev gpu.Device, limit int64) (*Engine, error) {
	info, err := dev.Info()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		dev: dev, info: info, busy: make(chan struct{}, 1), gone: make(chan struct{}), loaded: map[string]bool{},
		residentBlocks: int64(max(info.SMs, 1)) * 8,
		uploads:        gpu.NewStagingPool(dev, uploadBytes, uploadBuffers()),
		downloads:      gpu.NewStagingPool(dev, downloadBytes, downloadBuffers),
	}
	e.busy <- struct{}{}
	if err := e.reserve(limit); err != nil {
		return nil, err
	}
	for _, s := range []*gpu.Stream{&e.compute, &e.copy, &e.upload} {
		if err == nil {
			*s, err = dev.NewStream()
		}
	}
	for _, v := range []*gpu.Event{&e.fence, &e.began, &e.ended} {
		if err == nil {
			*v, err = dev.NewEvent()
		}
	}
	if err == nil {
		e.smalls, err = dev.AllocHost(smallBytes)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// reserve allocates the arena; see New for limit.
func (e *Engine) reserve(limit int64) error {
	if limit <= 0 {
		info, err := e.dev.Info()
		if err != nil {
			return err
		}
		limit = gpu.DefaultLimit(info.Free)
	}
	arena, err := gpu.NewArena(e.dev, limit)
	if err == nil {
		e.arena = arena
	}
	return err
}

// Info describes the device at the time when the engine was opened.
func (e *Engine) Info() gpu.Info { return e.info }

// Name returns the device's short name.
func (e *Engine) Name() string { return e.dev.Name() }

// Begin waits until no other task uses the device, and begins one that charges its memory to
// operator. The caller must end it.
func (e *Engine) Begin(ctx context.Context, operator string) (*Task, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-e.busy:
	case <-e.gone:
		return nil, e.loss
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c := &counted{Device: e.dev}
	t := &Task{Ctx: ctx, Device: c, counted: c, Operator: operator, Compute: e.compute, Copy: e.copy, e: e, staged: map[*gpu.Staging]bool{}}
	t.begin = t.Mark()
	if err := e.dev.Record(e.began, e.compute); err != nil {
		return nil, errors.Join(err, t.End())
	}
	return t, nil
}

func (e *Engine) end(t *Task) error {
	err := errors.Join(e.dev.Sync(t.Compute), e.dev.Sync(t.Copy), e.dev.Sync(e.upload))
	noteLost(err)
	for s := range t.staged {
		e.uploads.Put(s)
	}
	e.uploads.Settled()
	e.downloads.Settled()
	e.mu.Lock()
	e.cached.unpin()
	err = errors.Join(err, e.arena.Release(t.begin))
	e.mu.Unlock()
	e.busy <- struct{}{}
	return err
}

// SetLimit replaces the engine's arena by one of limit bytes, with the meaning of New, once no task
// runs. The cached columns are dropped. If the device has too little memory, the engine keeps its
// size.
func (e *Engine) SetLimit(ctx context.Context, limit int64) error {
	select {
	case <-e.busy:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { e.busy <- struct{}{} }()
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.arena.Size()
	if limit == before {
		return nil
	}
	e.cached = cache{}
	if err := e.arena.Close(); err != nil {
		return err
	}
	err := e.reserve(limit)
	if err != nil {
		err = errors.Join(err, e.reserve(before))
	}
	return err
}

// Memory returns the arena's size, and the bytes of it that tasks and cached columns hold.
func (e *Engine) Memory() (limit, tasks, columns int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.arena.Size(), e.arena.Height(), e.arena.Kept()
}

// load makes the kernels of a file available on the device.
func (e *Engine) load(file string) error {
	if e.loaded[file] {
		return nil
	}
	text, err := kernels.PTX(file)
	if err == nil {
		err = e.dev.LoadModule(gpu.Module{Name: file, PTX: text, Cubin: kernels.Cubin(file, e.info.Capability)})
	}
	if err == nil {
		e.loaded[file] = true
	}
	return err
}

// small returns n bytes of pinned memory, valid until the next call.
func (e *Engine) small(n int) ([]byte, error) {
	if n > len(e.smalls) {
		return nil, sqlerr.Internal("%d bytes read at once from a device", n)
	}
	return e.smalls[:n], nil
}

// Close frees everything that the engine holds of the device. No task may be running.
func (e *Engine) Close() error {
	errs := []error{e.uploads.Close(), e.downloads.Close()}
	for _, s := range []gpu.Stream{e.compute, e.copy, e.upload} {
		if s != 0 {
			errs = append(errs, e.dev.FreeStream(s))
		}
	}
	for _, v := range []gpu.Event{e.fence, e.began, e.ended} {
		if v != 0 {
			errs = append(errs, e.dev.FreeEvent(v))
		}
	}
	if e.smalls != nil {
		errs = append(errs, e.dev.FreeHost(e.smalls))
	}
	return errors.Join(append(errs, e.arena.Close())...)
}
