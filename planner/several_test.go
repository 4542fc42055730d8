package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
)

// fakeMachine returns n GPUs whose links to each other have the given bandwidth.
func fakeMachine(device string, n int, peerGBs, freeBytes float64) implement.Placement {
	return implement.Placement{CPU: cost.Default(2), Device: device,
		Open: func(set string) (devices []cost.Accelerator, reason string) {
			for i := range n {
				dev := cost.DefaultAccelerator(physical.Device(fmt.Sprintf("gpu:%d", i)), freeBytes)
				dev.PeerGBs, dev.CollectGBs = peerGBs, 500
				if devices = append(devices, dev); set == "gpu" {
					break
				}
			}
			return devices, ""
		},
	}
}

// TestNumberOfDevices checks on how many devices aggregates over joins run.
func TestNumberOfDevices(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const (
		exchanged = "SELECT /*+ RADIX_JOIN(huge) */ COUNT(*) FROM big JOIN huge ON big.id = huge.b"
		small     = "SELECT COUNT(*) FROM fact JOIN dim ON fact.d = dim.id"
		pairs     = "SELECT big.id FROM big JOIN huge ON big.id = huge.b AND huge.b < 100"
		theta     = "SELECT /*+ NL_JOIN(b) */ COUNT(*) FROM fact a JOIN fact b ON a.v < b.d"
	)
	for _, tt := range []struct {
		name, sql string
		place     implement.Placement
		want      physical.Device
	}{
		{"a fast link", bigJoin, fakeMachine("auto", 4, 400, 0), "gpu:0,1,2,3"},
		{"two devices", bigJoin, fakeMachine("auto", 2, 400, 0), "gpu:0,1"},
		{"three devices, of which two bid", bigJoin, fakeMachine("auto", 3, 400, 0), "gpu:0,1"},
		{"exchange over a slow link", exchanged, fakeMachine("auto", 4, 0.5, 0), "gpu:0"},
		{"one device", bigJoin, fakeMachine("gpu", 4, 400, 0), "gpu:0"},
		{"devices by number", bigJoin, fakeMachine("gpu:0,1", 2, 0.1, 0), "gpu:0,1"},
		{"all devices", small, fakeMachine("gpu:all", 8, 400, 0), "gpu:0,1,2,3,4,5,6,7"},
		{"row pairs come from one device", pairs, fakeMachine("gpu:all", 8, 400, 0), "gpu:0"},
		{"more than one device holds", exchanged, fakeMachine("auto", 4, 400, 1500<<20), "gpu:0,1,2,3"},
		{"more than all devices hold", bigJoin, fakeMachine("gpu:0,1", 2, 400, 512<<20), "gpu:0,1"},
		{"more than the device holds", bigJoin, fakeMachine("gpu", 1, 400, 512<<20), "gpu:0"},
		{"more than the device holds, by price", bigJoin, fakeMachine("auto", 1, 400, 512<<20), "gpu:0"},
		{"partitions do not fit, with 10^16 pairs", bigJoin, fakeMachine("gpu:0,1", 2, 400, 2<<20), "cpu"},
		{"a small join", small, fakeMachine("auto", 8, 400, 0), "cpu"},
		{"all pairs", theta, fakeMachine("gpu:0,1", 2, 400, 0), "gpu:0,1"},
	} {
		p, s := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: tt.place})
		j := joins(p)[0]
		if j.Device != tt.want {
			t.Errorf("%s: on %s, want %s\n%s", tt.name, j.Device, tt.want, show(p))
		}
		several := len(j.Device.Members()) > 1
		how := j.Op.(*physical.Join).Spread
		if divided := how != nil && how.Bits > 0; divided {
			if !strings.HasPrefix(tt.name, "more than") || !strings.Contains(show(p), "16 partitions") && !strings.Contains(show(p), " 8 partitions") {
				t.Errorf("%s: the inputs are divided\n%s", tt.name, show(p))
			}
		} else if (how != nil) != several || several && !strings.Contains(show(p), "to all devices, ") && !strings.Contains(show(p), "exchanges ") {
			t.Errorf("%s: the plan does not tell how devices share the work\n%s", tt.name, show(p))
		}
		if fell := tt.want == "cpu" && tt.place.Device != "auto"; len(s.warnings) > 0 != fell {
			t.Errorf("%s: warnings %q", tt.name, s.warnings)
		}
		checkTotals(t, tt.name, p)
		checkShape(t, tt.name, p, nil)
	}
}

