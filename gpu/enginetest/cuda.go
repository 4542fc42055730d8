//go:build cuda

package enginetest

import (
	"testing"

	"gsql/gpu"
	_ "gsql/gpu/cuda" // registers the GPUs
)

// Simulated reports whether kernels are emulated, in which case tests use small sizes.
const Simulated = false

// Device returns the first GPU, shared by all tests of the process.
func Device(t testing.TB) gpu.Device {
	t.Helper()
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		t.Skip("no GPU: ", reasons)
	}
	return devices[0]
}
