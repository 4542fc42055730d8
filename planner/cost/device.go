package cost

import "gsql/planner/physical"

// Accelerator describes a device other than the CPU by what its join kernels reach on values
// of 4 bytes. Names that end in G are rates in 10^9 a second.
type Accelerator struct {
	Device     physical.Device
	FreeBytes  float64 // device memory a query may use; 0: not limited
	CacheBytes float64 // last-level cache of the device

	JoinUS     float64 // fixed price of a join: launches, and waits for counts
	LinkGBs    float64 // bandwidth of the link to the host, either way
	CollectGBs float64 // rate at which the host makes columns ready for the link

	WindowBytes  float64 // of the largest direct table that is gone through in windows which the cache holds
	BuildDirectG float64 // rows put into such a table
	ProbeDirectG float64 // rows looked up in such a table

	BuildNearG float64 // rows put into a table that fits in the cache
	BuildFarG  float64 // rows put into the part of a table that does not
	ProbeNearG float64 // rows looked up in a table that fits in the cache
	ProbeFarG  float64 // rows looked up in the part of a table that does not
	PartitionG float64 // rows partitioned until a partition's table fits shared memory
	MatchG     float64 // rows matched partition by partition
	SortG      float64 // rows sorted
	MergeG     float64 // rows merged
	PairsG     float64 // pairs compared by a nested loop, a condition each
	GatherG    float64 // values fetched at random places
}

// DefaultAccelerator returns the rates measured on an NVIDIA H200 over PCIe 5, for a device
// of the given name with as many bytes of free memory.
func DefaultAccelerator(device physical.Device, freeBytes float64) Accelerator {
	return Accelerator{
		Device: device, FreeBytes: freeBytes, CacheBytes: 60 << 20,
		JoinUS: 100, LinkGBs: 50, CollectGBs: 10,
		WindowBytes: 144 << 20, BuildDirectG: 46, ProbeDirectG: 85,
		BuildNearG: 28, BuildFarG: 12, ProbeNearG: 65, ProbeFarG: 38,
		PartitionG: 75, MatchG: 157, SortG: 33, MergeG: 150, PairsG: 9200, GatherG: 37,
	}
}

// SimulatedAccelerator returns the order of magnitude of the rates at which a few CPU cores
// execute the same kernels.
func SimulatedAccelerator(device physical.Device, freeBytes float64) Accelerator {
	return Accelerator{
		Device: device, FreeBytes: freeBytes, CacheBytes: 1 << 20,
		JoinUS: 2000, LinkGBs: 5, CollectGBs: 2,
		WindowBytes: 6 << 20, BuildDirectG: 0.005, ProbeDirectG: 0.005,
		BuildNearG: 0.005, BuildFarG: 0.005, ProbeNearG: 0.005, ProbeFarG: 0.005,
		PartitionG: 0.002, MatchG: 0.002, SortG: 0.001, MergeG: 0.005, PairsG: 0.02, GatherG: 0.02,
	}
}

// How many times as long work takes on values of 8 bytes as on those of 4, measured on the
// same device.
const (
	wideHash      = 1.3
	widePartition = 1.4
	wideMatch     = 1.6
	wideSort      = 2.7
	wideMerge     = 1.6
	widePairs     = 2
	wideGather    = 1.1
)

// DeviceJoin is what prices of joins on a device depend on.
type DeviceJoin struct {
	Build, Probe float64 // rows of the side that is built, and of the other
	Width        float64 // bytes of the driving values of a row, those of all conditions
	Conds        float64 // driving conditions
	Span         float64 // as in JoinInput
	BuildSorted  bool
	ProbeSorted  bool
	Pairs        float64 // row pairs found
	Values       float64 // aggregated columns; 0 where row pairs are the output
}

// ms returns the time that n items take at a rate, factor times as long where they are wide.
func (j *DeviceJoin) ms(n, rateG, factor float64) float64 {
	if j.Width <= 4*j.Conds {
		factor = 1
	}
	return n / rateG * factor / nsPerMS
}

