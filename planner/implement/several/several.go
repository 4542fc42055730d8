// Package several prices aggregates over joins on several devices of a machine. Each device has a
// share of the rows of both inputs. Either the devices exchange rows by the hashes of their keys, or one
// input is copied to all of them. The results of the devices, a few values of each, are combined on the
// host.
package several

import (
	"slices"

	"gsql/planner/cost"
	"gsql/planner/physical"
)

// counts are the numbers of devices that bid for a join.
var counts = []int{2, 4, 8}

// Sets returns what may run a join: the first of the devices, and sets of several of them, which take
// only aggregates. By price these are the first two, four and eight devices, otherwise all.
func Sets(devices []cost.Accelerator, byPrice bool) []cost.Accelerator {
	sets := slices.Clone(devices[:1])
	if !byPrice {
		if len(devices) > 1 {
			sets = append(sets, together(devices))
		}
		return sets
	}
	for _, n := range counts {
		if n <= len(devices) {
			sets = append(sets, together(devices[:n]))
		}
	}
	return sets
}

// together returns devices as one: with the rates of the first, the least memory and the slowest link
// between them.
func together(devices []cost.Accelerator) cost.Accelerator {
	all := devices[0]
	names := []physical.Device{all.Device}
	for _, d := range devices[1:] {
		names = append(names, d.Device)
		all.PeerGBs = min(all.PeerGBs, d.PeerGBs)
		if all.FreeBytes == 0 || d.FreeBytes > 0 && d.FreeBytes < all.FreeBytes {
			all.FreeBytes = d.FreeBytes
		}
	}
	all.Device, all.Devices = physical.DeviceSet(names), len(devices)
	return all
}

// Join is a join below an aggregate on several devices.
type Join struct {
	On *cost.Accelerator // stands for all devices
	Of cost.DeviceJoin   // with all rows
	// Bytes is what the left and the right input take in the devices' memory.
	Bytes [2]float64
	// Exchange is set if both inputs are exchanged; otherwise the input Copied is copied to all devices,
	// which is the build side or, if Probes is set, the other one.
	Exchange bool
	Copied   int
	Probes   bool
}

// Spread returns the plan's description of the join.
func (j *Join) Spread() *physical.Spread {
	return &physical.Spread{Exchange: j.Exchange, Copied: j.Copied, Bytes: j.Received()}
}

// Received returns the bytes that the devices receive from each other.
func (j *Join) Received() float64 {
	n := float64(j.On.Devices)
	if !j.Exchange {
		return j.Bytes[j.Copied] * (n - 1)
	}
	build, probe := j.Of.Build*j.Of.Width, j.Of.Probe*j.Of.Width
	if j.Of.Values > 0 {
		probe += j.Of.Probe * min(j.Of.Width, 8) // the aggregated column
	}
	passes := max(j.Of.Values, 1)
	if j.Of.Probe > broadcastRatio*j.Of.Build { // probe rows stay, and build rows go to all devices
		return passes * build * (n - 1)
	}
	return passes * (build + probe) * (n - 1) / n
}

// broadcastRatio is the ratio of probe rows to build rows above which devices copy the build rows
// instead of exchanging both inputs (gpu/join/radix, deal).
const broadcastRatio = 7

// Share returns the join of one device, if all have equal shares.
func (j *Join) Share() cost.DeviceJoin {
	n, s := float64(j.On.Devices), j.Of
	s.Pairs /= n
	if j.Exchange || j.Probes {
		s.Build /= n
	}
	if j.Exchange || !j.Probes {
		s.Probe /= n
	}
	return s
}

// MS returns the price of the join if a single device takes ms milliseconds for its share. About half of the time of an
// exchange passes while devices split and join other rows.
func (j *Join) MS(alone float64) float64 {
	n := float64(j.On.Devices)
	const bytesPerMS = 1e6 // of 1 GB/s
	copies := j.Received() / n / j.On.PeerGBs / bytesPerMS
	if j.Exchange {
		copies /= 2
	}
	return alone + copies + n*j.On.GroupUS/1e3
}

// Memory returns the bytes of inputs that a device holds.
func (j *Join) Memory() float64 {
	n := float64(j.On.Devices)
	if j.Exchange {
		return (j.Bytes[0] + j.Bytes[1]) / n
	}
	return j.Bytes[j.Copied]*(n+1)/n + j.Bytes[1-j.Copied]/n // what is copied is there in shares as well
}

// Pieces cuts the join matrix if the inputs do not fit: pieces have so many rows of all devices.
func (j *Join) Pieces(left, right float64) (p cost.MatrixPieces, ok bool) {
	n := float64(j.On.Devices)
	rows, bytes := [2]float64{left, right}, j.Bytes
	rows[1-j.Copied] /= n
	bytes[1-j.Copied] /= n
	p, ok = j.On.Pieces(rows[0], rows[1], bytes[0], bytes[1])
	if j.Copied == 0 {
		p.Right *= n
	} else {
		p.Left *= n
	}
	return p, ok
}
