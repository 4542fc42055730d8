package radix

import (
	"cmp"
	"slices"
)

// A part of a split is joined by one device, which is its owner, or by none, because one side has no
// row of it, or everywhere: its build rows go to all devices and its probe rows stay.
const (
	everywhere = -1
	nowhere    = -2
)

// broadcastRatio is how many times as many probe rows as build rows make it cheaper to copy build rows
// to all devices: within a machine 7 (TQP on NCCL, arXiv 2506.09226).
const broadcastRatio = 7

// contiguousSlack is by how much the load of the busiest device may be above what the best dealing
// reaches if every device owns neighbouring parts, which takes fewer copies.
const contiguousSlack = 1.02

// deal returns each part's owner; builds[d][p] and probes[d][p] are device d's rows of part p. A part
// that is more than half of a device's share goes everywhere, so that a frequent key keeps no device
// busy alone. The others are dealt to the least busy device, the largest first (Graham's LPT rule,
// whose longest load is at most 4/3 of the best).
func deal(builds, probes [][]int64) []int {
	devices, parts := len(builds), len(builds[0])
	build, probe := sums(builds), sums(probes)
	var total int64
	for p := range parts {
		if build[p] > 0 && probe[p] > 0 {
			total += build[p] + probe[p]
		}
	}
	owner := make([]int, parts)
	busy := make([]int64, devices)
	var dealt []int
	for p := range parts {
		switch {
		case build[p] == 0 || probe[p] == 0:
			owner[p] = nowhere
		case probe[p] > broadcastRatio*build[p], 2*(build[p]+probe[p])*int64(devices) > total:
			owner[p] = everywhere
			for d := range busy {
				busy[d] += build[p] + probes[d][p]
			}
		default:
			dealt = append(dealt, p)
		}
	}
	load := func(p int) int64 { return build[p] + probe[p] }
	near, mostNear := dealNeighbours(dealt, load, busy)
	best, most := dealLargest(dealt, load, busy)
	if float64(mostNear) <= contiguousSlack*float64(most) {
		best = near
	}
	for i, p := range dealt {
		owner[p] = best[i]
	}
	return owner
}

// sums returns the rows of each part on all devices.
func sums(rows [][]int64) []int64 {
	all := make([]int64, len(rows[0]))
	for _, of := range rows {
		for p, n := range of {
			all[p] += n
		}
	}
	return all
}

// dealNeighbours assigns a range of consecutive parts to each device; most is the largest load of one.
func dealNeighbours(parts []int, load func(p int) int64, busy []int64) (owner []int, most int64) {
	loads := slices.Clone(busy)
	var left int64
	for _, p := range parts {
		left += load(p)
	}
	for _, b := range busy {
		left += b
	}
	d := 0
	owner = make([]int, len(parts))
	for i, p := range parts {
		// The next device begins where this one would be further above its share of the rest than
		// it is below.
		if share := left / int64(len(busy)-d); d < len(busy)-1 && loads[d]+load(p)/2 > share {
			left -= loads[d]
			d++
		}
		owner[i] = d
		loads[d] += load(p)
	}
	return owner, slices.Max(loads)
}

// dealLargest assigns the parts in descending order of size, each to the device with the least load so far.
func dealLargest(parts []int, load func(p int) int64, busy []int64) (owner []int, most int64) {
	loads := slices.Clone(busy)
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(load(parts[b]), load(parts[a])) })
	owner = make([]int, len(parts))
	for _, i := range order {
		d := 0
		for other := range loads {
			if loads[other] < loads[d] {
				d = other
			}
		}
		owner[i] = d
		loads[d] += load(parts[i])
	}
	return owner, slices.Max(loads)
}