func (a *Accelerator) fixed() float64 { return a.JoinUS / 1e3 }

// HashJoin prices one table over the build side and probing it.
func (a *Accelerator) HashJoin(j *DeviceJoin) float64 {
	bytes := j.hashBytes()
	if j.direct() {
		if bytes = 4 * j.Span; bytes <= a.WindowBytes {
			return a.fixed() + j.ms(j.Build, a.BuildDirectG, wideHash) + j.ms(j.Probe, a.ProbeDirectG, wideHash) + a.aggregated(j, j.Pairs)
		}
	}
	near := min(1, a.CacheBytes/max(bytes, 1))
	build := j.ms(j.Build, a.BuildNearG, wideHash)*near + j.ms(j.Build, a.BuildFarG, wideHash)*(1-near)
	probe := j.ms(j.Probe, a.ProbeNearG, wideHash)*near + j.ms(j.Probe, a.ProbeFarG, wideHash)*(1-near)
	return a.fixed() + build + probe + a.aggregated(j, j.Pairs)
}

// RadixJoin prices partitioning both sides and joining partition by partition; with aggregated
// columns all that once for each, whose values its side's rows carry.
func (a *Accelerator) RadixJoin(j *DeviceJoin) float64 {
	rows := (j.Build + j.Probe) * max(j.Values, 1)
	return 2*a.fixed() + j.ms(rows, a.PartitionG, widePartition) + j.ms(rows, a.MatchG, wideMatch)
}

// MergeJoin prices sorting what is not sorted, and merging: also a range join with one
// predicate, whose partners are runs of the sorted build side.
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

// NestedLoop prices comparing all pairs.
func (a *Accelerator) NestedLoop(j *DeviceJoin) float64 {
	return a.fixed() + j.ms(j.Build*j.Probe*max(j.Conds, 1), a.PairsG, widePairs) + a.aggregated(j, j.Build+j.Probe)
}

// aggregated prices fetching the aggregated values of so many rows or row pairs.
func (a *Accelerator) aggregated(j *DeviceJoin, rows float64) float64 {
	return j.ms(rows*j.Values, a.GatherG, wideGather)
}

// Upload prices making bytes of columns ready and moving them to the device.
func (a *Accelerator) Upload(bytes float64) float64 {
	return (bytes/a.CollectGBs + bytes/a.LinkGBs) / nsPerMS
}

// Download prices moving bytes to the host.
func (a *Accelerator) Download(bytes float64) float64 { return bytes / a.LinkGBs / nsPerMS }

// Fits reports whether a join may hold bytes on the device.
func (a *Accelerator) Fits(bytes float64) bool { return a.FreeBytes <= 0 || bytes <= a.FreeBytes }

// direct reports whether the build key addresses a table.
func (j *DeviceJoin) direct() bool {
	return j.Conds == 1 && j.Span > 0 && j.Span <= directSlots*j.Build
}

// hashBytes is the size of a hash table of which half is used: a key and a row number an
// entry.
func (j *DeviceJoin) hashBytes() float64 { return 2 * j.Build * (min(j.Width, 8) + 4) }

// HashBytes estimates the device memory of a hash join with its inputs.
func (j *DeviceJoin) HashBytes() float64 {
	if j.direct() {
		return j.InputBytes() + 4*j.Span
	}
	return j.InputBytes() + j.hashBytes()
}

// SortBytes estimates the device memory of an algorithm that rearranges both inputs: two
// copies of keys with row numbers.
func (j *DeviceJoin) SortBytes() float64 {
	return j.InputBytes() + 2*(j.Build+j.Probe)*(min(j.Width, 8)+4)
}

// InputBytes estimates the device memory of the driving columns.
func (j *DeviceJoin) InputBytes() float64 { return (j.Build + j.Probe) * j.Width }
