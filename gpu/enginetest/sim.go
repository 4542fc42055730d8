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
	d := sim.New(256 << 20)
	t.Cleanup(func() {
		if d.InUse() != 0 {
			t.Errorf("%d bytes of device memory leaked", d.InUse())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
