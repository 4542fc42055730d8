package planner_test

import (
	"slices"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
)

// fakeDevice is a device a hundred times faster than the CPU behind a link of the given
// bandwidth. It runs joins without residual predicates and the given other operators.
func fakeDevice(linkGBs, freeBytes float64, kinds ...string) implement.Placement {
	cpu := cost.Default(2)
	dev := cost.Default(200)
	dev.Device, dev.LinkGBs, dev.LaunchUS, dev.FreeBytes = "sim", linkGBs, 10, freeBytes
	return implement.Placement{
		Profiles: []cost.Profile{cpu, dev},
		CanRun: func(_ physical.Device, op physical.Op, _ []logical.Column) string {
			j, isJoin := op.(*physical.Join)
			switch {
			case isJoin && len(j.Residual) > 0:
				return "no residual predicates"
			case isJoin || slices.Contains(kinds, op.Kind()):
				return ""
			}
			return "no such operator"
		},
	}
}

// kinds lists operators with their devices in pre-order.
func kinds(p *physical.Node) string {
	parts := []string{p.Op.Kind() + "@" + string(p.Device)}
	for _, in := range p.In {
		parts = append(parts, kinds(in))
	}
	return strings.Join(parts, " ")
}

func TestPlacement(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const big = "SELECT COUNT(*) FROM big JOIN huge ON big.id = huge.b"
	for _, tt := range []struct {
		name, sql string
		opt       planner.Options
		want      string
	}{
		{"fast link", big, planner.Options{Devices: fakeDevice(50, 0)},
			"hash_agg@cpu from_device@sim radix_join@sim to_device@sim scan@cpu to_device@sim scan@cpu"},
		{"results stay on the device", big, planner.Options{Devices: fakeDevice(50, 0, "hash_agg")},
			"from_device@sim hash_agg@sim radix_join@sim to_device@sim scan@cpu to_device@sim scan@cpu"},
		{"slow link", big, planner.Options{Devices: fakeDevice(0.5, 0)},
			"hash_agg@cpu radix_join@cpu scan@cpu scan@cpu"},
		{"little memory", big, planner.Options{Devices: fakeDevice(50, 1<<20)},
			"hash_agg@cpu radix_join@cpu scan@cpu scan@cpu"},
		{"cpu asked for", big, planner.Options{Devices: fakeDevice(50, 0), Device: "cpu"},
			"hash_agg@cpu radix_join@cpu scan@cpu scan@cpu"},
		{"cpu by hint", "SELECT /*+ CPU(huge) */ COUNT(*) FROM big JOIN huge ON big.id = huge.b", planner.Options{Devices: fakeDevice(50, 0)},
			"hash_agg@cpu radix_join@cpu scan@cpu scan@cpu"},
		{"small tables stay", "SELECT COUNT(*) FROM dim JOIN tiny ON tiny.id = dim.g", planner.Options{Devices: fakeDevice(50, 0)},
			"hash_agg@cpu hash_join@cpu scan@cpu scan@cpu"},
		{"gpu by hint", "SELECT /*+ GPU(tiny) */ COUNT(*) FROM dim JOIN tiny ON tiny.id = dim.g", planner.Options{Devices: fakeDevice(50, 0)},
			"hash_agg@cpu from_device@sim hash_join@sim to_device@sim scan@cpu to_device@sim scan@cpu"},
		{"the device lacks the operator", "SELECT /*+ HASH_JOIN(huge) */ COUNT(*) FROM big JOIN huge ON big.id = huge.b AND big.f <> huge.id", planner.Options{Devices: fakeDevice(50, 0)},
			"hash_agg@cpu hash_join@cpu scan@cpu scan@cpu"},
	} {
		p, s := optimize(t, cat, tt.sql, tt.opt)
		if got := kinds(p); got != tt.want {
			t.Errorf("%s: %s\n want %s\n%s", tt.name, got, tt.want, show(p))
		}
		if len(s.warnings) > 0 {
			t.Errorf("%s: warnings %q", tt.name, s.warnings)
		}
		checkTotals(t, tt.name, p)
	}
}

// checkTotals wants every total to be the node's cost and its inputs' totals, and
// inputs on the node's own device unless it is a transfer.
func checkTotals(t *testing.T, name string, n *physical.Node) {
	t.Helper()
	sum := n.Est.CostMS
	for _, in := range n.In {
		sum += in.Est.TotalMS
		_, to := n.Op.(*physical.ToDevice)
		_, from := in.Op.(*physical.FromDevice)
		if !to && !from && in.Device != n.Device {
			if _, leaving := n.Op.(*physical.FromDevice); !leaving {
				t.Errorf("%s: %s on %s reads from %s", name, n.Op.Kind(), n.Device, in.Device)
			}
		}
		checkTotals(t, name, in)
	}
	if d := sum - n.Est.TotalMS; d > 1e-6*sum || d < -1e-6*sum {
		t.Errorf("%s: %s costs %g in total, its parts %g", name, n.Op.Kind(), n.Est.TotalMS, sum)
	}
}

// TestDeviceBids checks that the bids of both devices are recorded.
func TestDeviceBids(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT COUNT(*) FROM big JOIN huge ON big.id = huge.b", planner.Options{Devices: fakeDevice(50, 0)})
	devices := map[physical.Device]int{}
	for _, b := range joins(p)[0].Rejected {
		if b.Why == "" {
			devices[b.Device]++
		}
	}
	if devices[physical.CPU] < 4 || devices["sim"] < 3 {
		t.Errorf("priced bids by device: %v", devices)
	}
}
