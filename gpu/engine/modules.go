package engine

import (
	"errors"
	"sync"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// Load makes the modules of a query available on the device. It compiles new ones concurrently.
func (t *Task) Load(modules []gpu.Module) error {
	var wg sync.WaitGroup
	errs := make([]error, len(modules))
	for i, m := range modules {
		if t.e.loaded[m.Name] {
			continue
		}
		t.e.loaded[m.Name] = true
		wg.Go(func() { errs[i] = sqlerr.Guard(func() error { return t.Device.LoadModule(m) }) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			delete(t.e.loaded, modules[i].Name)
		}
	}
	return errors.Join(errs...)
}

// Compile begins to compile modules, for a later Load, which waits for those that are not ready and reports their
// errors. wait waits for all of them.
func Compile(t *Task, modules []gpu.Module) (wait func()) {
	var wg sync.WaitGroup
	for _, m := range modules {
		if !t.e.loaded[m.Name] {
			wg.Go(func() { _ = sqlerr.Guard(func() error { return t.Device.LoadModule(m) }) })
		}
	}
	return wg.Wait
}

// LaunchEntry queues an entry of a loaded module on Compute. With no blocks it does nothing.
func (t *Task) LaunchEntry(entry string, blocks int64, threads, shared int, args ...uint64) error {
	if err := t.Ctx.Err(); err != nil || blocks == 0 {
		return err
	}
	if blocks >= 1<<31 {
		return sqlerr.Internal("%s with %d blocks", entry, blocks)
	}
	return t.Device.Launch(entry, gpu.Launch{
		Grid: gpu.Dim{X: uint32(blocks)}, Block: gpu.Dim{X: uint32(threads)}, Shared: shared, Stream: t.Compute,
	}, args...)
}

// threadsPerSM is the maximum number of resident threads of a streaming multiprocessor.
const threadsPerSM = 2048

// Resident returns the number of blocks with the given threads and bytes of shared memory that fill
// the device.
func (t *Task) Resident(threads, shared int) int64 {
	each := max(threadsPerSM/threads, 1)
	if shared > 0 {
		each = min(each, max(t.e.info.SharedPerBlock/shared, 1))
	}
	return int64(max(t.e.info.SMs, 1)) * int64(each)
}

// SharedPerBlock returns the bytes of shared memory that a block may request.
func (t *Task) SharedPerBlock() int { return t.e.info.SharedPerBlock }
