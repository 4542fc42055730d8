//go:build sim || cuda

package enginetest

import (
	"errors"
	"testing"

	"gsql/gpu/engine"
	"gsql/sql/sqlerr"
)

// Starved calls f until it succeeds, each time with step bytes more of free memory on a task, none at
// first. It checks that f fails with error 1037, and returns how often it did.
func Starved(t testing.TB, task *engine.Task, step int64, f func() error) (failed int) {
	t.Helper()
	free := task.Free()
	for spare := int64(0); spare < free; spare += step {
		mark := task.Mark()
		if _, err := task.Alloc(free - spare); err != nil {
			t.Fatal(err)
		}
		err := f()
		if err := task.Release(mark); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			return failed
		}
		if failed++; !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("%d bytes to spare: %v, want 1037", spare, err)
		}
	}
	return failed
}
