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
	"gsql/sql/types"
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

// TestDividedKeys divides inputs by keys of several types: by unsigned ones, by doubles with NaNs and two zeros, and by
// two keys, which fit one word or do not.
func TestDividedKeys(t *testing.T) {
	for i, keys := range [][]types.Type{{types.T(types.Uint64)}, {types.T(types.Float64)}, {jointest.Bigint, jointest.Bigint}, {types.T(types.Int32), types.T(types.Date)}} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			g := &jointest.Generator{Rand: rand.New(rand.NewPCG(uint64(i), 77)), Distinct: 9, Nulls: 0.2}
			c := drivable(g, physical.Radix, logical.Inner)
			c.Operands, c.NullSafe = keys, make([]bool, len(keys))
			c.Left, c.Right = g.Relation(jointest.LeftID, 40, keys), g.Relation(jointest.RightID, 30, keys)
			aggregated(t, c, func(plan *physical.Node) { spreadOver(plan, physical.Spread{Bits: uint(1 + i)}) }).RunQuick(t)
		})
	}
}
