//go:build sim

package sim

import (
	"gsql/gpu"
	"gsql/gpu/sim/ptx"
	"gsql/kernels"
	"gsql/sql/sqlerr"
)

// LoadModule reads the PTX of modules that are written at run time. The embedded kernels are compiled
// in.
func (d *Device) LoadModule(m gpu.Module) error {
	if _, err := kernels.PTX(m.Name); err == nil {
		return nil
	}
	text, err := ptx.Parse(m.PTX)
	if err != nil {
		return d.fail("load of "+m.Name, sqlerr.Internal("%v", err))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, entry := range text.Entries() {
		d.written[entry] = text
	}
	return nil
}

// execute runs a kernel of a module that was written at run time. The caller holds the mutex.
func (d *Device) execute(m *ptx.Module, kernel string, how gpu.Launch, args []uint64) error {
	b, g := extents(how.Block), extents(how.Grid)
	if max(b[1], b[2], g[1], g[2]) > 1 {
		return sqlerr.Internal("a grid of %v blocks of %v threads, where PTX is executed in one dimension", g, b)
	}
	err := m.Run(kernel, ptx.Launch{Blocks: int(g[0]), Threads: int(b[0]), Shared: how.Shared}, args, allocations{d})
	if err != nil {
		return sqlerr.Internal("%v", err)
	}
	return nil
}

// allocations implements ptx.Memory.
type allocations struct{ d *Device }

// Find implements ptx.Memory.
func (a allocations) Find(p uint64) ([]byte, uint64) {
	for base, size := range a.d.blocks {
		if at := uint64(base); p >= at && p-at < uint64(size) {
			return view(base, size), at
		}
	}
	return nil, 0
}
