package several

import (
	"testing"

	"gsql/planner/cost"
)

// divided returns the join of rows x rows of 8-byte keys and values on n devices that have the inputs' bytes
// together, divided by size.
func divided(n int, rows, size float64) *Divided {
	sets := Sets(machine(n), true)
	on := sets[len(sets)-1]
	d := &Divided{On: &on, CPU: &cost.Model{P: cost.Default(32)}, Bytes: 32 * rows}
	d.Of = cost.DeviceJoin{Build: rows, Probe: rows, Width: 8, Conds: 1, Pairs: rows, Values: 2}
	on.FreeBytes = d.Bytes / size / float64(n)
	return d
}

// TestPartitionsFit: two partitions and the join of one fit a device, there are several for each device, and no
// more than can be made. At the edge of the memory, the price does not jump.
func TestPartitionsFit(t *testing.T) {
	const rows = 1 << 26
	for _, n := range []int{1, 2, 4} {
		last := 0.0
		for _, size := range []float64{0.5, 0.9, 1.1, 2, 4, 32} {
			d := divided(n, rows, size)
			bits, ok := d.Bits()
			each := d.Bytes / float64(int64(1)<<bits)
			if !ok || each > d.On.FreeBytes/5 || 1<<bits < 8*n || each < d.On.FreeBytes/10 && 1<<bits > 16*n {
				t.Errorf("%d devices, size %g: %d bits, partitions of %.3g bytes on devices of %.3g", n, size, bits, each, d.On.FreeBytes)
			}
			ms := d.MS(bits)
			if last > 0 && ms > 2*last {
				t.Errorf("%d devices, size %g: %.3g ms after %.3g", n, size, ms, last)
			}
			last = ms
		}
	}
	for _, free := range []float64{leastDivided - 1, 32 * rows / 1024 * 4} {
		d := divided(1, rows, 1)
		if d.On.FreeBytes = free; free < leastDivided {
			d.Bytes = free
		}
		if bits, ok := d.Bits(); ok {
			t.Errorf("%g bytes on a device of %g: %d bits", d.Bytes, free, bits)
		}
	}
}
