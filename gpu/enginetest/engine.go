//go:build sim || cuda

package enginetest

import (
	"context"
	"encoding/binary"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// New returns an engine with an arena of the given bytes until the test's end.
func New(t testing.TB, bytes int64) *engine.Engine {
	t.Helper()
	return open(t, Device(t), bytes)
}

// NewAll returns the engines of n devices of one machine, each like New.
func NewAll(t testing.TB, n int, bytes int64) []*engine.Engine {
	t.Helper()
	engines := make([]*engine.Engine, n)
	for i, d := range Devices(t, n) {
		engines[i] = open(t, d, bytes)
	}
	return engines
}

func open(t testing.TB, d gpu.Device, bytes int64) *engine.Engine {
	t.Helper()
	e, err := engine.New(d, bytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Begin begins a task that ends with the test.
func Begin(t testing.TB, e *engine.Engine) *engine.Task {
	t.Helper()
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := task.End(); err != nil {
			t.Error(err)
		}
	})
	return task
}

// Upload copies values to memory of the task.
func Upload[T any](t testing.TB, task *engine.Task, values []T) gpu.Ptr {
	t.Helper()
	p, err := task.Alloc(int64(binary.Size(values)))
	if err == nil && len(values) > 0 {
		var raw []byte
		if raw, err = binary.Append(nil, binary.LittleEndian, values); err == nil {
			if err = task.Device.CopyToDevice(p, raw, task.Compute); err == nil {
				err = task.Sync()
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Download waits for the task's work and returns n values of device memory.
func Download[T any](t testing.TB, task *engine.Task, p gpu.Ptr, n int64) []T {
	t.Helper()
	values := make([]T, n)
	raw := make([]byte, binary.Size(values))
	if n == 0 {
		return values
	}
	if err := task.Device.CopyToHost(raw, p, task.Compute); err != nil {
		t.Fatal(err)
	}
	if err := task.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := binary.Decode(raw, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}
