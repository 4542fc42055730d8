package tpcds

import (
	"strings"
	"testing"
)

func TestRollupInDuckDB(t *testing.T) {
	got := DuckDB("SELECT a, b, SUM(c) FROM t GROUP BY a, b WITH ROLLUP ORDER BY a")
	if want := "SELECT a, b, SUM(c) FROM t GROUP BY ROLLUP (a, b) ORDER BY a"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	inner := DuckDB("SELECT * FROM (SELECT a FROM t GROUP BY x, y) u GROUP BY a WITH ROLLUP")
	if want := "SELECT * FROM (SELECT a FROM t GROUP BY x, y) u GROUP BY ROLLUP (a)"; inner != want {
		t.Errorf("%s\nwant %s", inner, want)
	}
}

// TestRandom checks that every placeholder for a random value is replaced, and that the values depend on the
// column alone.
func TestRandom(t *testing.T) {
	e := "R[10] + T[qty] + P['U','R','T']"
	got := random("t.c", e)
	for _, left := range []string{"R[", "T[", "P["} {
		if strings.Contains(got, left) {
			t.Error(got)
		}
	}
	if strings.Count(got, "hash(i ") != 2 || strings.Count(got, "hash(t ") != 1 || !strings.Contains(got, "% 3)") {
		t.Error(got)
	}
	if random("t.c", e) != got || random("t.d", e) == got {
		t.Error("values do not depend on the name alone")
	}
}

// TestTables compares the tables and their rows at scale factor 1 with the specification.
func TestTables(t *testing.T) {
	want := map[string]string{"date_dim": "range(73049)", "time_dim": "range(86400)", "customer": "range(100000)", "customer_address": "range(50000)", "customer_demographics": "range(1920800)",
		"household_demographics": "range(7200)", "item": "range(18000)", "store": "range(12)", "warehouse": "range(5)", "catalog_page": "range(11718)", "promotion": "range(300)",
		"store_sales": "range(2880408)", "catalog_sales": "range(1441548)", "web_sales": "range(719388)", "inventory": "range(11745000)"}
	seen := map[string]bool{}
	for _, table := range Tables(1) {
		seen[table.Name] = true
		if rows := want[table.Name]; !strings.Contains(table.SQL, rows) {
			t.Errorf("%s is not made from %s", table.Name, rows)
		}
	}
	if len(seen) != 24 {
		t.Errorf("%d tables", len(seen))
	}
}
