package planner_test

import (
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/planner/plantest"
)

// fakeDevice is a GPU of default rates behind a link of the given bandwidth.
func fakeDevice(device string, linkGBs, freeBytes float64) implement.Placement {
	return implement.Placement{CPU: cost.Default(2), Device: device, Open: func(kind string) ([]cost.Accelerator, string) {
		dev := cost.DefaultAccelerator(physical.Device(kind+":0"), freeBytes)
		dev.LinkGBs, dev.CollectGBs = linkGBs, linkGBs
		return []cost.Accelerator{dev}, ""
	}}
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
		{"fast link", big, planner.Options{Devices: fakeDevice("auto", 50, 0)},
			"from_device@gpu:0 hash_agg@gpu:0 radix_join@gpu:0 to_device@gpu:0 scan@cpu to_device@gpu:0 scan@cpu"},
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
	p, _ := optimize(t, cat, "SELECT COUNT(*) FROM big JOIN huge ON big.id = huge.b", planner.Options{Devices: fakeDevice("auto", 50, 0)})
	devices := map[physical.Device]int{}
	for _, b := range joins(p)[0].Rejected {
		if b.Why == "" {
			devices[b.Device]++
		}
	}
	if devices[physical.CPU] < 4 || devices["gpu:0"] < 3 {
		t.Errorf("priced bids by device: %v", devices)
	}
}
