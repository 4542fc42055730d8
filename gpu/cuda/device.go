//go:build cuda

package cuda

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// device is one NVIDIA GPU. Its context is created on first use.
type device struct {
	ordinal int
	name    string
	once    sync.Once
	state   *state
	err     error // why it did not start
}

var _ gpu.Device = (*device)(nil)

func (d *device) Name() string { return d.name }

// started starts the device unless it has been started.
func (d *device) started() (*state, error) {
	d.once.Do(func() { d.state, d.err = start(d.ordinal) })
	return d.state, d.fail("start", d.err)
}

// fail adds to an error the device's name and what it was doing.
func (d *device) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.Wrap(sqlerr.UnknownError, lostBy(d.name, err), "GPU %s: %s", d.name, what)
}

// do runs f exclusively, with the device's state and context.
func (d *device) do(what string, f func(*state) error) error {
	s, err := d.started()
	if err != nil {
		return err
	}
	return d.fail(what, s.do(func() error { return f(s) }))
}

// post queues work on a stream through f, whose error is returned by the stream's next Sync. After
// an error the stream's work is skipped until then, so that Sync returns the first error.
func (d *device) post(what string, id gpu.Stream, f func(cu.Stream) error) error {
	s, err := d.started()
	if err != nil {
		return err
	}
	s.mu.Lock()
	st, err := s.stream(id)
	skip := err != nil || st.failed != nil
	s.mu.Unlock()
	if skip {
		return err
	}
	if err := s.within(func() error { return f(st.cu) }); err != nil {
		s.spoil(st, d.fail(what, err))
	}
	return nil
}

func (d *device) Alloc(bytes int64) (gpu.Ptr, error) {
	var p cu.DevicePtr
	err := d.do(fmt.Sprintf("allocation of %d bytes", bytes), func(*state) (err error) {
		if p, err = cu.MemAlloc(max(bytes, 1)); err == cu.OutOfMemory {
			return gpu.ErrOutOfMemory
		}
		return err
	})
	return gpu.Ptr(p), err
}

func (d *device) Free(p gpu.Ptr) error {
	return d.do("free", func(*state) error { return cu.MemFree(cu.DevicePtr(p)) })
}

func (d *device) AllocHost(bytes int64) (b []byte, err error) {
	err = d.do(fmt.Sprintf("pinning of %d bytes", bytes), func(s *state) error {
		if b, err = hostAlloc(max(bytes, 1)); err != nil {
			return err
		}
		s.host[unsafe.SliceData(b)] = true
		return nil
	})
	return b[:len(b):len(b)], err
}

func (d *device) FreeHost(b []byte) error {
	return d.do("unpinning", func(s *state) error {
		p := unsafe.SliceData(b)
		if !s.host[p] {
			return sqlerr.Internal("host memory that the device did not pin")
		}
		delete(s.host, p)
		return cu.MemFreeHost(unsafe.Pointer(p))
	})
}

func (d *device) CopyToDevice(dst gpu.Ptr, src []byte, s gpu.Stream) error {
	if len(src) == 0 {
		return nil
	}
	return d.post("copy to the device", s, func(on cu.Stream) error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), on)
	})
}

func (d *device) CopyToHost(dst []byte, src gpu.Ptr, s gpu.Stream) error {
	if len(dst) == 0 {
		return nil
	}
	return d.post("copy to the host", s, func(on cu.Stream) error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)), on)
	})
}

func (d *device) CopyDevice(dst, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	return d.post("copy within the device", s, func(on cu.Stream) error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), bytes, on)
	})
}

func (d *device) Memset(dst gpu.Ptr, value byte, bytes int64, s gpu.Stream) error {
	return d.post("memset", s, func(on cu.Stream) error {
		return cu.MemsetD8Async(cu.DevicePtr(dst), value, bytes, on)
	})
}

func (d *device) Sync(id gpu.Stream) error {
	s, err := d.started()
	if err != nil {
		return err
	}
	s.mu.Lock()
	st, err := s.stream(id)
	s.mu.Unlock()
	if err != nil {
		return d.fail("synchronisation", err)
	}
	err = d.fail("work of a stream", waitStream(s.context, st))
	if first := s.absolve(st); first != nil {
		return first
	}
	return err
}

func (d *device) Elapsed(start, end gpu.Event) (time.Duration, error) {
	if err := d.Await(end); err != nil {
		return 0, err
	}
	var ms float64
	err := d.do("elapsed time", func(s *state) error {
		from, to := s.events[start], s.events[end]
		if from == nil || to == nil {
			return sqlerr.Internal("device events %d and %d are not both there", start, end)
		}
		var err error
		ms, err = from.cu.Elapsed(to.cu)
		return err
	})
	return time.Duration(ms * float64(time.Millisecond)), err
}

func (d *device) Close() error {
	return d.do("close", (*state).close)
}
