package engine

import (
	"sync/atomic"
	"time"

	"gsql/gpu"
)

// counted is a device that counts the work of a task.
type counted struct {
	gpu.Device
	launches, waits atomic.Int64
	queued          atomic.Bool // work that nothing has waited for
}

// Work returns the number of kernels and fills that the task has launched, and how often it has
// waited for queued work. The copies of one Download count as one wait.
func (t *Task) Work() (launches, waits int64) {
	return t.counted.launches.Load(), t.counted.waits.Load()
}

func (c *counted) launch() {
	c.launches.Add(1)
	c.queued.Store(true)
}

func (c *counted) wait() {
	if c.queued.Swap(false) {
		c.waits.Add(1)
	}
}

// Launch implements gpu.Device.
func (c *counted) Launch(kernel string, how gpu.Launch, args ...uint64) error {
	c.launch()
	return c.Device.Launch(kernel, how, args...)
}

// Memset implements gpu.Device.
func (c *counted) Memset(dst gpu.Ptr, value byte, bytes int64, s gpu.Stream) error {
	c.launch()
	return c.Device.Memset(dst, value, bytes, s)
}

// CopyToDevice implements gpu.Device.
func (c *counted) CopyToDevice(dst gpu.Ptr, src []byte, s gpu.Stream) error {
	c.queued.Store(true)
	return c.Device.CopyToDevice(dst, src, s)
}

// CopyToHost implements gpu.Device.
func (c *counted) CopyToHost(dst []byte, src gpu.Ptr, s gpu.Stream) error {
	c.queued.Store(true)
	return c.Device.CopyToHost(dst, src, s)
}

// CopyDevice implements gpu.Device.
func (c *counted) CopyDevice(dst, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	c.queued.Store(true)
	return c.Device.CopyDevice(dst, src, bytes, s)
}

// bare returns the device itself, which other devices know.
func bare(d gpu.Device) gpu.Device {
	if c, ok := d.(*counted); ok {
		return c.Device
	}
	return d
}

// Link implements gpu.Device.
func (c *counted) Link(from gpu.Device) (gpu.Link, error) { return c.Device.Link(bare(from)) }

// CopyPeer implements gpu.Device.
func (c *counted) CopyPeer(dst gpu.Ptr, from gpu.Device, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	c.queued.Store(true)
	return c.Device.CopyPeer(dst, bare(from), src, bytes, s)
}

// WaitPeer implements gpu.Device.
func (c *counted) WaitPeer(s gpu.Stream, from gpu.Device, e gpu.Event) error {
	return c.Device.WaitPeer(s, bare(from), e)
}

// Await implements gpu.Device.
func (c *counted) Await(e gpu.Event) error {
	c.wait()
	return c.Device.Await(e)
}

// Elapsed implements gpu.Device.
func (c *counted) Elapsed(start, end gpu.Event) (time.Duration, error) {
	c.wait()
	return c.Device.Elapsed(start, end)
}

// Sync implements gpu.Device.
func (c *counted) Sync(s gpu.Stream) error {
	c.wait()
	return c.Device.Sync(s)
}
