//go:build sim

package device_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/sim"
	"gsql/internal/database"
	"gsql/sql/sqlerr"
)

// The machine has as many devices as a test may need. Tests of a single device use the first.
func init() { os.Setenv("GSQL_SIM_DEVICES", "8") }

// deviceSets are one, two, four and eight simulated devices, and two others, by their names in plans.
var deviceSets = map[string]string{"sim": "sim:0", "sim:0,1": "sim:0,1", "sim:3,2,1,0": "sim:3,2,1,0", "sim:all": "sim:0,1,2,3,4,5,6,7", "sim:5": "sim:5", "sim:4,5": "sim:4,5", "sim:1,6,4": "sim:1,6,4"}

// skews are distributions of keys.
var skews = []struct {
	name string
	keys func(r *rand.Rand) func() uint64
}{
	{"uniform", func(r *rand.Rand) func() uint64 { return func() uint64 { return r.Uint64N(100) } }},
	{"Zipf 1.0", func(r *rand.Rand) func() uint64 { return rand.NewZipf(r, 1.0001, 1, 100).Uint64 }},
	{"Zipf 1.5", func(r *rand.Rand) func() uint64 { return rand.NewZipf(r, 1.5, 1, 100).Uint64 }},
	{"one key", func(*rand.Rand) func() uint64 { return func() uint64 { return 7 } }},
}

// fillSpread makes tables l and r with keys of a distribution: k of 32 bits, w of 64 bits, d of doubles, and
// values v, x and u, some of which are NULL.
func fillSpread(t *testing.T, s *gsql.Session, skew, left, right int) {
	t.Helper()
	for i, rows := range []int{left, right} {
		name := []string{"l", "r"}[i]
		execute(t, s, "DROP TABLE IF EXISTS "+name+"; CREATE TABLE "+name+" (id INT NOT NULL, k INT, w BIGINT NOT NULL, d DOUBLE, v INT, x DOUBLE, u BIGINT UNSIGNED NOT NULL)")
		r := rand.New(rand.NewPCG(uint64(i), uint64(rows)))
		next := skews[skew].keys(r)
		var values []string
		for id := range rows {
			k := int64(next())
			text, v, d := fmt.Sprint(k), fmt.Sprint(r.IntN(2000)-1000), fmt.Sprintf("%de-1", k)
			if r.IntN(9) == 0 {
				text, d = "NULL", "NULL"
			}
			if r.IntN(7) == 0 {
				v = "NULL"
			}
			values = append(values, fmt.Sprintf("(%d, %s, %d, %s, %s, %de-2, %d)", id, text, (k-50)<<55, d, v, r.IntN(100), r.Uint64()))
		}
		if rows > 0 {
			execute(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(values, ","))
		}
	}
}

// spreadQueries aggregate over joins by equalities.
var spreadQueries = []string{
	"SELECT %s COUNT(*), SUM(l.v), MIN(r.v), MAX(l.v), AVG(r.v), COUNT(l.k) FROM l JOIN r ON l.k = r.k",
	"SELECT %s COUNT(*), SUM(r.u), MIN(l.u), MAX(r.w) FROM l JOIN r ON l.w = r.w",
	"SELECT %s COUNT(r.d), MAX(l.x), MIN(r.x) FROM l JOIN r ON l.d = r.d",
	"SELECT %s COUNT(*), SUM(l.v), SUM(r.id) FROM l JOIN r ON l.k = r.k AND l.w = r.w",
	"SELECT %s COUNT(*), SUM(l.v) FROM l JOIN r ON l.w = r.w AND l.u = r.u",
	"SELECT %s COUNT(*), MAX(r.v) FROM l JOIN r ON l.k = r.k WHERE l.id %% 3 = 0",
}

var thetaQueries = []string{
	"SELECT %s COUNT(*), SUM(l.v), MAX(r.id) FROM l JOIN r ON l.v < r.v AND l.k <> r.k",
	"SELECT %s COUNT(*), SUM(r.v) FROM l JOIN r ON l.d >= r.d",
}

