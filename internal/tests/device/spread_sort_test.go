//go:build sim

package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
)

// orders are ORDER BY clauses over the table l of fillSpread: keys that fit in 4 bytes, in 8, and in no word,
// texts, NULLs, and equal keys.
var orders = []string{
	"k, id", "k", "d DESC, id DESC", "u", "v DESC, u, id", "u, w, id", "CONCAT('a longer text ', v % 10, ' ', id)", "v / 7, id", "1 + 0 * id",
}

// TestSpreadSort compares orders on several devices with the CPU's.
func TestSpreadSort(t *testing.T) {
	s := simDB(t).NewSession()
	sets := []string{"sim:0,1", "sim:0,1", "sim:1,6,4", "sim:0,1", "sim:3,2,1,0", "sim:0,1", "sim:0,1"} // many devices take many launches
	n := 0
	for i := range skews {
		for _, rows := range []int{0, 1, 60} {
			fillSpread(t, s, i, rows, 0)
			for range 1 + rows/20 {
				q := "SELECT id, k, u FROM l WHERE id % 11 > 0 ORDER BY " + orders[n%len(orders)]
				execute(t, s, "SET gsql_device = cpu")
				want := mustAnswer(t, s, q)
				set := sets[n%len(sets)]
				if n == 5 {
					set = "sim:all"
				}
				execute(t, s, "SET gsql_device = '"+set+"'")
				onSpread(t, s, skews[i].name, set, q, want)
				n++
			}
		}
	}
	if n < 2*len(orders) {
		t.Errorf("only %d queries", n)
	}
}

// TestSpreadSortExplained checks what EXPLAIN shows of orders on several devices, and why some stay on the CPU.
func TestSpreadSortExplained(t *testing.T) {
	s := simDB(t).NewSession()
	fillSpread(t, s, 0, 3000, 0)
	execute(t, s, "SET gsql_device = 'sim:0,1'")
	const q = "SELECT id, v FROM l ORDER BY v"
	plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n")
	if want := "|sim:0,1|"; !strings.Contains(plan, want) || !strings.Contains(plan, "exchanges 17.6 KB") { // half of 3000 pairs of 12 bytes
		t.Errorf("no bytes in\n%s", plan)
	}
	plan = strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n")
	if !strings.Contains(plan, ", received ") || !strings.Contains(plan, ", balance 1.0") || !strings.Contains(plan, "11.7 KiB out") {
		t.Errorf("neither bytes nor balance in\n%s", plan)
	}
	for sql, why := range map[string]string{
		"SELECT id, v FROM l ORDER BY v LIMIT 5": "a LIMIT keeps few rows",
		"SELECT id, (SELECT COUNT(*) FROM (SELECT * FROM l b WHERE b.k > a.k + RAND() ORDER BY b.v LIMIT 100000) c) FROM l a": "runs again for each row of an outer query",
	} {
		if plan = strings.Join(mustAnswer(t, s, "EXPLAIN FORMAT=JSON "+sql), "\n"); !strings.Contains(plan, why) {
			t.Errorf("%s: no %q in\n%s", sql, why, plan)
		}
	}
}

// TestSpreadSortFails loses devices, takes their memory, and makes rows spill.
func TestSpreadSortFails(t *testing.T) {
	s := simDB(t).NewSession()
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	fillSpread(t, s, 2, 200, 0)
	const q = "SELECT id, k, u FROM l ORDER BY k, u"
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, q)
	run := func(what string) (warnings string) {
		t.Helper()
		if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
			t.Errorf("%s: %v\nwant %v", what, got, want)
		}
		return fmt.Sprint(s.Warnings())
	}
	for at := 0; at < 12; at += 5 {
		execute(t, s, "SET gsql_device = 'sim:4,5'")
		simulated(5).Lose(at)
		if warnings := run("a device is lost"); !strings.Contains(warnings, "ran again on sim:4: ") {
			t.Errorf("lost with launch %d: %s", at, warnings)
		}
		simulated(5).Recover()
	}
	execute(t, s, "SET gsql_device = 'sim:0,1'")
	for limit := 1 << 10; limit < 1<<20; limit *= 8 {
		execute(t, s, fmt.Sprintf("SET gsql_gpu_memory_limit = %d", limit))
		if warnings := run(fmt.Sprint("a device has ", limit, " bytes")); warnings != "[]" && len(s.Fallbacks()) == 0 {
			t.Errorf("%d bytes: %s, without a fallback", limit, warnings)
		}
	}
	execute(t, s, "SET gsql_gpu_memory_limit = '64MB'")
	if run("memory is back"); len(s.Fallbacks()) > 0 {
		t.Errorf("with memory: %v", s.Fallbacks())
	}
	spills(t, s)
}

// spills checks that the CPU sorts rows that do not fit in the host's memory, and says so.
func spills(t *testing.T, s *gsql.Session) {
	t.Helper()
	fillSpread(t, s, 0, 3000, 0)
	const q = "SELECT id, v, u FROM l ORDER BY v, u"
	want := mustAnswer(t, s, q)
	if len(s.Fallbacks()) > 0 {
		t.Errorf("with memory: %v", s.Fallbacks())
	}
	execute(t, s, "SET gsql_memory_limit = 100000")
	defer execute(t, s, "SET gsql_memory_limit = 0")
	if got := mustAnswer(t, s, q); !slices.Equal(got, want) || !strings.Contains(fmt.Sprint(s.Warnings()), "the rows to sort do not fit in the host's memory") {
		t.Errorf("spilling: %d rows, warnings %v", len(got), s.Warnings())
	}
}
