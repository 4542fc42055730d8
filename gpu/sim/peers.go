//go:build sim

package sim

import (
	"os"
	"strconv"
	"sync"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// devicesVariable is the environment variable with the number of devices of the machine that is
// registered, 1 by default.
const devicesVariable = "GSQL_SIM_DEVICES"

// mostDevices is the most devices of a machine.
const mostDevices = 8

func devicesSetting() int {
	n, err := strconv.Atoi(os.Getenv(devicesVariable))
	if err != nil {
		return 1
	}
	return min(max(n, 1), mostDevices)
}

// Machine returns the n devices of one machine, each with bytes of memory.
func Machine(n int, bytes int64) []*Device {
	mu := &sync.Mutex{}
	devices := make([]*Device, n)
	for i := range devices {
		devices[i] = newDevice(i, bytes, mu)
	}
	return devices
}

// poison is what memory holds whose contents are undefined, as in kernels/emu.
const poison = 0xCD

// peer returns a device of the same machine.
func (d *Device) peer(from gpu.Device) (*Device, error) {
	other, ok := from.(*Device)
	if !ok || other.mu != d.mu {
		return nil, sqlerr.Internal("%s is no device of the machine of %s", from.Name(), d.Name())
	}
	return other, nil
}

// Link implements gpu.Device.
func (d *Device) Link(from gpu.Device) (gpu.Link, error) {
	_, err := d.peer(from)
	return gpu.Link{Kind: "host memory", Direct: true}, err
}

// CopyPeer begins the copy as early as a device may and ends it as late as a device may: the
// stream's earlier work is run and the destination poisoned now, and the source is read when
// something requires the copy. What reads the destination or writes the source without waiting
// therefore computes with wrong bytes.
func (d *Device) CopyPeer(dst gpu.Ptr, from gpu.Device, src gpu.Ptr, bytes int64, id gpu.Stream) error {
	other, err := d.peer(from)
	if err != nil {
		return err
	}
	err = d.post(id, func() error {
		to, err := d.bytes(dst, bytes)
		for i := range to {
			to[i] = poison
		}
		return d.fail("copy from "+other.Name(), err)
	})
	if err != nil {
		return err
	}
	d.begin(id)
	return d.post(id, func() error {
		to, err := d.bytes(dst, bytes)
		if err != nil {
			return d.fail("copy from "+other.Name(), err)
		}
		if other.lost {
			return other.loss()
		}
		source, err := other.bytes(src, bytes)
		copy(to, source)
		return d.fail("copy from "+other.Name(), err)
	})
}

// begin runs the work that a stream has.
func (d *Device) begin(id gpu.Stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.streams[id]; ok {
		s.run(s.end())
	}
}

// WaitPeer implements gpu.Device.
func (d *Device) WaitPeer(id gpu.Stream, from gpu.Device, on gpu.Event) error {
	other, err := d.peer(from)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if other.lost {
		return other.loss()
	}
	return d.waitFor(id, other.events[on], on)
}
