package gsql

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
)

// fakeDevices provides devices that execute nothing, and records the calls it receives.
type fakeDevices struct {
	kinds  []string // there are
	opened []string // kinds, by calls of Open
	limits []int64  // by calls of SetLimit

	forms fuse.Forms

	started chan string // kinds, by calls of Start
}

func (f *fakeDevices) SetLimit(_ context.Context, bytes int64) error {
	f.limits = append(f.limits, bytes)
	return nil
}

func (f *fakeDevices) Open(set string) ([]cost.Accelerator, string) {
	kind, _, _ := strings.Cut(set, ":")
	f.opened = append(f.opened, kind)
	if !slices.Contains(f.kinds, kind) {
		return nil, "nobody made one"
	}
	return []cost.Accelerator{cost.DefaultAccelerator(physical.Device(kind+":0"), 0)}, ""
}

func (f *fakeDevices) Check(string) error { return nil }

func (f *fakeDevices) Restore(context.Context) error { return nil }

func (f *fakeDevices) Changes() int { return 0 }

func (f *fakeDevices) Opened(kind string) bool { return slices.Contains(f.opened, kind) }

func (f *fakeDevices) Forms() fuse.Forms { return f.forms }

func (f *fakeDevices) Residents() []infoschema.Resident { return nil }

func (f *fakeDevices) Start(kind string) { f.started <- kind }

func (f *fakeDevices) Resident(_ physical.Device, t catalog.Table, ordinal int) bool {
	return t.Schema().Columns[ordinal].Name == "r"
}

