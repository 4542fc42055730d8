package hash

import (
	"gsql/gpu"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// mostParts is sufficient for the parts of a pass.
const mostParts = 128 << 10

// Bytes returns the most device memory that a join takes besides its inputs and output: the packed
// keys, the table, and what building and probing it takes if keys repeat. If they do not, less
// suffices, and probing can use less in smaller steps.
func Bytes(in join.Input, aggs []join.Agg, opt Options) int64 {
	p, err := newPlan(in, opt)
	if err != nil {
		return 0
	}
	kind := p.key.Kind()
	bytes := p.key.Bytes(p.build) + p.key.Bytes(p.probe) + newHashTable(kind, p.build).hashBytes() + 8*p.build
	sorting := 2*p.build*kind.Width() + 4*p.build + hashOrder(kind).SortBytes(p.build, 4) + prim.SelectBytes(p.build)
	probing := (runBytes+1)*min(p.probe, probeStep) + prim.ScanBytes(min(p.probe, probeStep))
	bytes += max(sorting, probing)
	bytes += join.FilterBytes(p.key.Rest, mostPieceRows)
	if len(aggs) > 0 {
		bytes += join.AggregatePairsBytes(in, aggs, mostPieceRows) + int64(len(aggs))*mostParts
	}
	return bytes + 16*gpu.Alignment
}
