package planner_test

import (
	"testing"

	"gsql/planner"
	"gsql/planner/physical"
	"gsql/planner/plantest"
)

// TestAppliedEstimates plans subqueries that run once for each outer value: their rows are
// estimated from the values of the outer column, and a LIMIT without an order stops the scan.
func TestAppliedEstimates(t *testing.T) {
	cat := plantest.MustDefine(warehouse)
	inner := func(sub string) (scan, apply *physical.Node) {
		p, _ := optimize(t, cat, "SELECT dim.id, ("+sub+") FROM dim", planner.Options{Workers: 1})
		var visit func(n *physical.Node)
		visit = func(n *physical.Node) {
			switch op := n.Op.(type) {
			case *physical.Apply:
				apply = n
			case *physical.Scan:
				if op.Table.Name() == "fact" {
					scan = n
				}
			}
			for _, in := range n.In {
				visit(in)
			}
		}
		visit(p)
		if scan == nil || apply == nil {
			t.Fatalf("%s: no Apply\n%s", sub, show(p))
		}
		return scan, apply
	}
	// fact has a million rows, whose d is distributed evenly over 1 to 1000, like dim.id.
	for _, c := range []struct {
		condition string
		rows      float64
	}{
		{"d <= dim.id", 500e3},
		{"d < dim.id AND v > dim.id", 500e3},
		{"d BETWEEN dim.id AND dim.id + 9", 10e3},
		{"d > dim.id + 900", 5e3},
	} {
		scan, _ := inner("SELECT s FROM fact WHERE " + c.condition + " ORDER BY CONCAT(s, id) LIMIT 1")
		if rows := scan.Est.Rows; rows < c.rows/2 || rows > 2*c.rows {
			t.Errorf("%s: %.0f rows are expected, there are %.0f", c.condition, rows, c.rows)
		}
	}
	_, ordered := inner("SELECT s FROM fact WHERE d <= dim.id ORDER BY CONCAT(s, id) LIMIT 1")
	_, any := inner("SELECT s FROM fact WHERE d <= dim.id LIMIT 1")
	if any.Est.TotalMS > ordered.Est.TotalMS/10 {
		t.Errorf("an arbitrary row costs %g ms, the first one of an order %g ms", any.Est.TotalMS, ordered.Est.TotalMS)
	}
}
