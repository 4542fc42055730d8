//go:build cuda

package enginetest

import (
	"testing"

	"gsql/gpu"
	_ "gsql/gpu/cuda" // registers the GPUs
)

// Simulated reports whether kernels are emulated, in which case tests use small sizes.
const Simulated = false

// Devices returns the first n GPUs, or skips the test where there are fewer.
func Devices(t testing.TB, n int) []gpu.Device {
	t.Helper()
	devices, reasons := gpu.Devices()
	if len(devices) < n {
		t.Skipf("%d GPUs, the test needs %d %v", len(devices), n, reasons)
	}
	return devices[:n]
}

// Device returns the first GPU, shared by all tests of the process.
func Device(t testing.TB) gpu.Device {
	t.Helper()
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		t.Skip("no GPU: ", reasons)
	}
	return devices[0]
}