func deviceSession(t *testing.T, kinds ...string) (*Session, *fakeDevices) {
	t.Helper()
	db, err := Open(Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeDevices{kinds: kinds, started: make(chan string, 2)}
	db.shared.Devices = f
	s := db.NewSession()
	t.Cleanup(func() { s.Close(); db.Close() })
	if _, _, err := s.Exec(context.Background(), "CREATE TABLE t (a INT, r INT, s VARCHAR(9)); INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y')"); err != nil {
		t.Fatal(err)
	}
	return s, f
}

// TestGPUStartsInBackground checks that a GPU is started, once, as soon as a session requires one,
// and not before.
func TestGPUStartsInBackground(t *testing.T) {
	s, f := deviceSession(t, "gpu")
	run := func(sql string) {
		t.Helper()
		if _, _, err := s.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("SELECT 1")
	if len(f.started) > 0 {
		t.Error("a device was started although none is required")
	}
	run("SET gsql_device = 'gpu'")
	run("SELECT 1")
	select {
	case kind := <-f.started:
		if kind != "gpu" {
			t.Errorf("a device of kind %s was started", kind)
		}
	case <-time.After(time.Minute):
		t.Error("no device was started")
	}
	run("SET gsql_device = 'cpu'")
	run("SET gsql_device = 'gpu'")
	run("SELECT 1")
	if len(f.started) > 0 {
		t.Error("a device was started twice")
	}
}

// explainText returns EXPLAIN's rows as lines.
func explainText(t *testing.T, s *Session, sql string) string {
	t.Helper()
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out strings.Builder
	for {
		b, err := rows.NextBatch()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if b == nil {
			return out.String()
		}
		for i := range b.N {
			for _, c := range b.Cols {
				out.WriteString(catalog.DatumAt(c, i).Text() + "|")
			}
			out.WriteString("\n")
		}
	}
}

const onEqual, onText = "SELECT COUNT(*) FROM t x JOIN t y ON x.r = y.r", "SELECT COUNT(*) FROM t x JOIN t y ON x.s = y.s"

// TestDeviceSettings checks which devices are opened, what is planned and what is reported under
// each setting.
func TestDeviceSettings(t *testing.T) {
	for _, tt := range []struct {
		name, set, sql string
		kinds          string
		opened, warned string
		placed         string // on this device
	}{
		{"small under auto", "", onEqual, "gpu", "", "", ""},
		{"cpu", "gsql_device = cpu", onEqual, "gpu", "", "", ""},
		{"gpu", "gsql_device = GPU", onEqual, "gpu", "gpu", "", "gpu:0"},
		{"sim", "gsql_device = sim", onEqual, "gpu sim", "sim", "", "sim:0"},
		{"no join", "gsql_device = gpu", "SELECT COUNT(*) FROM t", "", "", "", ""},
		{"none", "gsql_device = gpu", onEqual, "", "gpu", "Warning 3889 The query runs on the CPU: nobody made one", ""},
		{"not able", "gsql_device = gpu", onText, "gpu", "gpu", "Warning 3889 A join runs on the CPU, not on gpu:0: key type VARCHAR is not for the device", ""},
		{"full join", "gsql_device = gpu", strings.Replace(onEqual, "JOIN", "FULL JOIN", 1), "gpu", "gpu", "Warning 3889 A join runs on the CPU, not on gpu:0: FULL JOIN is not for the device", ""},
		{"none, allowed", "gsql_device = sim, gsql_on_fallback = allow", onEqual, "gpu", "sim", "Note 3889 The query runs on the CPU: nobody made one", ""},
		{"hint", "", strings.Replace(onEqual, "SELECT", "SELECT /*+ GPU(y) */", 1), "gpu", "gpu", "", "gpu:0"},
		{"hint in vain", "", strings.Replace(onText, "SELECT", "SELECT /*+ GPU(y) */", 1), "gpu", "gpu", "Warning 3126 Hint GPU(y) is ignored: key type VARCHAR is not for the device", ""},
		{"hint under cpu", "gsql_device = cpu", strings.Replace(onEqual, "SELECT", "SELECT /*+ GPU(y) */", 1), "gpu", "", "Warning 3126 Hint GPU(y) is ignored: gsql_device is cpu", ""},
		{"hint against gpu", "gsql_device = gpu", strings.Replace(onEqual, "SELECT", "SELECT /*+ CPU(y) */", 1), "gpu", "gpu", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f := deviceSession(t, strings.Fields(tt.kinds)...)
			if tt.set != "" {
				if _, _, err := s.Exec(context.Background(), "SET "+tt.set); err != nil {
					t.Fatal(err)
				}
			}
			plan := explainText(t, s, "EXPLAIN "+tt.sql)
			if got := strings.Join(f.opened, ", "); got != tt.opened {
				t.Errorf("opened %q, want %q", got, tt.opened)
			}
			var warned []string
			for _, w := range s.Warnings() {
				warned = append(warned, fmt.Sprint(w.Level, " ", w.Code, " ", w.Msg))
			}
			if got := strings.Join(warned, "\n"); got != tt.warned {
				t.Errorf("warned of %q, want %q", got, tt.warned)
			}
			if on := strings.Contains(plan, "|gpu:0|") || strings.Contains(plan, "|sim:0|"); on != (tt.placed != "") || !strings.Contains(plan, "|"+tt.placed) {
				t.Errorf("want %q in\n%s", tt.placed, plan)
			}
			if resident := strings.Contains(plan, "resident"); resident != (tt.placed != "") {
				t.Errorf("resident: %v in\n%s", resident, plan)
			}
		})
	}
}

// TestPlansNoDeviceTakes compares plans for which no requested device was suitable with those of
// the CPU: the CPU's alternatives must bid as if no device had been requested.
func TestPlansNoDeviceTakes(t *testing.T) {
	operators := func(plan string) (list []string) {
		for _, line := range strings.Split(strings.TrimSpace(plan), "\n") {
			list = append(list, strings.Split(line, "|")[0])
		}
		return list
	}
	for _, tt := range []struct{ kinds, set, hint, column, why string }{
		{"", "gpu", "", "n", "nobody made one"},
		{"", "sim", "", "n", "nobody made one"},
		{"", "auto", "/*+ GPU(y) */", "n", "nobody made one"},
		{"gpu", "gpu", "", "d", "on a device|for the device"},
		{"sim", "sim", "", "d", "on a device|for the device"},
		{"gpu", "auto", "/*+ GPU(y) */", "d", "on a device|for the device"},
		{"gpu", "gpu", "/*+ CPU(y) */", "n", ""},
	} {
		s, _ := deviceSession(t, strings.Fields(tt.kinds)...)
		exec := func(sql string) {
			if _, _, err := s.Exec(context.Background(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		exec("CREATE TABLE digits (n INT); INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
		exec("CREATE TABLE many (n INT, d DECIMAL(12,2))")
		exec("INSERT INTO many SELECT n, n / 100 FROM (SELECT a.n+10*b.n+100*c.n+1000*d.n AS n FROM digits a, digits b, digits c, digits d) x")
		for _, form := range []string{
			"SELECT %s COUNT(*) FROM many x JOIN many y ON x.%[2]s < y.%[2]s",
			"SELECT %s x.%[2]s, SUM(y.n) FROM many x JOIN many y ON y.%[2]s BETWEEN x.%[2]s - 5 AND x.%[2]s + 5 GROUP BY x.%[2]s",
			"SELECT %s x.n, (SELECT COUNT(*) FROM many y WHERE y.%[2]s < x.%[2]s) FROM many x",
		} {
			if tt.hint != "" && !strings.Contains(form, "JOIN") {
				continue // the hint does not reach into the subquery
			}
			exec("SET gsql_device = cpu")
			want := operators(explainText(t, s, "EXPLAIN "+fmt.Sprintf(form, "", tt.column)))
			if !strings.Contains(strings.Join(want, " "), "GroupJoin") {
				t.Fatalf("no group join in %s", want)
			}
			exec("SET gsql_device = " + tt.set)
			sql := fmt.Sprintf(form, tt.hint, tt.column)
			plan := explainText(t, s, "EXPLAIN "+sql)
			if got := operators(plan); !slices.Equal(got, want) {
				t.Errorf("%s under %s: %s, want %s", sql, tt.set, got, want)
			}
			if w := fmt.Sprint(s.Warnings()); !regexp.MustCompile(tt.why).MatchString(w) {
				t.Errorf("%s under %s: warnings %s, want %q", sql, tt.set, w, tt.why)
			}
		}
	}
}

func TestFallbackAsError(t *testing.T) {
	s, _ := deviceSession(t, "gpu")
	ctx := context.Background()
	for _, tt := range []struct {
		set, sql string
		want     sqlerr.Code // 0: no error
	}{
		{"gsql_device = sim", onEqual, sqlerr.SecondaryEngine},
		{"gsql_device = gpu", onText, sqlerr.SecondaryEngine},
		{"gsql_device = gpu", "SELECT 1", 0},
		{"gsql_device = auto", onText, 0},
		{"gsql_device = auto", strings.Replace(onText, "SELECT", "SELECT /*+ GPU(x) */", 1), sqlerr.HintIgnored},
	} {
		if _, _, err := s.Exec(ctx, "SET gsql_on_fallback = error, "+tt.set); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.Exec(ctx, tt.sql)
		if tt.want == 0 && err != nil || tt.want != 0 && !errors.Is(err, tt.want) {
			t.Errorf("%s; %s: %v, want %v", tt.set, tt.sql, err, tt.want)
		}
		if (err != nil) != (len(s.Warnings()) == 1) {
			t.Errorf("%s; %s: warnings %v", tt.set, tt.sql, s.Warnings())
		}
	}
}

// TestPlacementTable checks that information_schema counts the statements that asked for a device
// in vain.
func TestPlacementTable(t *testing.T) {
	s, _ := deviceSession(t)
	ctx := context.Background()
	for _, sql := range []string{"SET gsql_device = gpu", onEqual, onEqual, "SET gsql_device = cpu", onEqual} {
		if _, _, err := s.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	rows, err := s.Query(ctx, "SELECT DEVICE, OPERATOR, RUNS, FELL_BACK, LAST_REASON LIKE '%nobody made one%' FROM information_schema.gsql_placement")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(row))
	}
	if want := []string{"[<nil> <nil> 0 2 1]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDeviceMemoryLimit(t *testing.T) {
	s, f := deviceSession(t)
	ctx := context.Background()
	for _, sql := range []string{"SET gsql_gpu_memory_limit = '2GB'", "SET gsql_gpu_memory_limit = 77", "SET gsql_gpu_memory_limit = DEFAULT"} {
		if _, _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	if want := []int64{2 << 30, 77, 0}; !slices.Equal(f.limits, want) {
		t.Errorf("limits %d, want %d", f.limits, want)
	}
	if _, _, err := s.Exec(ctx, "SET gsql_gpu_memory_limit = 'much'"); !errors.Is(err, sqlerr.WrongValueForVar) {
		t.Error(err)
	}
}
