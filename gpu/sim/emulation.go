//go:build sim

package sim

// #cgo CXXFLAGS: -std=c++20 -O2 -Wall -Wno-unknown-pragmas
// #include <stdlib.h>
// #include "emulation.h"
import "C"

import (
	"sync"
	"unsafe"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// emulator admits one thread at a time to the emulation, whose state is global.
var emulator sync.Mutex

// emulate runs a kernel to its end.
func emulate(name string, how gpu.Launch, args []uint64) error {
	grid, block := extents(how.Grid), extents(how.Block)
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	emulator.Lock()
	defer emulator.Unlock()
	status := C.gsql_sim_launch(cname, (*C.uint32_t)(&grid[0]), (*C.uint32_t)(&block[0]), C.size_t(how.Shared),
		(*C.uint64_t)(unsafe.SliceData(args)), C.size_t(len(args)))
	switch status {
	case C.GSQL_SIM_NO_KERNEL:
		return sqlerr.Internal("no kernel %s", name)
	case C.GSQL_SIM_PARAMETERS:
		return sqlerr.Internal("kernel %s does not take %d parameters", name, len(args))
	}
	return nil
}

// extents returns the three extents, at least 1 each.
func extents(d gpu.Dim) [3]uint32 { return [3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// emulatedAlloc returns device memory, or 0 if the host has none.
func emulatedAlloc(bytes int64) gpu.Ptr {
	emulator.Lock()
	defer emulator.Unlock()
	return gpu.Ptr(uintptr(C.gsql_sim_alloc(C.size_t(bytes))))
}

func emulatedFree(p gpu.Ptr) {
	emulator.Lock()
	defer emulator.Unlock()
	C.gsql_sim_free(unsafe.Pointer(bytesAt(p, 1)))
}

// sharedPerBlock is the shared memory that a block may use.
func sharedPerBlock() int { return int(C.gsql_sim_shared()) }

// bytesAt returns the host's view of device memory, which is on the C heap.
func bytesAt(p gpu.Ptr, n int64) *byte {
	return unsafe.SliceData(unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n))
}

// view returns device memory as a slice.
func view(p gpu.Ptr, n int64) []byte { return unsafe.Slice(bytesAt(p, n), n) }
