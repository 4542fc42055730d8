package physical

import (
	"slices"
	"strings"
)

// Differences describes how the plan of the bid differs from the chosen node, apart from the
// algorithm and the device: the build side and, for bids of the same algorithm that could run on
// the same device, the driving conditions, the residual predicate and the dynamic filters.
func (b *Bid) Differences(taken *Node) []string {
	var out []string
	if b.Form != "" {
		out = append(out, b.Form)
	}
	j, _ := taken.Op.(*Join)
	switch {
	case b.Join == nil:
		return out
	case j == nil || j.Algo != b.Join.Algo:
		if b.Join.BuildLeft {
			out = append(out, "build left")
		}
		return out
	case j.BuildLeft != b.Join.BuildLeft:
		out = append(out, "build "+b.Join.side())
	}
	if b.Device != taken.Device || b.Why != "" {
		return out
	}
	if j.Streamed != b.Join.Streamed {
		out = append(out, without("streamed", b.Join.Streamed))
	}
	if j.Keep != b.Join.Keep {
		out = append(out, without("built once", b.Join.Keep))
	}
	if driven := b.Join.drive(); driven != j.drive() {
		out = append(out, "by "+driven)
	}
	if len(b.Join.Residual) != len(j.Residual) {
		out = append(out, residualOf(b.Join))
	}
	return append(out, filtersLike(j, b.Join)...)
}

// residualOf describes the residual predicate.
func residualOf(j *Join) string {
	if len(j.Residual) == 0 {
		return "no residual"
	}
	return labelled("residual", j.Residual)[0]
}

// without returns a property, or a note that it is missing.
func without(property string, has bool) string {
	if has {
		return property
	}
	return "not " + property
}

func (j *Join) side() string {
	if j.BuildLeft {
		return "left"
	}
	return "right"
}

// drive returns the conditions by which the join finds pairs.
func (j *Join) drive() string { return strings.Join(conditions(j.Keys, j.Ranges), ", ") }

// filtersLike lists the dynamic filters that other makes and j does not, or reports that it makes none.
func filtersLike(j, other *Join) []string {
	have, keys := j.filterKeys(), other.filterKeys()
	if len(keys) == 0 && len(have) > 0 {
		return []string{"no dynamic filter"}
	}
	if len(have) == 0 && len(keys) > 0 || !slices.Equal(have, keys) && j.BuildLeft == other.BuildLeft {
		return []string{"dynamic filter: " + strings.Join(keys, ", ")}
	}
	return nil
}

// filterKeys returns the keys for which the join makes dynamic filters.
func (j *Join) filterKeys() []string {
	var out []string
	for _, f := range j.Filters {
		if key := j.Keys[f.Key]; j.Built() == 0 {
			out = append(out, key.L.String())
		} else {
			out = append(out, key.R.String())
		}
	}
	return out
}
