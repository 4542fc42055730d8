package several

import (
	"math"
	"math/bits"

	"gsql/planner/cost"
	"gsql/planner/physical"
)

// Divided is an aggregate over an equality join whose inputs do not fit the memory of one or several devices. The
// host divides them into partitions by the hashes of their keys (gpu/operators/partitioned). Devices join one
// partition after another, while the next one crosses the link.
type Divided struct {
	On    *cost.Accelerator
	CPU   *cost.Model
	Of    cost.DeviceJoin // with all rows
	Bytes float64         // of both inputs on devices
}

const (
	// dividedShare is the share of a device's memory for a partition. Another one is sent meanwhile, and the join
	// takes up to two and a half times as much.
	dividedShare = 0.2
	// leastDivided is the memory with which a device can join partitions at all.
	leastDivided = 256 << 10
	// mostBits is gpu/operators/partitioned.MostBits.
	mostBits = 10
	// partitionsEach is the least number of partitions for each device: the first one is not sent while another one
	// is joined, and the last ones decide the balance.
	partitionsEach = 8
	// collects is by how much the host divides rows faster than it prepares columns for the link: it does not
	// measure them, and writes them once.
	collects = 2
)

func (d *Divided) devices() float64 { return float64(max(d.On.Devices, 1)) }

// Bits returns the hash bits by which the host divides the inputs. ok is false if partitions would not fit.
func (d *Divided) Bits() (n uint, ok bool) {
	parts := math.Ceil(max(d.Bytes/(dividedShare*max(d.On.FreeBytes, 1)), partitionsEach*d.devices()))
	if d.On.FreeBytes < leastDivided || parts > 1<<mostBits {
		return 0, false
	}
	return uint(bits.Len64(uint64(parts) - 1)), true
}

// Spread returns the plan's description of the join.
func (d *Divided) Spread(bits uint) *physical.Spread { return &physical.Spread{Bits: bits} }

// MS returns the price of dividing and sending the inputs, of which nothing stays on the devices, and of joining
// them.
func (d *Divided) MS(bits uint) float64 {
	const bytesPerMS = 1e6 // of 1 GB/s
	n, partitions := d.devices(), float64(int64(1)<<bits)
	divide := max(cost.Partition(d.CPU, d.Of.Build+d.Of.Probe), d.Bytes/d.On.CollectGBs/collects/bytesPerMS)
	one := d.Of
	one.Build, one.Probe, one.Pairs = one.Build/partitions, one.Probe/partitions, one.Pairs/partitions
	join, link := d.On.RadixJoin(&one), d.Bytes/partitions/d.On.LinkGBs/bytesPerMS
	ms := divide + max(join, link)*partitions/n + min(join, link)
	if n > 1 {
		ms += n * d.On.GroupUS / 1e3
	}
	return ms
}
