package radix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// loadsOf returns the rows that each device joins.
func loadsOf(owner []int, builds, probes [][]int64) []int64 {
	loads := make([]int64, len(builds))
	build, probe := sums(builds), sums(probes)
	for p, o := range owner {
		switch {
		case o >= 0:
			loads[o] += build[p] + probe[p]
		case o == everywhere:
			for d := range loads {
				loads[d] += build[p] + probes[d][p]
			}
		}
	}
	return loads
}

// TestDeal: parts without partners have no owner, and no device has much more than its share.
func TestDeal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, devices := range []int{1, 2, 4, 8} {
		for _, exponent := range []float64{0, 1.01, 1.5} {
			builds, probes := make([][]int64, devices), make([][]int64, devices)
			weight := func() int { return r.IntN(256) }
			if exponent > 0 {
				z := rand.NewZipf(r, exponent, 1, 255)
				weight = func() int { return int(z.Uint64()) }
			}
			for d := range builds {
				builds[d], probes[d] = make([]int64, 256), make([]int64, 256)
				for range 100_000 {
					builds[d][r.IntN(250)]++
					probes[d][weight()]++
				}
			}
			owner := deal(builds, probes)
			for p := range owner {
				if empty := sums(builds)[p] == 0 || sums(probes)[p] == 0; empty != (owner[p] == nowhere) {
					t.Errorf("part %d without partners: %v, its owner is %d", p, empty, owner[p])
				}
			}
			loads := loadsOf(owner, builds, probes)
			var all int64
			for _, n := range loads {
				all += n
			}
			if most := slices.Max(loads); float64(most) > 1.05*float64(all)/float64(devices) {
				t.Errorf("%d devices, Zipf %g: loads %v", devices, exponent, loads)
			}
		}
	}
}

// TestDealNeighbours: parts of about the same size keep their order, so that copies are few.
func TestDealNeighbours(t *testing.T) {
	for _, devices := range []int{2, 4, 8} {
		builds, probes := make([][]int64, devices), make([][]int64, devices)
		for d := range builds {
			builds[d], probes[d] = make([]int64, 256), make([]int64, 256)
			for p := range 256 {
				builds[d][p], probes[d][p] = int64(1000+p%3), int64(1000+p%5)
			}
		}
		if owner := deal(builds, probes); !slices.IsSorted(owner) {
			t.Errorf("%d devices: owners %v", devices, owner)
		}
	}
}
