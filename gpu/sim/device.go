//go:build sim

package sim

import (
	"fmt"
	"sync"
	"time"

	"gsql/gpu"
	"gsql/gpu/sim/ptx"
	"gsql/sql/sqlerr"
)

func init() {
	gpu.Register("sim", func() ([]gpu.Device, string) {
		devices := []gpu.Device{}
		for _, d := range Machine(devicesSetting(), 512<<20) {
			devices = append(devices, d)
		}
		return devices, ""
	})
}

// Device is a simulated accelerator.
type Device struct {
	ordinal int
	memory  int64

	mu        *sync.Mutex // the machine's: work of one device may wait for work of another
	used      int64
	blocks    map[gpu.Ptr]int64 // sizes by address
	host      map[*byte]bool
	streams   map[gpu.Stream]*stream
	events    map[gpu.Event]*event
	written   map[string]*ptx.Module // by kernel, those that were written at run time
	next      uint32
	failAlloc int
	lost      bool
	loseIn    int // launches until the device is lost; 0: it is not going to be
	closed    bool
}

var _ gpu.Device = (*Device)(nil)

// stream is a queue of work that has not run yet.
type stream struct {
	work   []work
	done   int   // work run or skipped so far
	failed error // first error since the last Sync
}

// work is one item of a stream.
type work struct {
	run   func() error
	point *event // the event that it records, if any
}

// event is the point at which it was last recorded.
type event struct {
	stream *stream
	at     int       // number of work items that the stream had received, including this event
	time   time.Time // when that point was reached, zero before
	failed error     // the stream's error that kept it from the point
}

// New returns a machine's only device, with bytes of memory; each allocation takes host memory.
func New(bytes int64) *Device { return Machine(1, bytes)[0] }

func newDevice(ordinal int, bytes int64, mu *sync.Mutex) *Device {
	return &Device{
		ordinal: ordinal,
		memory:  bytes,
		mu:      mu,
		blocks:  map[gpu.Ptr]int64{},
		host:    map[*byte]bool{},
		streams: map[gpu.Stream]*stream{0: {}},
		events:  map[gpu.Event]*event{},
		written: map[string]*ptx.Module{},
	}
}

// Name returns sim: and the device's number in its machine.
func (d *Device) Name() string { return fmt.Sprintf("sim:%d", d.ordinal) }

// Info describes a device of the newest kind for which the kernels have variants.
func (d *Device) Info() (gpu.Info, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return gpu.Info{
		Name: "simulated GPU", Capability: 90, SMs: 4, Memory: d.memory, Free: d.memory - d.used,
		SharedPerBlock: sharedPerBlock(), Link: "host memory",
	}, nil
}

func (d *Device) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.Wrap(sqlerr.UnknownError, err, "GPU %s: %s", d.Name(), what)
}

func errClosed() error { return sqlerr.Internal("the device is closed") }

// Launch implements gpu.Device.
func (d *Device) Launch(kernel string, how gpu.Launch, args ...uint64) error {
	d.countLaunch()
	return d.post(how.Stream, func() error {
		b := extents(how.Block)
		if n := uint64(b[0]) * uint64(b[1]) * uint64(b[2]); n > 1024 {
			return d.fail("launch of "+kernel, sqlerr.Internal("a block of %d threads", n))
		}
		if how.Shared > sharedPerBlock() {
			return d.fail("launch of "+kernel, sqlerr.Internal("%d bytes of shared memory", how.Shared))
		}
		if m := d.written[kernel]; m != nil {
			return d.fail("launch of "+kernel, d.execute(m, kernel, how, args))
		}
		return d.fail("launch of "+kernel, emulate(kernel, how, args))
	})
}

// Close frees everything allocated.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed()
	}
	d.runAll()
	for p := range d.blocks {
		emulatedFree(p)
	}
	clear(d.blocks)
	clear(d.host)
	d.used, d.closed = 0, true
	return nil
}
