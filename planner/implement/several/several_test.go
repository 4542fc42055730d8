package several

import (
	"math"
	"testing"

	"gsql/planner/cost"
	"gsql/planner/physical"
)

func machine(n int) []cost.Accelerator {
	devices := make([]cost.Accelerator, n)
	for i := range devices {
		devices[i] = cost.DefaultAccelerator(physical.Device("cuda:"+string(rune('0'+i))), 80<<30)
	}
	return devices
}

// TestMeasured compares prices with times measured on H100s (docs/measurements/2026-11-27.md), in milliseconds:
// how many times as fast as one device several are.
func TestMeasured(t *testing.T) {
	const m = 1 << 20
	for _, tt := range []struct {
		name         string
		build, probe float64
		devices      int
		measured     float64
	}{
		{"2^27 x 2^27", 128 * m, 128 * m, 2, 7.1 / 4.4}, {"2^27 x 2^27", 128 * m, 128 * m, 4, 7.1 / 3.6},
		{"2^24 x 2^28", 16 * m, 256 * m, 2, 6.8 / 4.3}, {"2^24 x 2^28", 16 * m, 256 * m, 4, 6.8 / 2.7},
	} {
		sets := Sets(machine(tt.devices), true)
		all := &sets[len(sets)-1]
		j := Join{On: all, Of: cost.DeviceJoin{Build: tt.build, Probe: tt.probe, Width: 4, Conds: 1, Pairs: tt.probe, Values: 1}, Exchange: true}
		one, share := sets[0].RadixJoin(&j.Of), j.Share()
		got := one / j.MS(all.RadixJoin(&share))
		if off := math.Abs(math.Log(got / tt.measured)); off > math.Log(1.2) {
			t.Errorf("%s on %d devices: %.3g times as fast, measured %.3g", tt.name, tt.devices, got, tt.measured)
		}
	}
}

// TestMeasuredCopies compares prices of joins that copy an input to two H100s with their times in milliseconds,
// which are longer by a fifth than the H200's that the rates are of.
func TestMeasuredCopies(t *testing.T) {
	const m = 1 << 20
	sets := Sets(machine(2), true)
	for _, tt := range []struct {
		name                       string
		build, probe, pairs, bytes float64
		measured                   float64
	}{
		{"2^24 x 2^27", 16 * m, 128 * m, 16 * m, 128 * m, 8.8},
		{"2^27 x 2^27", 128 * m, 128 * m, 128 * m, 1024 * m, 24.5},
	} {
		j := Join{On: &sets[1], Of: cost.DeviceJoin{Build: tt.build, Probe: tt.probe, Width: 4, Conds: 1, Pairs: tt.pairs, Values: 2}, Bytes: [2]float64{1024 * m, tt.bytes}, Copied: 1}
		share := j.Share()
		if got := 1.2 * j.MS(j.On.HashJoin(&share)); math.Abs(math.Log(got/tt.measured)) > math.Log(1.35) {
			t.Errorf("%s: %.3g ms, measured %.3g", tt.name, got, tt.measured)
		}
	}
}

// TestMeasuredSorts compares the price of a sort on two H100s with that of the CPU's sort: it took 0.69 and 0.87 times
// as long. The price is no lower than that, as a pipeline, if there is one, takes a tenth of it.
func TestMeasuredSorts(t *testing.T) {
	sets := Sets(machine(2), true)
	cpu := cost.Model{P: cost.Default(32)}
	s := Sort{On: &sets[1], Rows: 1 << 27}
	for _, cols := range []float64{1, 2, 4} {
		home := cpu.Sort(s.Rows, 2, cols, false)
		got := (cpu.SortElsewhere(s.Rows, 2, cols) + s.On.Upload(s.Sent()) + s.MS() + s.On.Download(s.Returned())) / home
		if got < 0.69 || got > 1 {
			t.Errorf("%g columns: %.2g of the CPU's price", cols, got)
		}
	}
}

