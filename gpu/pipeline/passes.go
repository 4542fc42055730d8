package pipeline

import "fmt"

// LargestIndex returns the index of a join that takes most memory among those that one pipeline builds and one
// probes, so that the join can take passes.
func (p *Program) LargestIndex() (index int, ok bool) {
	most := int64(0)
	for i := range p.Indexes {
		_, _, err := p.Ends(i)
		if bytes := p.indexBytes(i); err == nil && bytes > most {
			index, most = i, bytes
		}
	}
	return index, most > 0
}

func (p *Program) indexBytes(i int) (bytes int64) {
	x := &p.Indexes[i]
	for _, c := range []int{x.Slots, x.Heads, x.Bits} {
		if c != None {
			bytes += p.Columns[c].Size * int64(p.Columns[c].Width)
		}
	}
	return bytes
}

// Ends returns the pipelines that build and that probe the index of a join. The error says why they cannot be
// repeated.
func (p *Program) Ends(index int) (build, probe int, err error) {
	build, probe = None, None
	builds, probes := 0, 0
	for i := range p.Pipelines {
		pl := &p.Pipelines[i]
		if pl.Bound == nil && !pl.Prebuilt() && pl.Sink.Op == Build && pl.Sink.Index == index {
			build, builds = i, builds+1
		}
		for s := range pl.Stages {
			if pl.Stages[s].Pred == nil && pl.Stages[s].Index == index {
				probe, probes = i, probes+1
			}
		}
	}
	if builds != 1 || probes != 1 || probe < build {
		return 0, 0, fmt.Errorf("an index that %d pipelines build and %d probe takes no passes", builds, probes)
	}
	return build, probe, nil
}
