package merge

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// Bytes returns the most device memory that the join takes besides its inputs and output, for its
// aggregates or, if there are none, for Pairs.
func Bytes(in join.Input, aggs []join.Agg, opt Options) int64 {
	p, err := newPlan(in)
	if err != nil {
		return 0
	}
	bytes := join.FilterBytes(p.rest, mostPieceRows)
	if len(aggs) > 0 && len(p.rest) > 0 {
		bytes += join.AggregatePairsBytes(in, aggs, mostPieceRows)
	}
	listed := len(aggs) == 0 || len(p.rest) > 0
	if p.equal {
		bytes += p.equalBytes(opt, listed, aggs)
	} else {
		bytes += p.span.bytes(opt, listed, aggs)
	}
	return bytes + 8*gpu.Alignment
}

// equalBytes returns the larger of the sorts' peak and the memory that the sorts keep plus the
// merge's.
func (p *plan) equalBytes(opt Options, listed bool, aggs []join.Agg) int64 {
	first := p.key.Conditions[0]
	left := column.Column{Kind: p.key.Kind(), Rows: p.in.Left, Valid: first.Left.Valid}
	right := column.Column{Kind: p.key.Kind(), Rows: p.in.Right, Valid: first.Right.Valid}
	if len(p.key.Conditions) > 1 {
		left.Valid, right.Valid = 1, 1 // packed keys always have it
	}
	leftMost, leftKept := sortBytes(left, opt.LeftSorted)
	rightMost, rightKept := sortBytes(right, opt.RightSorted)
	merging := mergerBytes(p.in.Left + p.in.Right)
	if !listed {
		merging += countedBytes(max(p.in.Left, p.in.Right), aggs)
	}
	return p.key.Bytes(p.in.Left) + p.key.Bytes(p.in.Right) + max(leftMost, leftKept+max(rightMost, rightKept+merging))
}

// bytes returns the larger of the sort's peak and the memory that the sort keeps plus the
// runs'.
func (s *span) bytes(opt Options, listed bool, aggs []join.Agg) int64 {
	most, kept := sortBytes(s.column, s.sortLeft && opt.LeftSorted || !s.sortLeft && opt.RightSorted)
	items := s.column.Rows
	runs := 2 * padded(4*s.rows)
	if listed {
		return max(most, kept+runs+padded(8*s.rows)+padded(8)+prim.ScanBytes(s.rows))
	}
	cover := 2*padded(8*(items+1)) + 2*padded(8) + prim.ScanBytes(items+1)
	return max(most, kept+runs+max(countedBytes(s.rows, aggs), countedBytes(items, aggs)+cover))
}

// countedBytes returns the memory of a side's counts and of its aggregates over them.
func countedBytes(rows int64, aggs []join.Agg) int64 {
	return 2*padded(8*rows) + padded(rows) + join.FromCountsBytes(rows, aggs)
}
