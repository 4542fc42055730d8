//go:build cuda

package enginetest

import (
	"testing"

	"gsql/gpu"
	_ "gsql/gpu/cuda" // registers the GPUs
)

// Simulated means that kernels are emulated: tests use small sizes then.
const Simulated = false

// Device returns the first GPU, which all tests of the process share.
func Device(t testing.TB) gpu.Device {
	t.Helper()
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		t.Skip("no GPU: ", reasons)
	}
	return devices[0]
}
