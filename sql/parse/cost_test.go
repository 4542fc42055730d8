package parse_test

import (
	"runtime"
	"strings"
	"testing"

	"gsql/sql/parse"
)

// TestCost compares the estimates with what parsing alone allocates.
func TestCost(t *testing.T) {
	for _, x := range []struct{ before, each, after string }{
		{"SELECT ", "1,", "1"}, {"SELECT 1 IN (", "1,", "1)"}, {"INSERT INTO t VALUES ", "(1),", "(1)"}, {"SELECT ", "'a',", "1"}, {"SELECT ", "a,", "1 FROM t"}, {"SELECT 1 FROM ", "t,", "t"},
		{"INSERT INTO t VALUES ", "(12345,'abcdefghijkl',1.50,NULL),", "(1)"}, {"", "SELECT 1;", "SELECT 1"}, {"SELECT '", "a", "'"}, {"/*", "a", "*/ SELECT 1"}, {"SELECT ", "f(),", "1"},
		{"SELECT ", "CASE WHEN 1 THEN 1 END,", "1"}, {"SELECT ", "@a,", "1"},
	} {
		text := x.before + strings.Repeat(x.each, 100_000/len(x.each)) + x.after
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		stmts, err := parse.Parse(text, 0)
		runtime.ReadMemStats(&after)
		if err != nil || len(stmts) == 0 {
			t.Fatalf("%.30s: %v", text, err)
		}
		taken := int64(after.TotalAlloc - before.TotalAlloc)
		if cost := parse.Cost(text, 0) + 4*int64(len(text)); taken > 2*cost { // what grows leaves its former memory behind
			t.Errorf("%.30s: %d bytes were allocated, %d estimated", text, taken, cost)
		}
	}
	if n := parse.Cost("SELECT 1", 0); n != 0 {
		t.Errorf("%d bytes for a short text", n)
	}
}
