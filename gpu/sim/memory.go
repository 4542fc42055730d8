//go:build sim

package sim

import (
	"unsafe"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// FailAlloc makes the n-th Alloc from now on fail as if memory were exhausted, 1 being the next; 0
// cancels that.
func (d *Device) FailAlloc(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failAlloc = n
}

// InUse returns how many bytes are allocated.
func (d *Device) InUse() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used
}

// Alloc implements gpu.Device.
func (d *Device) Alloc(bytes int64) (gpu.Ptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return 0, err
	}
	if d.failAlloc > 0 {
		if d.failAlloc--; d.failAlloc == 0 {
			return 0, d.fail("allocation", gpu.ErrOutOfMemory)
		}
	}
	bytes = max(bytes, 1)
	if bytes > d.memory-d.used {
		return 0, d.fail("allocation", gpu.ErrOutOfMemory)
	}
	p := emulatedAlloc(bytes)
	if p == 0 {
		return 0, d.fail("allocation", gpu.ErrOutOfMemory)
	}
	d.used += bytes
	d.blocks[p] = bytes
	return p, nil
}

// Free runs all queued work first, as a driver does.
func (d *Device) Free(p gpu.Ptr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes, ok := d.blocks[p]
	if !ok {
		return sqlerr.Internal("device memory %#x was freed but not allocated", uint64(p))
	}
	d.runAll()
	emulatedFree(p)
	delete(d.blocks, p)
	d.used -= bytes
	return nil
}

// AllocHost implements gpu.Device.
func (d *Device) AllocHost(bytes int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, err
	}
	b := make([]byte, max(bytes, 1))
	d.host[unsafe.SliceData(b)] = true
	return b, nil
}

// FreeHost implements gpu.Device.
func (d *Device) FreeHost(b []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := unsafe.SliceData(b); d.host[p] {
		delete(d.host, p)
		return nil
	}
	return sqlerr.Internal("host memory that the device did not pin")
}

// bytes returns n bytes of device memory that lie within one allocation.
func (d *Device) bytes(p gpu.Ptr, n int64) ([]byte, error) {
	for base, size := range d.blocks {
		if p >= base && n >= 0 && n <= size && int64(p-base) <= size-n {
			return view(p, n), nil
		}
	}
	return nil, sqlerr.Internal("%d bytes at %#x are not within a device allocation", n, uint64(p))
}

// CopyToDevice implements gpu.Device.
func (d *Device) CopyToDevice(dst gpu.Ptr, src []byte, s gpu.Stream) error {
	return d.post(s, func() error {
		to, err := d.bytes(dst, int64(len(src)))
		copy(to, src)
		return d.fail("copy to the device", err)
	})
}

// CopyToHost implements gpu.Device.
func (d *Device) CopyToHost(dst []byte, src gpu.Ptr, s gpu.Stream) error {
	return d.post(s, func() error {
		from, err := d.bytes(src, int64(len(dst)))
		copy(dst, from)
		return d.fail("copy to the host", err)
	})
}

// CopyDevice implements gpu.Device.
func (d *Device) CopyDevice(dst, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	return d.post(s, func() error {
		to, err := d.bytes(dst, bytes)
		if err != nil {
			return d.fail("copy within the device", err)
		}
		from, err := d.bytes(src, bytes)
		copy(to, from)
		return d.fail("copy within the device", err)
	})
}

// Memset implements gpu.Device.
func (d *Device) Memset(dst gpu.Ptr, value byte, bytes int64, s gpu.Stream) error {
	return d.post(s, func() error {
		to, err := d.bytes(dst, bytes)
		for i := range to {
			to[i] = value
		}
		return d.fail("memset", err)
	})
}
