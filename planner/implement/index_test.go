package implement

import (
	"testing"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/planner/plantest"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestIndexJoinTestsColumns checks that an index join pays for the columns that its residual
// predicates read. Of two predicates with equally many terms, the one that reads one more column
// must cost more by the price of fetching that column in a hash join over the same rows.
func TestIndexJoinTestsColumns(t *testing.T) {
	cat := plantest.MustDefine("table few rows=1000\n a bigint ndv=1000\n b bigint\n c bigint\ntable many rows=1000000\n k bigint primary found ndv=1000000\n x bigint")
	p := newPlanner(&logical.Values{}, Options{Placement: Placement{CPU: cost.Default(1)}})
	bigint := types.T(types.Int64)
	next := expr.ColID(0)
	scan := func(name string) *logical.Scan {
		s := &logical.Scan{Table: cat.Lookup(name), Alias: name}
		for _, c := range s.Table.Schema().Columns {
			next++
			s.Columns = append(s.Columns, logical.Column{ID: next, Name: c.Name, Table: name, T: bigint})
			s.Ordinals = append(s.Ordinals, len(s.Ordinals))
		}
		return s
	}
	few, many := scan("few"), scan("many")
	a, b, c, k, x := few.Columns[0].Ref(), few.Columns[1].Ref(), few.Columns[2].Ref(), many.Columns[0].Ref(), many.Columns[1].Ref()
	call := func(fn expr.FuncID, l, r expr.Expr) expr.Expr {
		e, err := expr.NewCall(fn, []expr.Expr{l, r}, -1)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	need := colset.Of(few.Columns)
	need.AddColumns(many.Columns)
	price := func(residual expr.Expr) (index, hash float64) {
		j := &logical.Join{L: many, R: few, On: []expr.Expr{call(expr.FuncEQ, k, a), residual}}
		lv, err := p.plan(many, need)
		if err != nil {
			t.Fatal(err)
		}
		rv, err := p.plan(few, need)
		if err != nil {
			t.Fatal(err)
		}
		bid := p.newBidder(j, lv, rv, need)
		found := indexCandidate(bid, nil, false)
		if len(found) != 1 {
			t.Fatalf("%s: no index join", residual)
		}
		in := bid.keyedInput(false)
		in.Probe, in.Terms = min(in.Probe, found[0].in[0].Est.Rows), terms(residual)
		in.Tested = columnsRead([]expr.Expr{residual})
		return found[0].ms, cpuPrice(p, physical.Hash, &in)
	}
	two, hashTwo := price(call(expr.FuncNE, call(expr.FuncAdd, b, b), x))
	three, hashThree := price(call(expr.FuncNE, call(expr.FuncAdd, b, c), x))
	if hashThree <= hashTwo {
		t.Fatalf("a hash join that reads another column costs %g ms, without %g ms", hashThree, hashTwo)
	}
	if !near(three-two, hashThree-hashTwo) {
		t.Errorf("another column costs %g ms, want %g ms", three-two, hashThree-hashTwo)
	}
}
