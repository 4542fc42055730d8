package planner_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/planner/template"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// pipelined returns a GPU that runs pipelines over columns in its memory.
func pipelined(device string) implement.Placement {
	place := fakeDevice(device, 50, 0)
	resident := func(catalog.Table, int) bool { return true }
	place.Forms = plantest.Forms{Resident: resident}
	place.Resident = func(_ physical.Device, t catalog.Table, o int) bool { return resident(t, o) }
	return place
}

// within returns what runs as pipelines: the operators below each Pipelines node.
func within(n *physical.Node) string {
	if n.Op.Kind() == fuse.BidName {
		return "[" + strings.ReplaceAll(kinds(n.In[0]), "@"+string(n.Device), "") + "]"
	}
	var parts []string
	for _, in := range n.In {
		if s := within(in); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// TestPipelines checks which subtrees run as pipelines, and what is reported.
func TestPipelines(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	for _, tt := range []struct{ name, device, sql, want, warned string }{
		{"groups", "auto", "SELECT f, COUNT(*) FROM big GROUP BY f", "[hash_agg scan]", ""},
		{"the largest subtree", "auto", "SELECT g, SUM(x) FROM (SELECT d, SUM(id) x FROM items JOIN fact USING (id) GROUP BY d) y JOIN dim ON y.d = dim.id GROUP BY g ORDER BY g", "[hash_agg hash_join hash_agg hash_join scan scan scan]", ""},
		{"below a sort", "auto", "SELECT f, COUNT(*) n FROM big GROUP BY f ORDER BY n LIMIT 3", "[hash_agg scan]", ""},
		{"cheap", "auto", "SELECT g, COUNT(*) FROM dim GROUP BY g", "", ""},
		{"all rows are returned", "auto", "SELECT f FROM big", "", ""},
		{"off", "cpu", "SELECT f, COUNT(*) FROM big GROUP BY f", "", ""},
		{"whatever it costs", "gpu", "SELECT g, COUNT(*) FROM dim GROUP BY g", "[hash_agg scan]", ""},
		{"a filter", "sim", "SELECT g FROM dim WHERE g > 3", "[scan]", ""},
		{"a key", "sim", "SELECT g FROM dim WHERE id = 3", "", ""},
		{"keys", "sim", "SELECT v FROM items WHERE id IN (3, 5)", "", ""},
		{"nothing to do", "sim", "SELECT g FROM dim", "", ""},
		{"no rows of tables", "sim", "SELECT COUNT(*) FROM (SELECT 1 UNION ALL SELECT 2) x", "", ""},
		{"rows in order", "sim", "SELECT g, @n := @n + 1 FROM dim WHERE g > 3", "", ""},
		{"random numbers", "sim", "SELECT g, COUNT(*) FROM dim WHERE RAND() < 0.5 GROUP BY g", "", ""},
		{"runs repeatedly", "sim", "SELECT id, (SELECT s FROM fact JOIN tiny ON fact.d = tiny.k WHERE v + m > dim.id ORDER BY s LIMIT 1) FROM dim", "",
			"3889 A join runs on the CPU, not on sim:0: runs again for each row of an outer query"},
		{"no form for a join", "sim", "SELECT a.s, b.s FROM fact a JOIN words b ON a.s < b.s", "",
			"3889 A join runs on the CPU, not on sim:0: operand type VARCHAR is not for the device"},
		{"no form for one of two joins", "sim", "SELECT COUNT(*) FROM (SELECT DISTINCT a.s FROM fact a JOIN dim ON a.d = dim.id) x JOIN words b ON x.s < b.s", "[hash_agg hash_join scan scan]",
			"3889 A join runs on the CPU, not on sim:0: no form for GroupJoin inner"},
		{"text as the key of a join", "sim", "SELECT COUNT(*) FROM fact a JOIN words b ON a.s = b.s", "[project hash_agg hash_join scan hash_agg scan]", ""},
		{"hint", "auto", "SELECT /*+ GPU(tiny) */ g FROM dim JOIN tiny ON tiny.id = dim.g", "[hash_join scan scan]", ""},
		{"hint, text", "auto", "SELECT /*+ GPU(words) */ a.s FROM fact a JOIN words ON a.s = words.s", "[hash_join scan scan]", ""},
		{"hint in vain", "auto", "SELECT /*+ GPU(words) */ a.s FROM fact a JOIN words ON a.s < words.s", "",
			"3126 Hint GPU(words) is ignored: operand type VARCHAR is not for the device"},
		{"hint against", "gpu", "SELECT /*+ CPU(dim) */ g, x FROM (SELECT d, COUNT(*) x FROM fact GROUP BY d) y JOIN dim ON y.d = dim.id", "[hash_agg scan]", ""},
	} {
		p, s := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: pipelined(tt.device)})
		if got := within(p); got != tt.want {
			t.Errorf("%s: %s\n want %s\n%s", tt.name, got, tt.want, show(p))
		}
		if got := strings.Join(s.warnings, " "); got != tt.warned {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.warned)
		}
		checkTotals(t, tt.name, p)
		checkShape(t, tt.name, p, nil)
		checkRefs(t, tt.name, p)
		again, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: pipelined(tt.device), WinnersOnly: true})
		if kinds(again) != kinds(p) {
			t.Errorf("%s: another plan without the bids that lost\n%s", tt.name, show(again))
		}
	}
}

