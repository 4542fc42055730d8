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
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// MaxColumns is how many different columns of a side the conditions may compare. Several
// comparisons with one column of the other side, such as BETWEEN, count once, those with
// <> each.
const MaxColumns = 4

// Options tunes the join.
type Options struct {
	// PairsPerLaunch bounds the pairs that one launch compares, and so how long a
	// cancelled join still runs; 0: about 20 ms of work on a large GPU.
	PairsPerLaunch int64
}

// Pairs writes all row pairs to out, whose pieces it fills exactly. The larger side owns.
// Where device memory is short, the join matrix is cut into strips of both sides
// (section 3 of the paper). Without conditions all rows pair.
func Pairs(t *engine.Task, in join.Input, out join.Output, opt Options) error {
	m := t.Mark()
	w := &writer{out: out, ownerLeft: in.Left >= in.Right, opt: opt}
	p, err := newPlan(in, w.ownerLeft)
	if err == nil && in.Left > 0 && in.Right > 0 {
		err = p.tighten(t)
		if err == nil {
			err = p.strips(t, pairsBytes, w.cell)
		}
	}
	return errors.Join(err, t.Release(m))
}

// Bytes is the device memory that the join takes where there is enough: for its aggregates,
// or for Pairs if there are none. It works with less, down to 12 bytes a row of the
// aggregated sides, or of one tile.
func Bytes(in join.Input, aggs []join.Agg, _ Options) int64 {
	if len(aggs) == 0 {
		p, err := newPlan(in, in.Left >= in.Right)
		if err != nil {
			return 0
		}
		return pairsBytes(p, p.nOwner, p.nOther)
	}
	var bytes, most int64
	left, right := join.Sides(aggs)
	for _, ownerLeft := range []bool{true, false} {
		if ownerLeft && !left || !ownerLeft && !right {
			continue
		}
		p, err := newPlan(in, ownerLeft)
		if err != nil {
			return 0
		}
		bytes += padded(8 * p.nOwner)
		most = max(most, countBytes(p, p.nOwner, p.nOther))
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