// onSpread runs a query twice on the devices of a set and compares the answers with want.
func onSpread(t *testing.T, s *gsql.Session, what, set, sql string, want []string) {
	t.Helper()
	plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n")
	if !strings.Contains(plan, "|"+deviceSets[set]+"|") {
		t.Errorf("%s: %s does not run on %s\n%s", what, sql, set, plan)
	}
	for range 2 { // the second time columns are on the devices
		if got := mustAnswer(t, s, sql); !slices.Equal(got, want) {
			t.Fatalf("%s on %s: %s\n%v\nwant %v\n%s", what, set, sql, got, want, plan)
		}
		if f, w := s.Fallbacks(), s.Warnings(); len(f)+len(w) > 0 {
			t.Fatalf("%s on %s: %s\nran on the CPU: %v, warnings %v", what, set, sql, f, w)
		}
	}
}

// TestSpread compares aggregates over joins on 1 to 8 devices with the CPU's. Each case takes one query, one
// algorithm and one set of devices; together they take all.
func TestSpread(t *testing.T) {
	s := simDB(t).NewSession()
	sets := []string{"sim:0,1", "sim:3,2,1,0", "sim:all", "sim:1,6,4", "sim:5"}
	queries := slices.Concat(spreadQueries, thetaQueries)
	hints := []string{"RADIX_JOIN(r)", "HASH_JOIN(r)", "MERGE_JOIN(r)"}
	n := 0
	for i := range skews {
		for k, size := range [][2]int{{0, 5}, {1, 1}, {3, 200}, {300, 40}, {150, 200}} {
			fillSpread(t, s, i, size[0], size[1])
			for range 1 + k/4 {
				q := queries[n%len(queries)]
				hint := hints[n%len(hints)]
				if !strings.Contains(q, " = ") {
					hint = "NL_JOIN(r)"
				}
				execute(t, s, "SET gsql_device = cpu")
				want := mustAnswer(t, s, fmt.Sprintf(q, ""))
				set := sets[n%len(sets)]
				execute(t, s, "SET gsql_device = '"+set+"'")
				onSpread(t, s, fmt.Sprintf("%s, %v", skews[i].name, size), set, fmt.Sprintf(q, "/*+ "+hint+" */"), want)
				n++
			}
		}
	}
}

// TestSpreadExplained checks what EXPLAIN and gsql_resident show of several devices.
func TestSpreadExplained(t *testing.T) {
	s := simDB(t).NewSession()
	fillSpread(t, s, 0, 2000, 1500)
	execute(t, s, "SET gsql_device = 'sim:0,1'")
	const q = " COUNT(*), SUM(l.v) FROM l JOIN r ON l.k = r.k"
	for hint, details := range map[string]string{"RADIX_JOIN(r)": "; exchanges ", "HASH_JOIN(r)": "; copies the right input to all devices, "} {
		sql := "SELECT /*+ " + hint + " */" + q
		plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n")
		if !strings.Contains(plan, details) {
			t.Errorf("%s: no %q in\n%s", hint, details, plan)
		}
		tree := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE FORMAT=TREE "+sql), "\n")
		if !strings.Contains(tree, " received=") || !strings.Contains(tree, " balance=1.0") {
			t.Errorf("%s: neither bytes nor balance in\n%s", hint, tree)
		}
		plan = strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+sql), "\n")
		if !strings.Contains(plan, ", received ") || !strings.Contains(plan, ", balance 1.0") {
			t.Errorf("%s: neither bytes nor balance in\n%s", hint, plan)
		}
	}
	shares := "SELECT COUNT(*), SUM(TABLE_ROWS) FROM information_schema.gsql_resident WHERE TABLE_NAME = 'l' AND COLUMN_NAME = 'k' AND FORM LIKE 'i32, share % of 2' AND DEVICE IN ('sim:0', 'sim:1')" +
		" AND TABLE_VERSION = (SELECT MAX(TABLE_VERSION) FROM information_schema.gsql_resident WHERE TABLE_NAME = 'l')"
	if got := mustAnswer(t, s, shares); !slices.Equal(got, []string{"2|2000"}) {
		t.Errorf("shares of l.k: %v", got)
	}
}