// TestPipelinesKeepThePlan checks that a subtree of pipelines is the CPU's plan of it.
func TestPipelinesKeepThePlan(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const sql = "SELECT g, SUM(v) FROM huge JOIN fact ON huge.b = fact.id JOIN dim ON d = dim.id WHERE v > 7 AND dim.g = 3 GROUP BY g"
	onCPU, _ := optimize(t, cat, sql, planner.Options{Workers: 2})
	p, _ := optimize(t, cat, sql, planner.Options{Workers: 2, Devices: pipelined("gpu")})
	if p.Op.Kind() != fuse.BidName {
		t.Fatalf("not on the device\n%s", show(p))
	}
	var compare func(a, b *physical.Node)
	compare = func(a, b *physical.Node) {
		an, ad := a.Op.Describe()
		bn, bd := b.Op.Describe()
		if an != bn || !slices.Equal(ad, bd) || a.Est.Rows != b.Est.Rows || b.Device != "gpu:0" || len(a.In) != len(b.In) || len(a.Cols) != len(b.Cols) {
			t.Fatalf("%s %q of the CPU's plan is %s %q\n%s", an, ad, bn, bd, show(p))
		}
		for i := range a.In {
			compare(a.In[i], b.In[i])
		}
	}
	compare(onCPU, p.In[0])
}

// TestFused checks that a device's form of a subtree is estimated without dynamic filters.
func TestFused(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT s FROM fact JOIN dim ON d = dim.id WHERE g = 3", planner.Options{Workers: 2})
	join := joins(p)[0]
	probe := 1 - join.Op.(*physical.Join).Built()
	if scan := join.In[probe]; len(scan.Op.(*physical.Scan).Dynamic) != 1 || math.Round(scan.Est.Rows) != 100000 {
		t.Fatalf("no scan of a tenth of fact's rows\n%s", show(p))
	}
	fused := joins(fuse.Fused(p))[0]
	if scan := fused.In[probe]; len(scan.Op.(*physical.Scan).Dynamic) > 0 || math.Round(scan.Est.Rows) != 1000000 || fused.Est.Rows != join.Est.Rows {
		t.Errorf("without dynamic filters:\n%s", show(fused))
	}
	if below := fuse.Fused(join.In[probe]); math.Round(below.Est.Rows) != 1000000 {
		t.Errorf("without the join:\n%s", show(below))
	}
}

// TestRequestedDeviceIsLacking checks that a plan without the device that a setting requests is the
// best one for the CPU.
func TestRequestedDeviceIsLacking(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const lacking = "3889 The query runs on the CPU: there are none today"
	for _, tt := range []struct{ sql, warned string }{
		{"SELECT SUM(points.x) FROM points JOIN spans ON points.x > spans.lo", lacking}, // a group join: the pairs are 10^10
		{"SELECT g, SUM(v) FROM fact JOIN dim ON d = dim.id GROUP BY g", lacking},
		{bigJoin, lacking},
		{"WITH c AS (SELECT d, COUNT(*) n FROM fact GROUP BY d) SELECT * FROM c a JOIN c b ON a.n < b.n", lacking},
		{"SELECT f, COUNT(*) FROM big GROUP BY f", ""},
	} {
		onCPU, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2})
		for _, forms := range []fuse.Forms{nil, plantest.Forms{}} {
			place := implement.Placement{Device: "gpu", Forms: forms, Open: func(string) ([]cost.Accelerator, string) { return nil, "there are none today" }}
			p, s := optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: place})
			if show(p) != show(onCPU) {
				t.Errorf("%s:\n%s\nwant:\n%s", tt.sql, show(p), show(onCPU))
			}
			if got := strings.Join(s.warnings, " "); got != tt.warned {
				t.Errorf("%s: warnings %q, want %q", tt.sql, got, tt.warned)
			}
		}
	}
}