// TestOpenedDevices: a query that is too cheap for starting other devices uses those that are open.
func TestOpenedDevices(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const q = "SELECT /*+ RADIX_JOIN(huge) */ COUNT(*), SUM(big.f), SUM(huge.b) FROM big JOIN huge ON big.id = huge.b"
	for _, tt := range []struct {
		opened map[string]bool
		want   physical.Device
	}{
		{map[string]bool{}, "gpu:0"},
		{map[string]bool{"gpu": true}, "gpu:0"},
		{map[string]bool{"gpu": true, "gpu:all": true}, "gpu:0,1"},
	} {
		place := fakeMachine("auto", 2, 400, 0)
		place.CPU = cost.Default(128)
		place.Opened = func(set string) bool { return tt.opened[set] }
		place.Resident = func(physical.Device, catalog.Table, int) bool { return true }
		p, _ := optimize(t, cat, q, planner.Options{Workers: 2, Devices: place})
		if j := joins(p)[0]; j.Device != tt.want {
			t.Errorf("opened %v: on %s, want %s\n%s", tt.opened, j.Device, tt.want, show(p))
		}
		home := place
		home.Device = "cpu"
		if p, _ = optimize(t, cat, q, planner.Options{Workers: 2, Devices: home}); p.Est.TotalMS >= 1000 {
			t.Errorf("the CPU's plan costs %g ms, enough for starting devices", p.Est.TotalMS)
		}
	}
}

// TestSortsOnDevices checks where orders run, and that a top-N of few rows stays.
func TestSortsOnDevices(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const all, few = "SELECT id, f FROM big ORDER BY f", "SELECT id, f FROM big ORDER BY f LIMIT 10"
	slow := fakeMachine("auto", 4, 400, 0)
	slow.Open = func(string) (devices []cost.Accelerator, reason string) {
		for i := range 4 {
			dev := cost.DefaultAccelerator(physical.Device(fmt.Sprintf("gpu:%d", i)), 0)
			dev.PeerGBs, dev.CollectGBs = 0.5, 500
			devices = append(devices, dev)
		}
		return devices, ""
	}
	for _, tt := range []struct {
		name, sql string
		place     implement.Placement
		want      physical.Device
	}{
		{"by price", all, fakeMachine("auto", 4, 400, 0), "gpu:0,1,2,3"},
		{"one device", all, fakeMachine("auto", 1, 400, 0), "gpu:0"},
		{"slow links between devices", all, slow, "gpu:0"},
		{"requested", all, fakeMachine("gpu:0,1", 2, 0.1, 0), "gpu:0,1"},
		{"one is requested", all, fakeMachine("gpu", 2, 400, 0), "cpu"},
		{"too little memory", all, fakeMachine("gpu:0,1", 2, 400, 1<<30), "cpu"},
		{"few rows are kept", few, fakeMachine("gpu:0,1", 2, 400, 0), "cpu"},
		{"many rows are kept", "SELECT id, f FROM big ORDER BY f LIMIT 1000000", fakeMachine("gpu:0,1", 2, 400, 0), "gpu:0,1"},
		{"fewer rows", "SELECT id, v FROM fact ORDER BY v", fakeMachine("auto", 4, 400, 0), "gpu:0"},
		{"few rows", "SELECT id, g FROM dim ORDER BY g", fakeMachine("auto", 4, 400, 0), "cpu"},
		{"again for each row", "SELECT (SELECT COUNT(*) FROM (SELECT * FROM dim WHERE g > t.k + RAND() ORDER BY g LIMIT 70000) d) FROM tiny t", fakeMachine("gpu:0,1", 2, 400, 0), "cpu"},
	} {
		p, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: tt.place})
		if got := whereSorted(p); got != tt.want {
			t.Errorf("%s: on %s, want %s\n%s", tt.name, got, tt.want, show(p))
		}
		checkTotals(t, tt.name, p)
		checkShape(t, tt.name, p, nil)
	}
}

// whereSorted returns the device of a plan's first Sort.
func whereSorted(n *physical.Node) physical.Device {
	if _, ok := n.Op.(*physical.Sort); ok {
		return n.Device
	}
	for _, in := range n.In {
		if d := whereSorted(in); d != "" {
			return d
		}
	}
	return ""
}
