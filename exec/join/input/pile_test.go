package input

import (
	"context"
	"fmt"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestPiles collects texts in several stores. Rows must be in the order of the input, and all
// memory must be released.
func TestPiles(t *testing.T) {
	const rows = 3*pileRows + 77
	text := types.T(types.String)
	rel := optest.New(1, text)
	for i := range rows {
		d := catalog.Datum{Type: text, Str: fmt.Sprintf("text %d", i)}
		if i%1000 == 999 {
			d = catalog.Datum{Type: text, Null: true}
		}
		rel.Rows = append(rel.Rows, []catalog.Datum{d})
	}
	c, err := NewCollector(rel.Cols, []expr.Expr{rel.Col(0)})
	if err != nil {
		t.Fatal(err)
	}
	for workers := 1; workers <= 3; workers++ {
		root := mem.NewRoot("query", 0)
		in := optest.NewInput(rel, 1000)
		side, free, err := c.Collect(&op.Ctx{Context: context.Background(), Mem: root, Workers: workers}, in, root)
		if err != nil || side.Rows != rows {
			t.Fatalf("%d rows, not %d: %v", side.Rows, rows, err)
		}
		for i, x := range side.Keys[0].Str {
			null := side.Keys[0].Null[i]
			if null != (i%1000 == 999) || !null && x != rel.Rows[i][0].Str {
				t.Fatalf("%d workers: row %d is %q, NULL %v", workers, i, x, null)
			}
		}
		free()
		if used := root.Used(); used != 0 {
			t.Errorf("%d workers: %d bytes are held", workers, used)
		}
	}
}

// TestPilesAreFewStores checks that only texts are divided among several stores, none of which has
// more rows than allowed.
func TestPilesAreFewStores(t *testing.T) {
	for _, one := range []struct {
		typ    types.Type
		stores int
	}{{types.T(types.Int64), 1}, {types.T(types.String), 3}} {
		rows := make([][]catalog.Datum, 1000)
		for i := range rows {
			rows[i] = []catalog.Datum{{Type: one.typ, Str: "x"}}
		}
		root := mem.NewRoot("query", 0)
		p := NewPile([]types.Type{one.typ}, root)
		rel := optest.New(1, one.typ)
		rel.Rows = rows
		in, err := optest.NewInput(rel, len(rows)).Stream()
		if err != nil {
			t.Fatal(err)
		}
		b, err := in.Next()
		for range 2*pileRows/len(rows) + 1 {
			if err == nil {
				err = p.Append(b)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Stores) != one.stores || p.Rows() != (2*pileRows/len(rows)+1)*len(rows) {
			t.Errorf("%s: %d rows in %d stores", one.typ, p.Rows(), len(p.Stores))
		}
		for _, s := range p.Stores {
			s.Free()
		}
	}
}
