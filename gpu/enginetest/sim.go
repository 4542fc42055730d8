//go:build sim && !cuda

package enginetest

import (
	"testing"

	"gsql/gpu"
	"gsql/gpu/sim"
)

// Simulated reports whether kernels are emulated, in which case tests use small sizes.
const Simulated = true

// Device returns a fresh simulated device with 256 MB of memory; leaks fail the test.
func Device(t testing.TB) gpu.Device {
	t.Helper()
	return Devices(t, 1)[0]
}

// Devices returns the n devices of a fresh simulated machine, each like Device.
func Devices(t testing.TB, n int) []gpu.Device {
	t.Helper()
	devices := make([]gpu.Device, n)
	for i, d := range sim.Machine(n, 256<<20) {
		devices[i] = d
		t.Cleanup(func() {
			if d.InUse() != 0 {
				t.Errorf("%d bytes of device memory of %s leaked", d.InUse(), d.Name())
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return devices
}
