// Package theta joins by nested loops over conjunctions of comparisons with any operators: every
// row of one side, the owning side, is compared with every row of the other.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017). Conditions first become words and
// intervals (kernels/theta_words.cu), so that the loops depend on neither kinds nor operators. The
// input-bound form counts the partners of each owning row, which determine aggregates; the
// output-bound form derives output positions from the counts and writes the pairs there, so that
// output of any size is divided into pieces exactly.
package theta

import (
	"gsql/gpu"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// Options tunes the join.
type Options struct {
	// PairsPerLaunch limits the pairs that one launch compares, and so how long a cancelled join
	// continues; 0 means about 20 ms of work on a large GPU.
	PairsPerLaunch int64
}

// Bytes returns the device memory that the join takes if it is available: for its aggregates, or
// for Pairs if there are none. With less, the join cuts the sides into strips, down to about 100
// KB; the aggregated sides' rows take 8 bytes each in any case.
func Bytes(in join.Input, aggs []join.Agg, _ Options) int64 {
	first, rest := split(in)
	if len(aggs) == 0 || len(rest) > 0 {
		p := newPlan(first, in.Left >= in.Right)
		bytes := pairsBytes(p, p.nOwner, min(p.nOther, longestOther)) + join.FilterBytes(rest, filterPairs)
		if len(aggs) > 0 {
			bytes += join.AggregatePairsBytes(in, aggs, filterPairs)
		}
		return bytes
	}
	var bytes, most int64
	left, right := join.Sides(aggs)
	for _, ownerLeft := range []bool{true, false} {
		if ownerLeft && left || !ownerLeft && right {
			p := newPlan(in, ownerLeft)
			bytes += padded(8 * p.nOwner)
			most = max(most, countBytes(p, p.nOwner, min(p.nOther, longestOther)))
		}
	}
	return bytes + max(most, join.FromCountsBytes(max(in.Left, in.Right), aggs))
}

// countBytes returns the memory of a strip of nOwner rows against one of nOther, without counts.
func countBytes(p *plan, nOwner, nOther int64) int64 {
	return p.ownerBytes(nOwner) + p.otherBytes(nOther)
}

// pairsBytes returns the memory that writing pairs takes beyond that of counts.
func pairsBytes(p *plan, nOwner, nOther int64) int64 {
	return countBytes(p, nOwner, nOther) + padded(8*(nOwner+1)) + padded(8*maxCuts) + prim.ScanBytes(nOwner)
}

// padded returns the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }
