//go:build cuda

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gsql/gpu"
	"gsql/gpu/engine"
)

// repeats is the number of runs of a case that count.
var repeats = 9

// warmUps returns the number of runs that precede them.
func warmUps() int { return min(2, repeats-1) }

// bench is a running group of cases.
type bench struct {
	*engine.Task
	report *report
	cub    map[string]float64
}

// measure runs a group in its own task.
func measure(e *engine.Engine, group func(*bench) error, r *report, cub map[string]float64) error {
	t, err := e.Begin(context.Background(), "benchmark")
	if err != nil {
		return err
	}
	return errors.Join(group(&bench{t, r, cub}), t.End())
}

// within runs f and frees the device memory that f took.
func (b *bench) within(f func() error) error {
	m := b.Mark()
	return errors.Join(f(), b.Sync(), b.Release(m))
}

// median returns the median time of work in milliseconds between events on the compute stream.
// Memory that work allocates is freed after each run.
func (b *bench) median(work func() error) (float64, error) {
	from, err := b.Device.NewEvent()
	if err != nil {
		return 0, err
	}
	to, err := b.Device.NewEvent()
	if err != nil {
		return 0, err
	}
	var times []float64
	for i := -warmUps(); i < repeats; i++ {
		m := b.Mark()
		err := errors.Join(b.Device.Record(from, b.Compute), work(), b.Device.Record(to, b.Compute))
		if err != nil {
			return 0, err
		}
		took, err := b.Device.Elapsed(from, to)
		if err == nil {
			err = errors.Join(b.Sync(), b.Release(m))
		}
		if err != nil {
			return 0, err
		}
		if i >= 0 {
			times = append(times, took.Seconds()*1e3)
		}
	}
	slices.Sort(times)
	return times[len(times)/2], errors.Join(b.Device.FreeEvent(from), b.Device.FreeEvent(to))
}

// upload creates a column of the n values of f in device memory.
func upload[T any](b *bench, n int64, f func(i int64) T) (gpu.Ptr, []T, error) {
	values := make([]T, n)
	parallel(n, func(from, to int64) {
		for i := from; i < to; i++ {
			values[i] = f(i)
		}
	})
	raw := bytesOf(values)
	p, err := b.Alloc(int64(len(raw)))
	if err == nil {
		err = b.Device.CopyToDevice(p, raw, b.Compute)
	}
	if err == nil {
		err = b.Sync()
	}
	return p, values, err
}

// download copies n values from device memory.
func download[T any](b *bench, p gpu.Ptr, n int64) ([]T, error) {
	values := make([]T, n)
	if err := b.Device.CopyToHost(bytesOf(values), p, b.Compute); err != nil {
		return nil, err
	}
	return values, b.Sync()
}

func bytesOf[T any](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// parallel divides [0, n) among all cores.
func parallel(n int64, f func(from, to int64)) {
	workers := int64(runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { f(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}

// every returns an error that starts with what unless ok holds for all i in [0, n).
func every(what string, n int64, ok func(i int64) bool) error {
	var mu sync.Mutex
	bad, example := int64(0), int64(-1)
	parallel(n, func(from, to int64) {
		for i := from; i < to; i++ {
			if !ok(i) {
				mu.Lock()
				bad, example = bad+1, i
				mu.Unlock()
			}
		}
	})
	if bad > 0 {
		return fmt.Errorf("%s: %d of %d wrong, such as number %d", what, bad, n, example)
	}
	return nil
}
