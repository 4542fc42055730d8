package cost

import "math"

// GroupJoinInput holds the inputs of the price of a group join.
type GroupJoinInput struct {
	Probe, Build float64 // rows of the probe side and of the indexed one
	Keys, Tests  float64 // equalities; operands of the indexed side with other comparisons
	Measures     float64 // aggregates over the indexed side
	Terms        float64 // expression nodes per row
	Text         float64 // bytes of text among the keys of an indexed row
	Single       bool    // each probe row's group is found by at most one operand
}

// GroupJoin prices indexing one side and aggregating over the partners of each row of the other
// without making pairs. Two tests are priced as a sweep, although some turn out to be one window,
// unless each cell of the windows has its own aggregates.
func (m *Model) GroupJoin(j *GroupJoinInput) float64 {
	text := text(m, &JoinInput{Build: j.Build, Probe: j.Probe, BuildText: j.Text, Pairs: j.Probe})
	if j.Single {
		h := m.hold(j, j.Build)
		probe := j.Probe*(h.find+2*m.P.GatherNS*j.Measures) + text
		return m.open() + 3*m.fork() + m.par(h.order+h.cells*m.P.GatherNS*(1+4*j.Measures), j.Build) + m.par(probe, j.Probe)
	}
	depth := log2(j.Build)
	sorts := j.Tests
	if j.Keys > 0 {
		sorts += 2 // by hash, by group
	}
	build := j.Build * (m.P.SortNS*depth*sorts + m.P.GatherNS*(sorts+2*j.Measures) + m.P.TermNS*j.Terms)
	lookup := m.access(m.P.RangeNS, 8*j.Build) * (1 + j.Measures)
	if j.Tests > 0 {
		lookup += m.P.RangeNS * depth
	}
	if j.Keys > 0 {
		lookup += m.access(m.P.GroupNS, 24*j.Build)
	}
	probe := j.Probe * (lookup + m.P.TermNS*j.Terms)
	if j.Tests > 1 {
		probe += j.Probe*m.P.SortNS*log2(j.Probe) + (j.Probe+j.Build)*(1+j.Measures)*depth*m.P.RangeNS
	}
	return m.open() + 3*m.fork() + m.par(build, j.Build) + m.par(probe+text, j.Probe)
}

// StreamedGroupJoin prices holding the probe side and adding each row of the other side to a
// cell.
func (m *Model) StreamedGroupJoin(j *GroupJoinInput) float64 {
	h := m.hold(j, j.Probe)
	add := h.find + m.access(m.P.AggNS, 8*h.cells) + j.Measures*m.access(m.P.AggNS, 24*h.cells)
	merge := h.cells * m.P.GatherNS * (1 + j.Measures) * float64(m.P.Workers)
	text := text(m, &JoinInput{Build: j.Probe, Probe: j.Build, BuildText: j.Text, Pairs: j.Build})
	return m.open() + 3*m.fork() + m.par(h.order+4*j.Probe*m.P.GatherNS*j.Measures, j.Probe) + merge/nsPerMS + m.par(j.Build*add+text, j.Build)
}

// heldWindows describes the windows of the side that a group join holds.
type heldWindows struct {
	cells float64 // number of cells between the ends of the windows
	order float64 // time to order the ends
	find  float64 // time to find the cell of a row of the other side
}

// hold prices ordering the ends of the windows of the given number of rows.
func (m *Model) hold(j *GroupJoinInput, rows float64) heldWindows {
	h := heldWindows{cells: rows, find: m.P.TermNS * j.Terms}
	sorts := 0.0
	if j.Tests > 0 {
		h.cells, sorts = 2*rows, 2
		h.find += m.access(m.P.RangeNS, 12*h.cells)
	}
	if j.Keys > 0 {
		sorts += 2 // by hash, by group
		h.find += m.access(m.P.GroupNS, 24*rows) + j.Tests*m.P.RangeNS*log2(h.cells)
	}
	h.order = rows * (m.P.SortNS*log2(h.cells)*sorts + m.P.GatherNS*(4+2*sorts))
	return h
}

// A pairwise test processes tiles of rows and pads them to whole vectors.
const (
	tileRows   = 2048
	vectorRows = 64
	tileNS     = 100 // per row and tile
	foundNS    = 80  // additional if there are partners
)

// pairsNS prices testing rows against all of others, by vectorised programs or expression by
// expression.
func (m *Model) pairsNS(rows, others, terms float64, vectorised bool) float64 {
	if !vectorised {
		return rows * others * m.P.PairNS * terms
	}
	tiles := math.Ceil(others / tileRows)
	return rows * (tiles*tileNS + max(others, vectorRows)*m.P.VectorNS*terms)
}

// PairwiseGroupJoin prices a group join that tests all pairs.
func (m *Model) PairwiseGroupJoin(j *GroupJoinInput, vectorised bool) float64 {
	build := j.Build * m.P.GatherNS * (1 + 2*j.Measures)
	ns := m.pairsNS(j.Probe, j.Build, j.Terms, vectorised) + j.Probe*j.Build*m.P.VectorNS*j.Measures
	return m.open() + 2*m.fork() + m.par(build, j.Build) + m.par(ns, max(j.Probe, j.Probe*j.Build/16))
}
