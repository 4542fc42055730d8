package calibrate

import (
	"context"
	"testing"

	"gsql/internal/profile"
	"gsql/planner/cost"
)

// TestFamilies runs all queries over small tables, and checks that each changes the rates that it names.
func TestFamilies(t *testing.T) {
	before := profile.Current()
	defer profile.Use(before)
	var names []string
	p, err := run(context.Background(), "gpu", sizes{12, 13, 13}, func(m Measured) {
		names = append(names, m.Name)
		if !(m.Priced > 0) || !(m.Took > 0) {
			t.Errorf("%s: priced %g ms, took %g ms", m.Name, m.Priced, m.Took)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < passes*len(cpuFamilies) {
		t.Errorf("only %v were measured", names)
	}
	if p.Machine == "" || p.Cores < 1 || p.Date == "" || p.CPU == before.CPU {
		t.Errorf("%+v", p)
	}
}

// TestRates checks that all rates that families name exist.
func TestRates(t *testing.T) {
	for _, f := range cpuFamilies {
		p := cost.Default(1)
		if err := profile.Scale(&p, 2, f.rates...); err != nil || p == cost.Default(1) {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	for _, f := range deviceFamilies {
		a := cost.DefaultAccelerator("cuda:0", 0)
		if err := profile.Scale(&a, 2, f.rates...); err != nil || a == cost.DefaultAccelerator("cuda:0", 0) {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

func TestFactor(t *testing.T) {
	for _, c := range []struct {
		priced, took float64
		speeds       bool
		want         float64
	}{{2, 4, false, 2}, {2, 4, true, 0.5}, {1, 100, false, most}, {100, 1, true, most}} {
		if got := (&Measured{Priced: c.priced, Took: c.took}).factor(c.speeds); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}