// TestPipelinesOpenDevicesLate checks which plans cause devices to be opened if they run pipelines.
func TestPipelinesOpenDevicesLate(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	const some = "SELECT d, COUNT(*) FROM fact GROUP BY d" // takes more than 0.1 ms and less than 5
	for _, tt := range []struct {
		device, sql string
		opened      bool
		want        bool
	}{
		{"auto", "SELECT f, COUNT(*) FROM big GROUP BY f", false, true},
		{"auto", some, false, false},
		{"auto", some, true, true},
		{"auto", "SELECT g, COUNT(*) FROM dim GROUP BY g", true, false},
		{"gpu", "SELECT g, COUNT(*) FROM dim GROUP BY g", false, true},
		{"gpu", "SELECT g FROM dim WHERE id = 4", false, false},
		{"gpu", "SELECT g FROM dim", false, false},
		{"cpu", "SELECT f, COUNT(*) FROM big GROUP BY f", true, false},
	} {
		place := pipelined(tt.device)
		asked := false
		open := place.Open
		place.Open = func(kind string) ([]cost.Accelerator, string) {
			asked = true
			return open(kind)
		}
		place.Opened = func(string) bool { return tt.opened }
		optimize(t, cat, tt.sql, planner.Options{Workers: 2, Devices: place})
		if asked != tt.want {
			t.Errorf("%s under %s, open: %t: asks for a device: %t", tt.sql, tt.device, tt.opened, asked)
		}
	}
}

// TestPipelinesOfTemplates checks that a plan kept with placeholders gets their values below a
// Pipelines node, and that forms see values instead of placeholders.
func TestPipelinesOfTemplates(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	p, _ := optimize(t, cat, "SELECT d, COUNT(*) FROM fact WHERE v < 50000 GROUP BY d", planner.Options{Workers: 2, Devices: pipelined("gpu")})
	if p.Op.Kind() != fuse.BidName {
		t.Fatalf("not on the device\n%s", show(p))
	}
	held := holding(p)
	plan, good := template.New(held).With([]catalog.Datum{valueOf(p, 49000)})
	if !good {
		t.Error("a similar value needs another plan")
	}
	if got := show(plan); !strings.Contains(got, "fact.v < 49000") || plan.Op.Kind() != fuse.BidName || plan.Device != "gpu:0" {
		t.Errorf("the kept plan:\n%s", got)
	}
}

// constant returns the constant of the scan's predicate.
func constant(p *physical.Node) *expr.Const {
	for len(p.In) > 0 {
		p = p.In[0]
	}
	return p.Op.(*physical.Scan).Preds[0].(*expr.Call).Args[1].(*expr.Const)
}

func valueOf(p *physical.Node, v int64) catalog.Datum {
	d := constant(p).Value
	d.I64 = v
	return d
}

// holding returns a copy of a plan with a placeholder instead of the constant.
func holding(n *physical.Node) *physical.Node {
	m := *n
	m.Op = physical.MapExprs(n.Op, func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if c, ok := e.(*expr.Const); ok {
				return &expr.Placeholder{Value: c.Value}
			}
			return e
		})
	})
	m.In = nil
	for _, in := range n.In {
		m.In = append(m.In, holding(in))
	}
	return &m
}

// TestPipelinePrices compares prices with sums by hand.
func TestPipelinePrices(t *testing.T) {
	dev := cost.Accelerator{MemoryGBs: 1000, ProbeNearG: 10, ProbeFarG: 5, BuildNearG: 4, BuildFarG: 2, CacheBytes: 100, LaunchUS: 4, WaitUS: 10, CompileMS: 15}
	passes := []cost.Pass{
		{Bytes: 5e9, Accesses: []cost.Access{{Count: 1e6, Bytes: 50}}},                                         // 5 ms; 0.1 ms
		{Bytes: 1e6, Accesses: []cost.Access{{Count: 1e8, Bytes: 200}, {Count: 4e7, Bytes: 1, Updates: true}}}, // 0.001 ms; 5 + 10 ms, and 10 ms
	}
	if got := dev.Pipelines(passes); math.Abs(got-30) > 1e-9 {
		t.Errorf("passes take %g ms, want 30", got)
	}
	if got := dev.Launches(5); math.Abs(got-0.04) > 1e-9 {
		t.Errorf("launches take %g ms, want 0.04", got)
	}
	if got := dev.Compile(5, 2); got != 45 {
		t.Errorf("compiling takes %g ms, want 45", got)
	}
	if got := dev.Compile(0, 2); got != 0 {
		t.Errorf("compiling nothing takes %g ms", got)
	}
}

// TestPipelinesOfAllPlans checks the shape of the plans of all golden files with pipelines.
func TestPipelinesOfAllPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	plans, placed := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(text), "====\n")
		cat := plantest.MustDefine(parts[0])
		for _, c := range parts[1:] {
			in, _, _ := strings.Cut(c, "----\n")
			_, sql, _ := strings.Cut(strings.TrimSpace(in), "\n")
			for _, device := range []string{"auto", "gpu"} {
				p, _ := optimize(t, cat, sql, planner.Options{Workers: 2, Devices: pipelined(device)})
				checkTotals(t, sql, p)
				checkShape(t, sql, p, nil)
				checkRefs(t, sql, p)
				plans++
				if within(p) != "" {
					placed++
				}
			}
		}
	}
	if placed < plans/3 {
		t.Errorf("%d of %d plans with pipelines", placed, plans)
	}
}
