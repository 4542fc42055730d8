package cost

import "gsql/planner/physical"

// Accelerator describes a device other than the CPU by the rates that its join kernels reach on
// values of 4 bytes, and by those of its memory. Names that end in G are rates in 10^9 per second.
// It may stand for several equal devices; the rates are then those of each.
type Accelerator struct {
	Device     physical.Device
	Devices    int     // number of devices that it represents, 0 for one
	FreeBytes  float64 // memory of a device that a query may use; 0: not limited
	CacheBytes float64 // last-level cache of the device

	JoinUS     float64 // fixed price of a join: launches, and waits for counts
	LinkGBs    float64 // bandwidth of the link to the host, in either direction
	CollectGBs float64 // rate at which the host prepares columns for the link
	PeerGBs    float64 // rate at which a device receives from another one
	GroupUS    float64 // price of each of several devices that work together: synchronisation, and copies that wait

	WindowBytes  float64 // size of the largest direct table that is processed in windows that fit the cache
	BuildDirectG float64 // rows inserted into such a table
	ProbeDirectG float64 // rows looked up in such a table

	BuildNearG float64 // rows inserted into a table that fits in the cache
	BuildFarG  float64 // rows inserted into the part of a table that does not fit
	ProbeNearG float64 // rows looked up in a table that fits in the cache
	ProbeFarG  float64 // rows looked up in the part of a table that does not fit
	PartitionG float64 // rows partitioned until a partition's table fits shared memory
	MatchG     float64 // rows matched partition by partition
	SortG      float64 // rows sorted
	MergeG     float64 // rows merged
	PairsG     float64 // pairs compared by a nested loop, per condition
	GatherG    float64 // values fetched from random positions

	MemoryGBs float64 // bandwidth of its memory
	LaunchUS  float64 // launching a kernel behind others
	WaitUS    float64 // waiting for the work that is queued
	CompileMS float64 // compiling a kernel of a pipeline
}

// Rates of H100s on NVLink (docs/measurements/2026-11-27.md), which profiles without any have too.
const (
	DefaultPeerGBs = 400
	DefaultGroupUS = 250
)

// DefaultAccelerator returns the rates measured on an NVIDIA H200 over PCIe 5, for a device with
// the given name and bytes of free memory.
func DefaultAccelerator(device physical.Device, freeBytes float64) Accelerator {
	return Accelerator{
		Device: device, FreeBytes: freeBytes, CacheBytes: 60 << 20,
		JoinUS: 100, LinkGBs: 50, CollectGBs: 10, PeerGBs: DefaultPeerGBs, GroupUS: DefaultGroupUS,
		WindowBytes: 144 << 20, BuildDirectG: 46, ProbeDirectG: 85,
		BuildNearG: 28, BuildFarG: 12, ProbeNearG: 65, ProbeFarG: 38,
		PartitionG: 75, MatchG: 157, SortG: 33, MergeG: 150, PairsG: 9200, GatherG: 37,
		MemoryGBs: 4000, LaunchUS: 4, WaitUS: 10, CompileMS: 15,
	}
}

// SimulatedAccelerator returns the order of magnitude of the rates at which a few CPU cores
// execute the same kernels.
func SimulatedAccelerator(device physical.Device, freeBytes float64) Accelerator {
	return Accelerator{
		Device: device, FreeBytes: freeBytes, CacheBytes: 1 << 20,
		JoinUS: 2000, LinkGBs: 5, CollectGBs: 2, PeerGBs: 5, GroupUS: 200,
		WindowBytes: 6 << 20, BuildDirectG: 0.005, ProbeDirectG: 0.005,
		BuildNearG: 0.005, BuildFarG: 0.005, ProbeNearG: 0.005, ProbeFarG: 0.005,
		PartitionG: 0.002, MatchG: 0.002, SortG: 0.001, MergeG: 0.005, PairsG: 0.02, GatherG: 0.02,
		MemoryGBs: 0.02, LaunchUS: 100, WaitUS: 100, CompileMS: 1,
	}
}

// Factors by which work on values of 8 bytes takes longer than on values of 4 bytes, measured on
// the same device.
const (
	wideHash      = 1.3
	widePartition = 1.4
	wideMatch     = 1.6
	wideSort      = 2.7
	wideMerge     = 1.6
	widePairs     = 2
	wideGather    = 1.1
)

// DeviceJoin holds the inputs of the prices of joins on a device.
type DeviceJoin struct {
	Build, Probe float64 // rows of the build side and of the other side
	Width        float64 // bytes of a row's driving values, over all conditions
	Conds        float64 // driving conditions
	Span         float64 // as in JoinInput
	BuildSorted  bool
	ProbeSorted  bool
	Pairs        float64 // row pairs found
	Values       float64 // aggregated columns; 0 if row pairs are the output
}

// ms returns the time of n items at a rate, multiplied by factor if they are wide.
func (j *DeviceJoin) ms(n, rateG, factor float64) float64 {
	if j.Width <= 4*j.Conds {
		factor = 1
	}
	return n / rateG * factor / nsPerMS
}

