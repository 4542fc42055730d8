// Package theta joins by nested loops over conjunctions of comparisons, whatever the
// operators are: every row of one side, the owning side, meets every row of the other.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017). Conditions become words and
// intervals first (kernels/theta_words.cu), so that the loops know neither kinds nor
// operators. The input-bound form counts the partners of each owning row, from which
// aggregates follow; the output-bound form makes places in the output of the counts and
// writes the pairs there, so that output of any size is cut into pieces exactly.
package theta

import (
	"gsql/gpu"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// Options tunes the join.
type Options struct {
	// PairsPerLaunch bounds the pairs that one launch compares, and so how long a
	// cancelled join still runs; 0: about 20 ms of work on a large GPU.
	PairsPerLaunch int64
}

// Bytes returns the device memory that the join takes if it is available: for its aggregates,
// or for Pairs if there are none. With less the join cuts the sides into strips, down to about
// 100 KB; the aggregated sides' rows take 8 bytes each in any case.
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

// countBytes is the memory of a strip of nOwner rows against one of nOther, without counts.
func countBytes(p *plan, nOwner, nOther int64) int64 {
	return p.ownerBytes(nOwner) + p.otherBytes(nOther)
}

// pairsBytes is the memory that the writing of pairs takes beyond that of counts.
func pairsBytes(p *plan, nOwner, nOther int64) int64 {
	return countBytes(p, nOwner, nOther) + padded(8*(nOwner+1)) + padded(8*maxCuts) + prim.ScanBytes(nOwner)
}

// padded is the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }
