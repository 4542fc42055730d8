package planner_test

import (
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/implement"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
)

// fakeDevice returns a GPU with default rates behind a link of the given bandwidth.
func fakeDevice(device string, linkGBs, freeBytes float64) implement.Placement {
	return implement.Placement{CPU: cost.Default(2), Device: device, Open: func(kind string) ([]cost.Accelerator, string) {
		dev := cost.DefaultAccelerator(firstOf(kind), freeBytes)
		dev.LinkGBs, dev.CollectGBs = linkGBs, linkGBs
		return []cost.Accelerator{dev}, ""
	}}
}

// firstOf returns the first device of a set.
func firstOf(set string) physical.Device {
	kind, _, _ := strings.Cut(set, ":")
	return physical.Device(kind + ":0")
}

// kinds returns the operators of a plan with their devices, in pre-order.
func kinds(p *physical.Node) string {
	parts := []string{p.Op.Kind() + "@" + string(p.Device)}
	for _, in := range p.In {
		parts = append(parts, kinds(in))
	}
	return strings.Join(parts, " ")
}

const bigJoin = "SELECT COUNT(*) FROM big JOIN huge ON big.id = huge.b"

func TestPlacement(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const onCPU = "hash_agg@cpu hash_join@cpu scan@cpu scan@cpu"
	for _, tt := range []struct {
		name, sql string
		devices   implement.Placement
		want      string
	}{
		{"aggregate over a join", bigJoin, fakeDevice("auto", 50, 0),
			"from_device@gpu:0 hash_agg@gpu:0 radix_join@gpu:0 to_device@gpu:0 scan@cpu to_device@gpu:0 scan@cpu"},
		{"groups stay on the CPU", bigJoin + " GROUP BY f", fakeDevice("auto", 50, 0),
			"project@cpu hash_agg@cpu from_device@gpu:0 radix_join@gpu:0 to_device@gpu:0 scan@cpu to_device@gpu:0 scan@cpu"},
		{"slow link", bigJoin, fakeDevice("auto", 0.1, 0), onCPU},
		{"little memory", bigJoin, fakeDevice("auto", 50, 1<<20), onCPU},
		{"cpu asked for", bigJoin, fakeDevice("cpu", 50, 0), onCPU},
		{"cpu by hint", "SELECT /*+ CPU(huge) */ COUNT(*) FROM big JOIN huge ON big.id = huge.b", fakeDevice("auto", 50, 0), onCPU},
		{"cpu by hint against the setting", "SELECT /*+ CPU(huge) */ COUNT(*) FROM big JOIN huge ON big.id = huge.b", fakeDevice("gpu", 50, 0), onCPU},
		{"small tables stay", "SELECT COUNT(*) FROM dim JOIN tiny ON tiny.id = dim.g", fakeDevice("auto", 50, 0),
			"hash_agg@cpu hash_join@cpu scan@cpu scan@cpu"},
		{"gpu by hint", "SELECT /*+ GPU(tiny) HASH_JOIN(tiny) */ g FROM dim JOIN tiny ON tiny.id = dim.g", fakeDevice("auto", 50, 0),
			"from_device@gpu:0 hash_join@gpu:0 to_device@gpu:0 scan@cpu to_device@gpu:0 scan@cpu"},
		{"a join of joins meets on the host", "SELECT /*+ HASH_JOIN() */ COUNT(*) FROM dim JOIN tiny ON tiny.id = dim.g JOIN fact ON fact.d = dim.id", fakeDevice("sim", 50, 0),
			"from_device@sim:0 hash_agg@sim:0 hash_join@sim:0 to_device@sim:0 scan@cpu to_device@sim:0 from_device@sim:0 hash_join@sim:0 to_device@sim:0 scan@cpu to_device@sim:0 scan@cpu"},
		{"set operations get their columns in order", "SELECT y.k, x.g FROM dim x JOIN tiny y ON y.id = x.g UNION ALL SELECT id, g FROM dim", fakeDevice("sim", 50, 0),
			"set_op@cpu from_device@sim:0 nl_join@sim:0 to_device@sim:0 scan@cpu to_device@sim:0 scan@cpu scan@cpu"},
	} {
		p, s := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: tt.devices})
		if got := kinds(p); got != tt.want {
			t.Errorf("%s: %s\n want %s\n%s", tt.name, got, tt.want, show(p))
		}
		if len(s.warnings) > 0 {
			t.Errorf("%s: warnings %q", tt.name, s.warnings)
		}
		checkTotals(t, tt.name, p)
		checkShape(t, tt.name, p, nil)
		checkRefs(t, tt.name, p)
		again, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: tt.devices})
		if show(again) != show(p) {
			t.Errorf("%s: another plan at the second time\n%s", tt.name, show(again))
		}
	}
}

