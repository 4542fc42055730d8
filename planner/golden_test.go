package planner_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gsql/planner"
	"gsql/planner/cost"
	"gsql/planner/explain"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// TestGolden checks EXPLAIN against the files of testdata. A file is a catalog, then cases
// separated by lines of ====. A case is a format (table, tree, json or analyze) with devices, the
// statement, a line of ---- and the output. Words after the format describe the devices: auto,
// gpu or sim as in gsql_device, resident=t.c for columns in device memory, free=N for its free
// bytes of memory, open if it is in use already, and forms if it runs pipelines, compile if their
// kernels must be compiled. Statistics and the cost profile are injected, so that nothing depends on
// the machine.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(text), "====\n")
		cat := plantest.MustDefine(parts[0])
		out := parts[:1]
		for _, c := range parts[1:] {
			in, want, _ := strings.Cut(c, "----\n")
			format, sql, _ := strings.Cut(strings.TrimSpace(in), "\n")
			got := render(t, cat, format, sql)
			if got != want && !*rewrite {
				t.Errorf("%s: %s\n%s\ngot:\n%swant:\n%s", f, format, sql, got, want)
			}
			out = append(out, format+"\n"+sql+"\n----\n"+got)
		}
		if *rewrite {
			if err := os.WriteFile(f, []byte(strings.Join(out, "====\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func render(t *testing.T, cat *plantest.Catalog, format, sql string) string {
	words := strings.Fields(format)
	format = words[0]
	p, s := optimize(t, cat, sql, planner.Options{Workers: 2, Devices: devicesOf(t, words[1:])})
	var lines []string
	for _, w := range s.warnings {
		lines = append(lines, "warning "+w)
	}
	switch format {
	case "table":
		lines = append(lines, aligned(explain.Columns(nil), explain.Table(p, nil))...)
	case "analyze":
		m := measure(p)
		lines = append(lines, aligned(explain.Columns(m), explain.Table(p, m))...)
		lines = append(lines, explain.Tree(p, m)...)
	case "tree":
		lines = append(lines, explain.Tree(p, nil)...)
	case "json":
		js, err := explain.JSON(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, js...)
	default:
		t.Fatalf("no format %q", format)
	}
	return strings.Join(lines, "\n") + "\n"
}

// devicesOf parses a description of devices.
func devicesOf(t *testing.T, words []string) (pl implement.Placement) {
	resident, free := map[string]bool{}, 0.0
	pl.Resident = func(_ physical.Device, tab catalog.Table, ordinal int) bool {
		return resident[tab.Name()+"."+tab.Schema().Columns[ordinal].Name]
	}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "resident":
			resident[value] = true
		case "free":
			var err error
			if free, err = strconv.ParseFloat(value, 64); err != nil {
				t.Fatal(err)
			}
		case "open":
			pl.Opened = func(string) bool { return true }
		case "forms", "compile":
			pl.Forms = plantest.Forms{Unknown: name == "compile", Resident: func(tab catalog.Table, ordinal int) bool { return pl.Resident("", tab, ordinal) }}
		default:
			pl.Device = w
		}
	}
	if len(words) > 0 {
		pl.Open = func(kind string) ([]cost.Accelerator, string) {
			return []cost.Accelerator{cost.DefaultAccelerator(firstOf(kind), free)}, ""
		}
	}
	return pl
}

// measure invents metrics: twice the estimated rows, a millisecond and a KiB per ID, for
// transfers the expected bytes, and for joins and pipelines on a device half of their time.
func measure(p *physical.Node) explain.Metrics {
	m := explain.Metrics{}
	var visit func(n *physical.Node)
	visit = func(n *physical.Node) {
		x := &physical.Metrics{Rows: int64(2 * n.Est.Rows), Batches: int64(n.ID), Time: time.Duration(n.ID) * time.Millisecond, Mem: int64(n.ID-1) << 10}
		switch op := n.Op.(type) {
		case *physical.ToDevice:
			x.BytesToDevice = int64(op.Bytes)
		case *physical.FromDevice:
			x.BytesFromDevice = int64(op.Bytes)
		case *physical.Join:
			if n.Device != physical.CPU {
				x.Fallback, x.DeviceTime = "Out of device memory", x.Time/2
			}
		}
		m[n.ID] = x
		if op, ok := n.Op.(*physical.Pipelines); ok {
			x.BytesToDevice, x.BytesFromDevice, x.DeviceTime = int64(op.Bytes), 1<<10, x.Time/2
			return
		}
		for _, in := range n.In {
			visit(in)
		}
	}
	visit(p)
	return m
}

func aligned(head []string, rows [][]string) []string {
	width := make([]int, len(head))
	all := append([][]string{head}, rows...)
	for _, r := range all {
		for i, c := range r {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	var out []string
	for _, r := range all {
		var b strings.Builder
		for i, c := range r {
			fmt.Fprintf(&b, "%s%s | ", c, strings.Repeat(" ", width[i]-len([]rune(c))))
		}
		out = append(out, strings.TrimRight(b.String(), " |"))
	}
	return out
}
