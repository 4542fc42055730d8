package database

import (
	"slices"
	"testing"

	"gsql/planner/physical"
	"gsql/sql/infoschema"
)

// TestPlacements counts operators: those of pipelines once, transfers and the CPU's not.
func TestPlacements(t *testing.T) {
	scan := &physical.Node{Op: &physical.Values{}, Device: "gpu:0"}
	agg := &physical.Node{Op: &physical.HashAgg{}, In: []*physical.Node{scan}, Device: "gpu:0"}
	pipelines := &physical.Node{Op: &physical.Pipelines{}, In: []*physical.Node{agg}, Device: "gpu:0"}
	join := &physical.Node{Op: &physical.Join{Algo: physical.Hash}, In: []*physical.Node{
		{Op: &physical.ToDevice{}, In: []*physical.Node{pipelines}, Device: "gpu:0"},
		{Op: &physical.ToDevice{}, In: []*physical.Node{{Op: &physical.Values{}, Device: physical.CPU}}, Device: "gpu:0"},
	}, Device: "gpu:0"}
	var p Placements
	p.Ran(&physical.Node{Op: &physical.FromDevice{}, In: []*physical.Node{join}, Device: "gpu:0"})
	want := []infoschema.Placement{{Device: "gpu:0", Operator: "HashJoin", Runs: 1}, {Device: "gpu:0", Operator: "Pipelines", Runs: 1}}
	if got := p.All(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
