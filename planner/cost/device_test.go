package cost

import (
	"math"
	"testing"
)

// TestMeasuredJoins checks prices against times measured on an H200, in milliseconds, on
// 4-byte and 8-byte keys.
func TestMeasuredJoins(t *testing.T) {
	const m = 1 << 20
	dev := DefaultAccelerator("cuda:0", 0)
	for _, tt := range []struct {
		name     string
		got      float64
		measured float64
	}{
		{"radix, 4 bytes", dev.RadixJoin(&DeviceJoin{Build: 128 * m, Probe: 128 * m, Width: 4, Conds: 1}), 5.32},
		{"radix, 8 bytes", dev.RadixJoin(&DeviceJoin{Build: 64 * m, Probe: 64 * m, Width: 8, Conds: 1}), 3.85},
		{"radix, a small build side", dev.RadixJoin(&DeviceJoin{Build: 16 * m, Probe: 256 * m, Width: 4, Conds: 1}), 5.53},
		{"radix, SUM", dev.RadixJoin(&DeviceJoin{Build: 128 * m, Probe: 128 * m, Width: 4, Conds: 1, Pairs: 128 * m, Values: 1}), 6.1},
		{"hash, sparse keys", dev.HashJoin(&DeviceJoin{Build: 16 * m, Probe: 256 * m, Width: 4, Conds: 1}), 8.1},
		{"hash, dense keys", dev.HashJoin(&DeviceJoin{Build: 16 * m, Probe: 256 * m, Width: 4, Conds: 1, Span: 16 * m}), 3.7},
		{"theta count", dev.NestedLoop(&DeviceJoin{Build: 450_000, Probe: 500_000, Width: 4, Conds: 1}), 24.5},
		{"sort-merge", dev.MergeJoin(&DeviceJoin{Build: 128 * m, Probe: 128 * m, Width: 4, Conds: 1}), 10.65},
		{"merge of sorted inputs", dev.MergeJoin(&DeviceJoin{Build: 128 * m, Probe: 128 * m, Width: 4, Conds: 1, BuildSorted: true, ProbeSorted: true}), 1.8},
		{"download of 256 MiB", dev.Download(256 * m), 5.05},
	} {
		if off := math.Abs(math.Log(tt.got / tt.measured)); off > math.Log(1.2) {
			t.Errorf("%s: %.3g ms, measured %.3g", tt.name, tt.got, tt.measured)
		}
	}
}

// TestDevicePricesGrow checks that a larger input never costs less.
func TestDevicePricesGrow(t *testing.T) {
	dev := DefaultAccelerator("cuda:0", 0)
	prices := map[string]func(*DeviceJoin) float64{"hash": dev.HashJoin, "radix": dev.RadixJoin, "merge": dev.MergeJoin, "loop": dev.NestedLoop}
	grow := map[string]func(*DeviceJoin){
		"build":  func(j *DeviceJoin) { j.Build *= 3 },
		"probe":  func(j *DeviceJoin) { j.Probe *= 3 },
		"width":  func(j *DeviceJoin) { j.Width *= 2 },
		"values": func(j *DeviceJoin) { j.Values++ },
		"pairs":  func(j *DeviceJoin) { j.Pairs *= 10 },
	}
	for algo, price := range prices {
		for what, more := range grow {
			for _, rows := range []float64{0, 1, 1e3, 1e6, 1e9} {
				a := DeviceJoin{Build: rows, Probe: 2 * rows, Width: 4, Conds: 1, Pairs: rows, Values: 1}
				b := a
				more(&b)
				if price(&b) < price(&a) {
					t.Errorf("%s of %g rows: more %s costs %g instead of %g ms", algo, rows, what, price(&b), price(&a))
				}
			}
		}
	}
}

func TestDeviceFits(t *testing.T) {
	dev := DefaultAccelerator("cuda:0", 100)
	if !dev.Fits(100) || dev.Fits(101) {
		t.Error("100 bytes hold 100 bytes and no more")
	}
	if dev.FreeBytes = 0; !dev.Fits(1e15) {
		t.Error("without a limit everything fits")
	}
}