// TestSets checks which sets of devices bid.
func TestSets(t *testing.T) {
	for _, tt := range []struct {
		devices int
		byPrice bool
		want    []physical.Device
	}{
		{1, true, []physical.Device{"cuda:0"}}, {1, false, []physical.Device{"cuda:0"}},
		{3, true, []physical.Device{"cuda:0", "cuda:0,1"}}, {3, false, []physical.Device{"cuda:0", "cuda:0,1,2"}},
		{8, true, []physical.Device{"cuda:0", "cuda:0,1", "cuda:0,1,2,3", "cuda:0,1,2,3,4,5,6,7"}},
	} {
		devices := machine(tt.devices)
		devices[tt.devices-1].PeerGBs, devices[tt.devices-1].FreeBytes = 25, 1<<30
		sets := Sets(devices, tt.byPrice)
		if len(sets) != len(tt.want) {
			t.Fatalf("%d devices: %d sets, want %v", tt.devices, len(sets), tt.want)
		}
		for i, s := range sets {
			if s.Device != tt.want[i] || i > 0 && s.Devices != len(s.Device.Members()) {
				t.Errorf("%d devices: set %d is %s of %d", tt.devices, i, s.Device, s.Devices)
			}
		}
		if last := sets[len(sets)-1]; last.Devices == tt.devices && (last.PeerGBs != 25 || last.FreeBytes != 1<<30) {
			t.Errorf("%d devices: %g GB/s and %g bytes, not those of the slowest and the smallest", tt.devices, last.PeerGBs, last.FreeBytes)
		}
	}
}

// TestReceived adds up what devices receive, by hand: with four devices, three quarters of what is
// exchanged comes from others, and three devices lack what the fourth has of a copied input.
func TestReceived(t *testing.T) {
	sets := Sets(machine(4), false)
	j := Join{On: &sets[1], Of: cost.DeviceJoin{Build: 100, Probe: 600, Width: 8, Conds: 1, Values: 1}, Bytes: [2]float64{600 * 16, 100 * 8}, Copied: 1}
	if got, want := j.Received(), 3.0*100*8; got != want {
		t.Errorf("copying: %g bytes, want %g", got, want)
	}
	if got, want := j.Memory(), 5.0/4*100*8+600*16/4; got != want {
		t.Errorf("copying: %g bytes on a device, want %g", got, want)
	}
	if s := j.Share(); s.Build != 100 || s.Probe != 150 {
		t.Errorf("copying: a device joins %g and %g rows", s.Build, s.Probe)
	}
	j.Exchange = true
	if got, want := j.Received(), 0.75*(100*8+600*16); got != want {
		t.Errorf("exchange: %g bytes, want %g", got, want)
	}
	if got, want := j.Memory(), (100*8+600*16)/4.0; got != want {
		t.Errorf("exchange: %g bytes on a device, want %g", got, want)
	}
	if j.Of.Probe = 800; j.Received() != 3*100*8 {
		t.Errorf("exchange with many probe rows: %g bytes, want those of the build rows, %d", j.Received(), 3*100*8)
	}
	if s := j.Share(); s.Build != 25 || s.Probe != 200 {
		t.Errorf("exchange: a device joins %g and %g rows", s.Build, s.Probe)
	}
}

// TestSortReceived adds up what devices receive and hold in a sort, by hand: three quarters of the pairs of 12
// bytes come from the other three of four devices.
func TestSortReceived(t *testing.T) {
	sets := Sets(machine(4), false)
	all, one := Sort{On: &sets[1], Rows: 1000}, Sort{On: &sets[0], Rows: 1000}
	if got, want := all.Spread().Bytes, 0.75*1000*12; got != want || !all.Spread().Exchange || one.Spread() != nil {
		t.Errorf("%g bytes, want %g", got, want)
	}
	if got, want := one.Memory(), 4*all.Memory(); got != want {
		t.Errorf("one device holds %g bytes, four %g each", got, all.Memory())
	}
	many := Sort{On: &sets[1], Rows: 1e9}
	if alone := (&Sort{On: &sets[0], Rows: 1e9}); many.MS() >= alone.MS() || all.MS() <= one.MS() {
		t.Errorf("four devices sort 10^9 rows in %g ms and 1000 in %g, one in %g and %g", many.MS(), all.MS(), alone.MS(), one.MS())
	}
}
