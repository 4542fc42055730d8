package tpch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	rows := map[string]int64{}
	if err := Generate(context.Background(), dir, 0.002, func(table string, n int64) { rows[table] = n }); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"region": 5, "nation": 25, "supplier": 20, "customer": 300, "part": 400, "partsupp": 1600, "orders": 3000}
	for name, n := range want {
		if rows[name] != n {
			t.Errorf("%s has %d rows, want %d", name, rows[name], n)
		}
		if _, err := os.Stat(filepath.Join(dir, name+".parquet")); err != nil {
			t.Error(err)
		}
	}
	if n := rows["lineitem"]; n < 3*3000 || n > 5*3000 {
		t.Errorf("lineitem has %d rows; 4 an order are expected", n)
	}
	if err := Generate(context.Background(), dir, 0, nil); err == nil {
		t.Error("scale factor 0 was taken")
	}
}

// TestGenerateGivesUp: tables that could not be written to their end are not there, nor parts of
// them; earlier files of their names stay.
func TestGenerateGivesUp(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	kept := filepath.Join(dir, "lineitem.parquet")
	if err := os.WriteFile(kept, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	last := ""
	err := Generate(ctx, dir, 0.05, func(table string, _ int64) {
		if last = table; table == "orders" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last != "orders" {
		t.Fatalf("it ended after %s with %v", last, err)
	}
	if data, err := os.ReadFile(kept); err != nil || string(data) != "old" {
		t.Errorf("lineitem is %q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(tables) {
		t.Errorf("%v, %v", entries, err)
	}
}

// The rules of clause 4.2.3 that queries rely on.
func TestOrders(t *testing.T) {
	s := newScale(0.01)
	last := int64(0)
	for i := range s.orders {
		if k := orderKey(i); k <= last || (k-1)%32 >= 8 {
			t.Fatalf("order key %d after %d", k, last)
		}
		last = orderKey(i)
		o := s.orderAt(i)
		if o.customer%3 == 0 || o.customer < 1 || o.customer > s.customers || o.date < startDate || o.date > endDate-151 {
			t.Fatalf("order %d: customer %d, date %d", i, o.customer, o.date)
		}
		for _, l := range o.lines {
			offered := false
			for k := range int64(suppliersPerPart) {
				offered = offered || l.supplier == s.supplierOf(l.part, k)
			}
			if !offered || l.supplier < 1 || l.supplier > s.suppliers || l.receipt <= l.ship || l.receipt > endDate {
				t.Fatalf("order %d: %+v", i, l)
			}
			if (l.returned == "N") != (l.receipt > currentDate) || (l.status == "O") != (l.ship > currentDate) {
				t.Fatalf("order %d: flags of %+v", i, l)
			}
		}
	}
}

// TestSuppliers checks that a part has four suppliers at small scale factors too.
func TestSuppliers(t *testing.T) {
	for _, sf := range []float64{leastScale, 0.001, 0.004, 0.0099, 0.01, 1} {
		s := newScale(sf)
		for part := int64(1); part <= s.parts; part++ {
			of := map[int64]bool{}
			for i := range int64(suppliersPerPart) {
				of[s.supplierOf(part, i)] = true
			}
			if len(of) != suppliersPerPart {
				t.Fatalf("scale factor %g: part %d has suppliers %v", sf, part, of)
			}
		}
	}
}

func TestRemarks(t *testing.T) {
	s := newScale(0.1)
	b := array.NewRecordBuilder(memory.DefaultAllocator, tables[2].schema)
	defer b.Release()
	fillSupplier(s, 0, s.suppliers, b)
	rec := b.NewRecord()
	defer rec.Release()
	comments := rec.Column(6).(*array.String)
	found := map[string]int{}
	for i := range comments.Len() {
		c := comments.Value(i)
		if len(c) < 25 || len(c) > 100 {
			t.Fatalf("comment of %d letters: %q", len(c), c)
		}
		if _, after, ok := strings.Cut(c, "Customer"); ok {
			for _, what := range []string{"Complaints", "Recommends"} {
				if strings.Contains(after, what) {
					found[what]++
				}
			}
		}
	}
	if found["Complaints"] != 2 || found["Recommends"] != 2 { // 1000 suppliers, one in 500 at this scale
		t.Errorf("remarks %v, want 2 of either", found)
	}
}
