//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// peer returns another NVIDIA GPU, started.
func (d *device) peer(from gpu.Device) (*device, *state, error) {
	other, ok := from.(*device)
	if !ok {
		return nil, nil, sqlerr.Internal("%s is no device of the machine of %s", from.Name(), d.name)
	}
	s, err := other.started()
	return other, s, err
}

// Link reports NVLink if atomic operations of one device work in the memory of the other, which they
// do not across PCIe.
func (d *device) Link(from gpu.Device) (gpu.Link, error) {
	other, theirs, err := d.peer(from)
	if err != nil {
		return gpu.Link{}, err
	}
	if other == d {
		return gpu.Link{Kind: "device memory", Direct: true}, nil
	}
	link := gpu.Link{Kind: "PCIe"}
	err = d.do("link to "+other.name, func(s *state) error {
		attribute := func(which C.CUdevice_P2PAttribute) (int, error) {
			var value C.int
			err := check(C.cuDeviceGetP2PAttribute(&value, which, C.CUdevice(s.device), C.CUdevice(theirs.device)))
			return int(value), err
		}
		access, err := attribute(C.CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)
		if err != nil {
			return err
		}
		atomics, err := attribute(C.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
		if err != nil {
			return err
		}
		if link.Direct = access != 0; atomics != 0 {
			link.Kind = "NVLink"
		}
		link.Rank, err = attribute(C.CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)
		return err
	})
	return link, err
}

// access lets this device access the memory of another one, where the machine supports it. Copies
// work without it, through host memory.
func (d *device) access(mine *state, other *device, theirs *state) error {
	mine.mu.Lock()
	tried := mine.peers[other.ordinal]
	mine.peers[other.ordinal] = true
	mine.mu.Unlock()
	if tried || other == d {
		return nil
	}
	link, err := d.Link(other)
	if err != nil || !link.Direct {
		return err
	}
	return d.fail("access to "+other.name, mine.within(func() error {
		return enablePeer(mine.context, theirs.context)
	}))
}

func (d *device) CopyPeer(dst gpu.Ptr, from gpu.Device, src gpu.Ptr, bytes int64, s gpu.Stream) error {
	other, theirs, err := d.peer(from)
	if err != nil || bytes == 0 {
		return err
	}
	mine, err := d.started()
	if err != nil {
		return err
	}
	if err := d.access(mine, other, theirs); err != nil {
		return err
	}
	return d.post("copy from "+other.name, s, func(on cu.Stream) error {
		return copyPeer(mine.context, dst, theirs.context, src, bytes, on)
	})
}

func (d *device) WaitPeer(on gpu.Stream, from gpu.Device, id gpu.Event) error {
	_, theirs, err := d.peer(from)
	if err != nil {
		return err
	}
	theirs.mu.Lock()
	e, err := theirs.event(id)
	theirs.mu.Unlock()
	if err != nil {
		return d.fail("wait", err)
	}
	return d.do("wait", func(s *state) error { return s.wait(d, on, e) })
}
