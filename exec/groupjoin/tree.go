package groupjoin

import (
	"math"
	"math/bits"

	"gsql/exec/accum"
)

// Trees of aggregates over positions are arrays: the parent of node i is i/2, position k is the
// leaf size+k, and node 1 is the root. A window is the union of at most two nodes per level and
// needs no subtraction: floats lose nothing by cancellation, and MIN and MAX have no inverse.

// treeSize returns the number of leaves of a tree over n positions: a power of two.
func treeSize(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

// buildExact, addExact and exactIn return false if 128 bits do not suffice.
func buildExact(t []accum.Exact) bool {
	ok := true
	for i := len(t)/2 - 1; i > 0; i-- {
		t[i] = t[2*i]
		ok = t[i].AddChecked(t[2*i+1].Lo, t[2*i+1].Hi) && ok
	}
	return ok
}

func addExact(t []accum.Exact, at int32, lo uint64, hi int64) bool {
	ok := true
	for i := len(t)/2 + int(at); i > 0; i /= 2 {
		ok = t[i].AddChecked(lo, hi) && ok
	}
	return ok
}

func exactIn(t []accum.Exact, lo, hi int32) (sum accum.Exact, ok bool) {
	ok = true
	for l, r := len(t)/2+int(lo), len(t)/2+int(hi); l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			ok = sum.AddChecked(t[l].Lo, t[l].Hi) && ok
			l++
		}
		if r&1 == 1 {
			r--
			ok = sum.AddChecked(t[r].Lo, t[r].Hi) && ok
		}
	}
	return sum, ok
}

func buildFloats(t []accum.Float) {
	for i := len(t)/2 - 1; i > 0; i-- {
		t[i] = t[2*i]
		t[i].Merge(t[2*i+1])
	}
}

func addFloat(t []accum.Float, at int32, x float64) {
	for i := len(t)/2 + int(at); i > 0; i /= 2 {
		t[i].Add(x)
	}
}

func floatIn(t []accum.Float, lo, hi int32, sum *accum.Float) {
	for l, r := len(t)/2+int(lo), len(t)/2+int(hi); l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			sum.Merge(t[l])
			l++
		}
		if r&1 == 1 {
			r--
			sum.Merge(t[r])
		}
	}
}

// noWord represents a missing value in trees of least words.
const noWord = math.MaxUint64

func buildLeast(t []uint64) {
	for i := len(t)/2 - 1; i > 0; i-- {
		t[i] = min(t[2*i], t[2*i+1])
	}
}

func addLeast(t []uint64, at int32, w uint64) {
	for i := len(t)/2 + int(at); i > 0 && t[i] > w; i /= 2 {
		t[i] = w
	}
}

func leastIn(t []uint64, lo, hi int32) uint64 {
	least := uint64(noWord)
	for l, r := len(t)/2+int(lo), len(t)/2+int(hi); l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			least = min(least, t[l])
			l++
		}
		if r&1 == 1 {
			r--
			least = min(least, t[r])
		}
	}
	return least
}