// TestSetDevices sets gsql_device to devices that do not exist, and to some that do.
func TestSetDevices(t *testing.T) {
	s := simDB(t).NewSession()
	for _, set := range []string{"sim:8", "sim:0,9", "gpu:0", "sim:0,0", "sim:", "simulated", "sim:x"} {
		_, _, err := s.Exec(t.Context(), "SET gsql_device = '"+set+"'")
		if !errors.Is(err, sqlerr.WrongValueForVar) {
			t.Errorf("%s: error %v", set, err)
		} else if e := sqlerr.From(err); set == "sim:8" && !strings.Contains(e.Hint, "sim:0, sim:1, sim:2, sim:3, sim:4, sim:5, sim:6, sim:7") {
			t.Errorf("the hint %q does not list the devices", e.Hint)
		}
	}
	if _, err := gsql.Open(gsql.Config{Variables: map[string]string{"gsql_device": "sim:64"}}); !errors.Is(err, sqlerr.WrongValueForVar) {
		t.Errorf("opening with a device that does not exist: %v", err)
	}
	for set, want := range map[string]string{"ALL": "gpu:all", "sim: 1, 0": "sim:1,0", "auto": "auto"} {
		execute(t, s, "SET gsql_device = '"+set+"'")
		if got := mustAnswer(t, s, "SELECT @@gsql_device"); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", set, got)
		}
	}
}

// TestOpened: all devices of a set must be open, unless it only names a kind.
func TestOpened(t *testing.T) {
	s := simDB(t).NewSession()
	fillSpread(t, s, 0, 3, 2)
	execute(t, s, "SET gsql_device = 'sim:0,1'")
	mustAnswer(t, s, "SELECT COUNT(*) FROM l JOIN r ON l.k = r.k")
	db, err := database.Open(database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for set, want := range map[string]bool{"sim": true, "sim:0,1": true, "sim:all": len(engine.Opened()) == 8, "gpu": false, "gpu:all": false, "gpu:0": false} {
		if got := db.Devices.Opened(set); got != want {
			t.Errorf("%s: %t, want %t", set, got, want)
		}
	}
}

// simulated returns a simulated device of the machine.
func simulated(number int) *sim.Device {
	devices, _ := gpu.Devices()
	return devices[number].(*sim.Device)
}

// TestLostDevices loses devices in the middle of queries.
func TestLostDevices(t *testing.T) {
	s := simDB(t).NewSession()
	fillSpread(t, s, 1, 90, 120)
	execute(t, s, "SET gsql_device = cpu")
	const q = " COUNT(*), SUM(l.v), MAX(r.v) FROM l JOIN r ON l.k = r.k"
	want := mustAnswer(t, s, "SELECT"+q)
	for _, tt := range []struct {
		set, hint string
		lose      []int
		at        []int  // launches with which they are lost
		ranOn     string // after the loss; "" for the CPU
		next      string // where the next plan runs
	}{
		{"sim:0,1,2,3", "RADIX_JOIN(r)", []int{2}, []int{0, 9}, "sim:0,1,3", "sim:0,1,3"},
		{"sim:0,1,2", "HASH_JOIN(r)", []int{0, 2}, []int{1}, "sim:1", "sim:1"},
		{"sim:4,5", "RADIX_JOIN(r)", []int{4}, []int{5}, "sim:5", "sim:5"},
		{"sim:4,5", "RADIX_JOIN(r)", []int{4, 5}, []int{2}, "", "cpu"},
		{"sim:6", "HASH_JOIN(r)", []int{6}, []int{2}, "", "cpu"},
		{"sim", "HASH_JOIN(r)", []int{0}, []int{1}, "", "sim:1"},
	} {
		sql := "SELECT /*+ " + tt.hint + " */" + q
		for _, at := range tt.at {
			execute(t, s, "SET gsql_device = '"+tt.set+"'")
			for range 2 { // the plan of the second time is kept
				if got := mustAnswer(t, s, sql); !slices.Equal(got, want) || len(s.Warnings()) > 0 {
					t.Fatalf("%s before the loss: %v, %v, want %v", tt.set, got, s.Warnings(), want)
				}
			}
			for _, n := range tt.lose {
				simulated(n).Lose(at)
			}
			if got := mustAnswer(t, s, sql); !slices.Equal(got, want) {
				t.Errorf("%s without %v: %v, want %v", tt.set, tt.lose, got, want)
			}
			warnings := fmt.Sprint(s.Warnings())
			if ran := "ran again on " + tt.ranOn + ": "; tt.ranOn != "" && !strings.Contains(warnings, ran) || tt.ranOn == "" && len(s.Fallbacks()) == 0 ||
				!strings.Contains(warnings, fmt.Sprintf("device sim:%d is lost", tt.lose[0])) {
				t.Errorf("%s without %v at launch %d: warnings %s, fallbacks %v", tt.set, tt.lose, at, warnings, s.Fallbacks())
			}
			plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n")
			if !strings.Contains(plan, "|"+tt.next+"|") || tt.next == "cpu" && strings.Contains(plan, "|sim") {
				t.Errorf("%s without %v: the next plan does not run on %s\n%s", tt.set, tt.lose, tt.next, plan)
			}
			if got := mustAnswer(t, s, sql); !slices.Equal(got, want) || tt.next != "cpu" && len(s.Warnings()) > 0 {
				t.Errorf("%s without %v, the next time: %v, %v, want %v", tt.set, tt.lose, got, s.Warnings(), want)
			}
			for _, n := range tt.lose {
				simulated(n).Recover()
			}
			execute(t, s, "SET gsql_device = 'sim:0,1'")
		}
	}
}

// TestSpreadMemory limits the devices' memory. What does not fit is joined in parts, or on the CPU.
func TestSpreadMemory(t *testing.T) {
	s := simDB(t).NewSession()
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	fillSpread(t, s, 0, 1200, 1500)
	onDevices := 0
	for _, q := range []string{fmt.Sprintf(spreadQueries[3], "/*+ RADIX_JOIN(r) */"), fmt.Sprintf(spreadQueries[0], "/*+ HASH_JOIN(r) */"), fmt.Sprintf(thetaQueries[1], "/*+ NL_JOIN(r) */")} {
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, q)
		for limit := 8 << 10; limit < 2<<20; limit *= 4 {
			execute(t, s, fmt.Sprintf("SET gsql_gpu_memory_limit = %d", limit))
			execute(t, s, "SET gsql_device = 'sim:0,1'")
			if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
				t.Fatalf("%d bytes: %s\n%v\nwant %v, warnings %v", limit, q, got, want, s.Warnings())
			}
			if len(s.Fallbacks()) == 0 && strings.Contains(strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n"), "|sim:0,1|") {
				onDevices++
			}
		}
	}
	if onDevices < 6 {
		t.Errorf("only %d queries ran on the devices", onDevices)
	}
}

