package implement

import (
	"testing"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestPricesOfSeveralFilters checks that a scan pays for a filter only on the rows that earlier
// filters leave, and that a filter does not reduce the cost of testing those.
func TestPricesOfSeveralFilters(t *testing.T) {
	table := plantest.MustDefine("table t rows=1000000\n a bigint\n b bigint\n c bigint\n d bigint").Lookup("t")
	p := newPlanner(&logical.Values{}, Options{})
	n := &physical.Node{Op: &physical.Scan{Table: table, Ordinals: []int{0, 1, 2, 3}}, Device: physical.CPU, Est: physical.Estimate{Rows: 1e6, CostMS: 8, TotalMS: 8}}
	for i := range 4 {
		n.Cols = append(n.Cols, logical.Column{ID: expr.ColID(i + 1), T: types.T(types.Int64)})
	}
	filtered := func(n *physical.Node, col int, share float64) *physical.Node {
		f := &reduction{p: p, share: share, filter: physical.DynamicFilter{Keeps: share}}
		return f.restrict(n, &expr.Col{ID: expr.ColID(col), T: types.T(types.Int64)})
	}
	testing1 := p.cpu.TestFilter(1e6)
	one := filtered(n, 1, 0.01)
	if want := 8*0.01 + 8.0/4*0.99 + testing1; !near(one.Est.CostMS, want) {
		t.Errorf("a filter that keeps 1 %%: %g ms, want %g", one.Est.CostMS, want)
	}
	// A hundredth of the rows reach the second filter: the second column is read and tested for
	// these, and half of them stay.
	two := filtered(one, 2, 0.5)
	if want := 8*0.01*0.5 + (8.0/4*0.99 + testing1) + 8*0.01/4*0.5 + p.cpu.TestFilter(1e4); !near(two.Est.CostMS, want) || two.Est.Rows != 5000 {
		t.Errorf("another one that keeps half: %g ms and %g rows, want %g ms and 5000", two.Est.CostMS, two.Est.Rows, want)
	}
	if one.Op.(*physical.Scan).FilterMS == two.Op.(*physical.Scan).FilterMS || n.Op.(*physical.Scan).FilterMS != 0 {
		t.Error("plans without the filter have its price")
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
