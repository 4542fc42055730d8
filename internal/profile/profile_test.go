package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/planner/cost"
	"gsql/planner/physical"
)

// TestFile writes a profile and reads it, and others that must not be used.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "profile.json")
	p := BuiltIn()
	p.Date, p.CPU.MissNS = "2026-11-26", 77
	p.Devices["Some GPU"] = cost.DefaultAccelerator("cuda:0", 0)
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	got, why := read(path)
	if got.CPU != p.CPU || got.Devices["Some GPU"] != p.Devices["Some GPU"] || !strings.HasSuffix(why, "profile.json of 2026-11-26") {
		t.Errorf("%+v, %s", got, why)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, why string }{
		"damaged":         {"{", "", "is no profile"},
		"another machine": {`"Machine": "`, `"Machine": "Another `, "is of another machine (Another "},
		"other cores":     {`"Cores": `, `"Cores": 9`, "is of another machine"},
		"a rate of 0":     {`"MissNS": 77`, `"MissNS": 0`, "CPU: MissNS is 0"},
		"a negative rate": {`"SortG": `, `"SortG": -`, "Some GPU: SortG is -"},
	} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, why := read(path); got.CPU != BuiltIn().CPU || !strings.HasPrefix(why, "built in: ") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s", name, why)
		}
	}
	if _, why := read(filepath.Join(t.TempDir(), "none")); !strings.HasPrefix(why, "built in;") {
		t.Error(why)
	}
}

func TestPath(t *testing.T) {
	t.Setenv(variable, "off")
	if path := Path(); path != "" {
		t.Error(path)
	}
	t.Setenv(variable, "/x/y.json")
	if path := Path(); path != "/x/y.json" {
		t.Error(path)
	}
}

// TestRates checks what is derived from measured rates.
func TestRates(t *testing.T) {
	p := BuiltIn()
	p.Devices["Some GPU"] = cost.Accelerator{SortG: 3}
	if c := p.ForWorkers(4); c.Workers != 4 || c.StreamGBs != 4*p.CPU.StreamGBs || c.MissNS != p.CPU.MissNS {
		t.Errorf("%+v", c)
	}
	if got := p.ForWorkers(6); got != cost.Default(6).WithVectors(512) && got != cost.Default(6).WithVectors(256) && got != cost.Default(6).WithVectors(0) {
		t.Errorf("%+v are not the built-in rates", got)
	}
	if a := p.Accelerator("cuda:1", "Some GPU", 5); a.SortG != 3 || a.FreeBytes != 5 || a.Device != "cuda:1" {
		t.Errorf("%+v", a)
	}
	for _, device := range []physical.Device{"cuda:0", "sim:0"} {
		want := cost.DefaultAccelerator(device, 5)
		if device == "sim:0" {
			want = cost.SimulatedAccelerator(device, 5)
		}
		if a := p.Accelerator(device, "Another", 5); a != want {
			t.Errorf("%s: %+v", device, a)
		}
	}
	if err := Scale(&p.CPU, 2, "NoRate"); err == nil {
		t.Error("a rate that does not exist is scaled")
	}
}
