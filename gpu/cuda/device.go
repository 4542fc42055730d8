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

// device is one NVIDIA GPU. Its context is made when it is first used.
type device struct {
	ordinal int
	name    string
	start   sync.Once
	own     *owner
	err     error // why it did not start
}

var _ gpu.Device = (*device)(nil)

func (d *device) Name() string { return d.name }

// owner starts the device where that has not happened.
func (d *device) owner() (*owner, error) {
	d.start.Do(func() { d.own, d.err = startOwner(d.ordinal) })
	if d.err != nil {
		return nil, d.fail("start", d.err)
	}
	return d.own, nil
}

// fail names the device and what it was doing.
func (d *device) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.Wrap(sqlerr.UnknownError, err, "GPU %s: %s", d.name, what)
}

// do runs f on the owner's thread and waits for it.
func (d *device) do(what string, f func(*state) error) error {
	o, err := d.owner()
	if err != nil {
		return err
	}
	return d.fail(what, o.do(f))
}

// post queues f as work of stream s.
func (d *device) post(what string, s gpu.Stream, f func(*state, cu.Stream) error) error {
	o, err := d.owner()
	if err != nil {
		return err
	}
	o.post(s, func(st *state, stream cu.Stream) error { return d.fail(what, f(st, stream)) })
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
	return d.post("copy to the device", s, func(_ *state, stream cu.Stream) error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), stream)
	})
}

func (d *device) CopyToHost(dst []byte, src gpu.Ptr, s gpu.Stream) error {
	if len(dst) == 0 {
		return nil
	}
	return d.post("copy to the host", s, func(_ *state, stream cu.Stream) error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)), stream)
	})
}

func (d *device) CopyDevice(dst, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	return d.post("copy within the device", s, func(_ *state, stream cu.Stream) error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), bytes, stream)
	})
}

func (d *device) Memset(dst gpu.Ptr, value byte, bytes int64, s gpu.Stream) error {
	return d.post("memset", s, func(_ *state, stream cu.Stream) error {
		return cu.MemsetD8Async(cu.DevicePtr(dst), value, bytes, stream)
	})
}

func (d *device) Sync(s gpu.Stream) error {
	o, err := d.owner()
	if err != nil {
		return err
	}
	var stream cu.Stream
	var first error
	err = o.do(func(st *state) error {
		first = st.failed[s]
		delete(st.failed, s)
		var ok bool
		if stream, ok = st.streams[s]; !ok && first == nil {
			return sqlerr.Internal("device stream %d does not exist", s)
		}
		return nil
	})
	if err != nil {
		return d.fail("synchronisation", err)
	}
	if err := d.fail("work of a stream", waitStream(o.context, stream)); first == nil {
		return err
	}
	return first
}

func (d *device) Await(e gpu.Event) error {
	o, err := d.owner()
	if err != nil {
		return err
	}
	var event cu.Event
	err = o.do(func(s *state) error {
		known := false
		if event, known = s.events[e]; !known {
			return sqlerr.Internal("device event %d does not exist", e)
		}
		return nil
	})
	if err == nil {
		err = waitEvent(o.context, event)
	}
	return d.fail("work before an event", err)
}

func (d *device) Elapsed(start, end gpu.Event) (time.Duration, error) {
	o, err := d.owner()
	if err != nil {
		return 0, err
	}
	var from, to cu.Event
	err = o.do(func(s *state) error {
		var known, too bool
		from, known = s.events[start]
		to, too = s.events[end]
		if !known || !too {
			return sqlerr.Internal("device events %d and %d are not both there", start, end)
		}
		return nil
	})
	if err == nil {
		err = waitEvent(o.context, to)
	}
	var ms float64
	if err == nil {
		err = o.do(func(*state) (err error) { ms, err = from.Elapsed(to); return err })
	}
	return time.Duration(ms * float64(time.Millisecond)), d.fail("elapsed time", err)
}

func (d *device) Close() error {
	o, err := d.owner()
	if err != nil {
		return err
	}
	return d.fail("close", o.do(func(s *state) error { return s.close() }))
}
