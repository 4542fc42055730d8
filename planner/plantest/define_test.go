package plantest

import (
	"context"
	"errors"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func TestDefine(t *testing.T) {
	c := MustDefine(`
table Orders rows=1500
  id     bigint primary ndv=1500
  price  decimal(15,2) nulls=12 min=1.50 max=900.00
  day    date min=1970-01-02 sorted
  unique(price, day)
view v = SELECT id FROM orders
`)
	tab := c.Lookup("orders")
	if tab == nil || tab.Statistics.Rows != 1500 || len(tab.Shape.Columns) != 3 {
		t.Fatalf("got %+v", tab)
	}
	if !tab.Shape.Columns[0].NotNull || tab.Shape.Columns[1].NotNull {
		t.Error("a primary key column is NOT NULL, others are not")
	}
	if ix := tab.Shape.Indexes; len(ix) != 2 || !ix[0].Primary || ix[1].Columns[1] != 2 {
		t.Errorf("keys: %+v", ix)
	}
	if m := tab.Statistics.Columns[1].Min; m.Text() != "1.50" || m.Type != types.Dec(15, 2) {
		t.Errorf("min %s of %v", m.Text(), m.Type)
	}
	if m := tab.Statistics.Columns[2].Min; m.I64 != 1 || !tab.Statistics.Columns[2].Sorted {
		t.Errorf("day one is 1, got %d", m.I64)
	}
	if o, err := c.Table(context.Background(), "", "V"); err != nil || o.View.SQL != "SELECT id FROM orders" {
		t.Errorf("view: %+v, %v", o, err)
	}
	if _, err := c.Table(context.Background(), "", "w"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("got %v, want 1146", err)
	}
}

func TestDefineRejects(t *testing.T) {
	for _, text := range []string{"a int", "table", "table t\n a foo", "table t\n a int frob", "table t\n a int\n unique(b)", "table t rows=x"} {
		if err := New().Define(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}
