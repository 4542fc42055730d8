package prim

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

const scanFamily = "gsql_scan_exclusive"

// Scan32 sets out[i], of 64 bits, to the sum of in[0..i), of 32 bits unsigned, and *total
// to the sum of all n. Merrill, Garland: Single-pass Parallel Prefix Scan with Decoupled
// Look-back (NVR-2016-002).
func Scan32(t *engine.Task, in, out gpu.Ptr, n int64, total gpu.Ptr) error {
	return scan(t, "u32u64", false, in, out, n, total)
}

// Scan64 does the same for 64-bit numbers whose sum is below 2^62; out may be in.
func Scan64(t *engine.Task, in, out gpu.Ptr, n int64, total gpu.Ptr) error {
	return scan(t, "u64", true, in, out, n, total)
}

// ScanBytes returns the scratch memory of a scan of n numbers.
func ScanBytes(n int64) int64 { return padded(lookbackBytes(kernels.Tiles(scanFamily, n, true))) }

func scan(t *engine.Task, typ string, wide bool, in, out gpu.Ptr, n int64, total gpu.Ptr) error {
	if n == 0 {
		return t.Fill(total, 0, 8)
	}
	return withZeros(t, lookbackBytes(kernels.Tiles(scanFamily, n, wide)), func(state gpu.Ptr) error {
		return t.Launch(scanFamily, typ, n, wide, uint64(in), uint64(out), uint64(n), uint64(total), uint64(state))
	})
}