// TestDevicesAreAskedForLate checks which plans cause devices to be opened.
func TestDevicesAreAskedForLate(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct{ device, sql, want string }{
		{"auto", bigJoin, "gpu:all"},
		{"", bigJoin, "gpu:all"},
		{"auto", "SELECT COUNT(*) FROM fact a JOIN fact b ON a.id = b.id", "gpu"},
		{"gpu:0,1", bigJoin, "gpu:0,1"},
		{"cpu", bigJoin, ""},
		{"sim", bigJoin, "sim"},
		{"auto", "SELECT COUNT(*) FROM fact JOIN dim ON fact.d = dim.id", ""},
		{"gpu", "SELECT COUNT(*) FROM fact JOIN dim ON fact.d = dim.id", "gpu"},
		{"auto", "SELECT /*+ GPU(dim) */ COUNT(*) FROM fact JOIN dim ON fact.d = dim.id", "gpu"},
		{"auto", "SELECT f, COUNT(*) FROM big GROUP BY f", ""},
		{"gpu", "SELECT f, COUNT(*) FROM big GROUP BY f", ""},
		{"auto", "SELECT COUNT(*) FROM fact a JOIN fact b ON a.s = b.s", ""}, // devices do not compare strings
		{"auto", "SELECT COUNT(*) FROM fact a JOIN fact b ON a.s = b.s AND a.v <> b.v", "gpu"},
	} {
		var asked []string
		place := implement.Placement{Device: tt.device, Open: func(kind string) ([]cost.Accelerator, string) {
			asked = append(asked, kind)
			return nil, "there are none today"
		}}
		optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: place})
		if got := strings.Join(asked, " "); got != tt.want {
			t.Errorf("%q under %q asks for %q, want %q", tt.sql, tt.device, got, tt.want)
		}
	}
}

// checkShape checks the guarantees that device operators rely on: see physical.Join and HashAgg.
func checkShape(t *testing.T, name string, n, above *physical.Node) {
	t.Helper()
	kind, want := n.Op.Kind(), ""
	switch op := n.Op.(type) {
	case *physical.ToDevice:
		_, joins := above.Op.(*physical.Join)
		if _, sorts := above.Op.(*physical.Sort); !joins && !sorts || above.Device != n.Device {
			want = "a join or a sort of its device above"
		}
	case *physical.FromDevice:
		if above != nil && above.Device != physical.CPU && above.Op.Kind() != "to_device" || n.In[0].Device != n.Device {
			want = "a consumer on the host and a producer on its device"
		}
	case *physical.Join:
		driving := len(op.Keys) + len(op.Ranges)
		switch {
		case n.Device == physical.CPU:
		case above.Op.Kind() != "from_device" && above.Op.Kind() != "hash_agg" || above.Device != n.Device:
			want = "its result used on its device"
		case driving == 0 || driving > physical.MaxDeviceConds:
			want = "one to four driving conditions"
		case n.In[0].Op.Kind() != "to_device" || n.In[1].Op.Kind() != "to_device":
			want = "inputs that are sent"
		}
	case *physical.HashAgg:
		if n.Device == physical.CPU {
			break
		}
		if j, ok := n.In[0].Op.(*physical.Join); !ok || len(j.Residual) > 0 || j.Type != logical.Inner || len(op.Keys) > 0 {
			want = "no groups and an inner join without residual predicates"
		}
	case *physical.Sort:
		if n.Device != physical.CPU && (above == nil || above.Op.Kind() != "from_device" || n.In[0].Op.Kind() != "to_device" || (op.Spread != nil) != (len(n.Device.Members()) > 1)) {
			want = "rows that are sent, and the host above"
		}
	case *physical.Pipelines:
		if n.Device == physical.CPU || strings.Contains(kinds(n), "@cpu") || len(n.Cols) != len(n.In[0].Cols) {
			want = "a subtree with its columns on its device"
		}
	default:
		if n.Device != physical.CPU {
			want = "the CPU"
		}
	}
	if want != "" {
		t.Errorf("%s: %s wants %s\n%s", name, kind, want, show(n))
	}
	if kind == fuse.BidName {
		return
	}
	for _, in := range n.In {
		checkShape(t, name, in, n)
	}
}

// checkTotals checks that every total is the node's cost plus its inputs' totals.
func checkTotals(t *testing.T, name string, n *physical.Node) {
	t.Helper()
	sum := n.Est.CostMS
	for _, in := range n.In {
		sum += in.Est.TotalMS
		checkTotals(t, name, in)
	}
	if d := sum - n.Est.TotalMS; d > 1e-6*sum || d < -1e-6*sum {
		t.Errorf("%s: %s costs %g in total, its parts %g", name, n.Op.Kind(), n.Est.TotalMS, sum)
	}
}

// TestDeviceBids checks that the bids of both devices are recorded.
func TestDeviceBids(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, bigJoin, planner.Options{Devices: fakeDevice("auto", 50, 0)})
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