func (a *Accelerator) fixed() float64 { return a.JoinUS / 1e3 }

// HashJoin prices building one table over the build side and probing it, once for each aggregated column.
func (a *Accelerator) HashJoin(j *DeviceJoin) float64 {
	bytes, probes := j.hashBytes(), j.Probe*max(j.Values, 1)
	if j.direct() {
		if bytes = 4 * j.Span; bytes <= a.WindowBytes {
			return a.fixed() + j.ms(j.Build, a.BuildDirectG, wideHash) + j.ms(probes, a.ProbeDirectG, wideHash) + a.aggregated(j, j.Pairs)
		}
	}
	near := min(1, a.CacheBytes/max(bytes, 1))
	build := j.ms(j.Build, a.BuildNearG, wideHash)*near + j.ms(j.Build, a.BuildFarG, wideHash)*(1-near)
	probe := j.ms(probes, a.ProbeNearG, wideHash)*near + j.ms(probes, a.ProbeFarG, wideHash)*(1-near)
	return a.fixed() + build + probe + a.aggregated(j, j.Pairs)
}

// RadixJoin prices partitioning both sides and joining partition by partition. With aggregated
// columns, all of that is done once for each, and its side's rows carry the column's values.
func (a *Accelerator) RadixJoin(j *DeviceJoin) float64 {
	rows := (j.Build + j.Probe) * max(j.Values, 1)
	return 2*a.fixed() + j.ms(rows, a.PartitionG, widePartition) + j.ms(rows, a.MatchG, wideMatch)
}

// MergeJoin prices sorting the sides that are not sorted, and merging. It also prices a range
// join with one predicate, whose partners are runs of the sorted build side.
func (a *Accelerator) MergeJoin(j *DeviceJoin) float64 {
	sort := 0.0
	if !j.BuildSorted {
		sort += j.ms(j.Build, a.SortG, wideSort)
	}
	if !j.ProbeSorted {
		sort += j.ms(j.Probe, a.SortG, wideSort)
	}
	rows := j.Build + j.Probe
	return 2*a.fixed() + sort + j.ms(rows, a.MergeG, wideMerge) + a.aggregated(j, rows)
}

// SortPairs prices sorting rows by keys of 8 bytes.
func (a *Accelerator) SortPairs(rows float64) float64 {
	return 2*a.fixed() + rows/a.SortG*wideSort/nsPerMS
}

// SplitPairs prices dividing rows into ranges by keys of 8 bytes.
func (a *Accelerator) SplitPairs(rows float64) float64 {
	return rows / a.PartitionG * widePartition / nsPerMS
}

// NestedLoop prices comparing all pairs.
func (a *Accelerator) NestedLoop(j *DeviceJoin) float64 {
	return a.fixed() + j.ms(j.Build*j.Probe*max(j.Conds, 1), a.PairsG, widePairs) + a.aggregated(j, j.Build+j.Probe)
}

// aggregated prices fetching the aggregated values of the given number of rows or row pairs.
func (a *Accelerator) aggregated(j *DeviceJoin, rows float64) float64 {
	return j.ms(rows*j.Values, a.GatherG, wideGather)
}

// Upload prices preparing bytes of columns and moving them to the device. Several devices receive shares of
// them at the same time, each over its own link.
func (a *Accelerator) Upload(bytes float64) float64 {
	return (bytes/a.CollectGBs + bytes/a.LinkGBs/float64(max(a.Devices, 1))) / nsPerMS
}

// Download prices moving bytes to the host.
func (a *Accelerator) Download(bytes float64) float64 { return bytes / a.LinkGBs / nsPerMS }

// Fits reports whether a join may hold the given bytes on the device.
func (a *Accelerator) Fits(bytes float64) bool { return a.FreeBytes <= 0 || bytes <= a.FreeBytes }

// direct reports whether the build key addresses a table directly.
func (j *DeviceJoin) direct() bool {
	return j.Conds == 1 && j.Span > 0 && j.Span <= directSlots*j.Build
}

// hashBytes returns the size of a half-full hash table whose entries are a key and a row number.
func (j *DeviceJoin) hashBytes() float64 { return 2 * j.Build * (min(j.Width, 8) + 4) }

// HashBytes estimates the device memory of a hash join including its inputs.
func (j *DeviceJoin) HashBytes() float64 {
	if j.direct() {
		return j.InputBytes() + 4*j.Span
	}
	return j.InputBytes() + j.hashBytes()
}

// SortBytes estimates the device memory of an algorithm that rearranges both inputs: the inputs,
// and two copies of their keys with row numbers.
func (j *DeviceJoin) SortBytes() float64 {
	return j.InputBytes() + 2*(j.Build+j.Probe)*(min(j.Width, 8)+4)
}

// InputBytes estimates the device memory of the driving columns.
func (j *DeviceJoin) InputBytes() float64 { return (j.Build + j.Probe) * j.Width }