// TestLostDevice loses the only device under pipelines and under a join that returns rows.
func TestLostDevice(t *testing.T) {
	s := simDB(t).NewSession()
	fillSpread(t, s, 0, 60, 50)
	for _, tt := range []struct{ disabled, sql string }{
		{"", "SELECT l.v, COUNT(*) FROM l JOIN r ON l.k = r.k GROUP BY l.v"},
		{"DevicePipelines", "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k"},
	} {
		execute(t, s, "SET gsql_disable_rules = '"+tt.disabled+"'")
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, tt.sql)
		for at := range 3 {
			execute(t, s, "SET gsql_device = 'sim:7'")
			if plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+tt.sql), "\n"); !strings.Contains(plan, "|sim:7|") {
				t.Fatalf("%s is not planned for the device\n%s", tt.sql, plan)
			}
			simulated(7).Lose(at)
			if got := mustAnswer(t, s, tt.sql); !slices.Equal(got, want) || len(s.Fallbacks()) == 0 || !strings.Contains(fmt.Sprint(s.Warnings()), "device sim:7 is lost") {
				t.Errorf("%s without the device: %v, fallbacks %v, warnings %v, want %v", tt.sql, got, s.Fallbacks(), s.Warnings(), want)
			}
			if plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+tt.sql), "\n"); strings.Contains(plan, "|sim") {
				t.Errorf("%s is planned for the lost device\n%s", tt.sql, plan)
			}
			simulated(7).Recover()
		}
	}
	execute(t, s, "SET gsql_device = 'sim:7'")
	if got := mustAnswer(t, s, "SELECT COUNT(*) FROM l JOIN r ON l.id = r.id"); !slices.Equal(got, []string{"50"}) || len(s.Fallbacks()) > 0 {
		t.Errorf("the restored device: %v, fallbacks %v", got, s.Fallbacks())
	}
}
