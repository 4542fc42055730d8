//go:build sim

package operators_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/planner/logical"
	"gsql/planner/physical"
)

// The machine has three devices. Tests of a single device use the first.
func init() { os.Setenv("GSQL_SIM_DEVICES", "3") }

// spreadOver moves the part of a plan that is on the device to three devices.
func spreadOver(plan *physical.Node, how physical.Spread) {
	if plan.Device == device {
		plan.Device = "sim:0,1,2"
	}
	if j, ok := plan.Op.(*physical.Join); ok {
		j.Spread = &how
	}
	for _, in := range plan.In {
		spreadOver(in, how)
	}
}

// TestAggregatesOnDevices runs aggregates over joins on several devices. It checks their rows, failing and
// cancelled inputs, little memory, and that nothing leaks.
func TestAggregatesOnDevices(t *testing.T) {
	for i, tt := range []struct {
		algo physical.JoinAlgo
		how  physical.Spread
	}{
		{physical.Radix, physical.Spread{Exchange: true}}, {physical.Hash, physical.Spread{Copied: 1}}, {physical.NestedLoop, physical.Spread{}},
		{physical.Radix, physical.Spread{Bits: 2}},
	} {
		t.Run(fmt.Sprint(tt.algo, tt.how.Bits), func(t *testing.T) {
			g := &jointest.Generator{Rand: rand.New(rand.NewPCG(uint64(i), 9)), Distinct: 9, Nulls: 0.1}
			aggregated(t, drivable(g, tt.algo, logical.Inner), func(plan *physical.Node) { spreadOver(plan, tt.how) }).Run(t)
		})
	}
}
