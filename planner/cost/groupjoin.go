package cost

import "math"

// GroupJoinInput is what the price of a group join depends on.
type GroupJoinInput struct {
	Probe, Build float64 // rows of the probe side and of the indexed one
	Keys, Tests  float64 // equalities; operands of the indexed side with other comparisons
	Measures     float64 // aggregates over the indexed side
	Terms        float64 // expression nodes a row
	Text         float64 // bytes of the text among the keys of an indexed row
}

// GroupJoin prices indexing one side and aggregating over the partners of each row of the
// other without making pairs. Two tests are priced as a sweep, though some turn out to be
// one window.
func (m *Model) GroupJoin(j *GroupJoinInput) float64 {
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
		lookup += m.access(m.P.ProbeNS, 24*j.Build)
	}
	probe := j.Probe * (lookup + m.P.TermNS*j.Terms)
	if j.Tests > 1 {
		probe += j.Probe*m.P.SortNS*log2(j.Probe) + (j.Probe+j.Build)*(1+j.Measures)*depth*m.P.RangeNS
	}
	return m.open() + 3*m.fork() + m.par(build, j.Build) + m.par(probe+m.text(&JoinInput{Build: j.Build, Probe: j.Probe, BuildText: j.Text, Pairs: j.Probe}, false), j.Probe)
}

// StreamedGroupJoin prices holding the probe side, the ends of whose windows are ordered,
// and adding each row of the other side to one of the cells between them.
func (m *Model) StreamedGroupJoin(j *GroupJoinInput) float64 {
	cells, sorts := j.Probe, 0.0
	if j.Tests > 0 {
		cells, sorts = 2*j.Probe, 2
	}
	if j.Keys > 0 {
		sorts += 2
	}
	add := m.access(m.P.AggNS, 8*cells) + j.Measures*m.access(m.P.AggNS, 24*cells) + m.P.TermNS*j.Terms
	if j.Tests > 0 {
		add += m.access(m.P.RangeNS, 12*cells)
	}
	if j.Keys > 0 {
		add += m.access(m.P.ProbeNS, 24*j.Probe) + j.Tests*m.P.RangeNS*log2(cells)
	}
	held := j.Probe * (m.P.SortNS*log2(cells)*sorts + m.P.GatherNS*(4+2*sorts+4*j.Measures))
	cells *= m.P.GatherNS * (1 + j.Measures) * float64(m.P.Workers)
	return m.open() + 3*m.fork() + m.par(held, j.Probe) + cells/1e6 + m.par(j.Build*add, j.Build)
}

// A pairwise test takes tiles of rows and pads them to whole vectors.
const (
	tileRows   = 2048
	vectorRows = 64
	tileNS     = 100 // per row and tile
)

// pairsNS prices testing each row of probe against all rows of build, by vector instructions
// or expression by expression.
func (m *Model) pairsNS(probe, build, terms float64, vectorised bool) float64 {
	if !vectorised {
		return probe * build * m.P.PairNS * terms
	}
	tiles := math.Ceil(build / tileRows)
	return probe * (tiles*tileNS + max(build, vectorRows)*m.P.VectorNS*terms)
}

// PairwiseGroupJoin prices a group join that tests all pairs.
func (m *Model) PairwiseGroupJoin(j *GroupJoinInput, vectorised bool) float64 {
	build := j.Build * m.P.GatherNS * (1 + 2*j.Measures)
	ns := m.pairsNS(j.Probe, j.Build, j.Terms, vectorised) + j.Probe*j.Build*m.P.VectorNS*j.Measures
	return m.open() + 2*m.fork() + m.par(build, j.Build) + m.par(ns, max(j.Probe, j.Probe*j.Build/16))
}
