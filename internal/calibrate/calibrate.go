package calibrate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"gsql"
	"gsql/gpu/engine"
	"gsql/internal/profile"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Measured is one family's result.
type Measured struct {
	Device string  // "cpu", or a device's name
	Name   string  // of the family
	Priced float64 // price in milliseconds at the old rates
	Took   float64 // milliseconds
}

// Run measures this machine and the first device of a kind, "gpu" or "sim", if there is one. It
// calls report with each result. It takes about 15 seconds and replaces the profile of the process
// in the meantime.
func Run(ctx context.Context, kind string, report func(Measured)) (*profile.Profile, error) {
	before := profile.Current()
	defer profile.Use(before)
	return run(ctx, kind, usual, report)
}

func run(ctx context.Context, kind string, n sizes, report func(Measured)) (*profile.Profile, error) {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	e, noDevice := engine.For(kind)
	if err := n.fill(ctx, s, noDevice == nil); err != nil {
		return nil, err
	}
	c := &calibration{s: s, n: n, p: profile.BuiltIn(), report: report}
	c.p.Date = time.Now().Format(time.DateOnly)
	if err := c.cpu(ctx); err != nil {
		return nil, err
	}
	if noDevice == nil {
		if err := c.device(ctx, kind, e); err != nil {
			return nil, err
		}
	}
	return c.p, nil
}

type calibration struct {
	s      *gsql.Session
	n      sizes
	p      *profile.Profile
	name   string // the manufacturer's, of the device that is measured
	report func(Measured)
}

// passes is the number of times that all families of the CPU are measured: their prices depend on
// each other's rates.
const passes = 2

// cpu measures the rates of one worker.
func (c *calibration) cpu(ctx context.Context) error {
	for range passes {
		for i := range cpuFamilies {
			f := &cpuFamilies[i]
			m, err := c.measure(ctx, f, "gsql_device = 'cpu', gsql_workers = 1, gsql_disable_rules = 'EagerAggregation,DynamicFilters,GroupJoin'")
			if err != nil {
				return err
			}
			if err := profile.Scale(&c.p.CPU, m.factor(false), f.rates...); err != nil {
				return err
			}
			m.Device = "cpu"
			c.report(*m)
		}
	}
	return nil
}

// device measures the rates of a device, with all workers on the host.
func (c *calibration) device(ctx context.Context, kind string, e *engine.Engine) error {
	info := e.Info()
	a := c.p.Accelerator(physical.Device(e.Name()), info.Name, 0)
	if info.L2 > 0 {
		a.CacheBytes = float64(info.L2)
	}
	c.name = info.Name
	for i := range deviceFamilies {
		f := &deviceFamilies[i]
		c.p.Devices[info.Name] = a
		set := "gsql_workers = 0, gsql_disable_rules = '', gsql_device = '" + kind + "'"
		if f.islands {
			set += ", gsql_disable_rules = 'DevicePipelines'"
		}
		m, err := c.measure(ctx, f, set)
		if err != nil {
			return err
		}
		if err := profile.Scale(&a, m.factor(f.speeds), f.rates...); err != nil {
			return err
		}
		m.Device = e.Name()
		c.report(*m)
	}
	if err := c.peers(kind, e, &a); err != nil {
		return err
	}
	c.p.Devices[info.Name] = a
	return nil
}

// most is the largest factor by which one measurement changes a rate. A larger one indicates that
// the query's time depends on something else.
const most = 3

// factor returns the factor by which the rates are multiplied.
func (m *Measured) factor(speeds bool) float64 {
	f := min(max(m.Took/m.Priced, 1.0/most), most)
	if speeds {
		return 1 / f
	}
	return f
}

// measure returns a family's price, and the shortest time of some runs.
func (c *calibration) measure(ctx context.Context, f *family, set string) (*Measured, error) {
	p := *c.p
	profile.Use(&p)
	if _, _, err := c.s.Exec(ctx, "SET "+set); err != nil {
		return nil, err
	}
	m := &Measured{Name: f.name, Took: math.Inf(1)}
	first, begin := 0.0, time.Now()
	for i := 0; i < 3 || i < 9 && time.Since(begin) < 200*time.Millisecond; i++ {
		took, err := c.run(ctx, f.sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.sql, err)
		}
		if i == 0 {
			first = took
		} else {
			m.Took = min(m.Took, took)
		}
	}
	var err error
	if m.Priced, err = c.price(ctx, f.sql); err != nil { // with columns where the runs have brought them
		return nil, err
	}
	if f.sends > 0 {
		a, bytes := c.p.Devices[c.name], float64(f.sends)*float64(uint64(4)<<c.n.huge)
		m.Took = max(first-m.Took-a.Download(bytes), 0)
		m.Priced = a.Upload(bytes) - a.Download(bytes)
	}
	return m, nil
}

// priceColumn is the position of cost_ms in EXPLAIN's rows.
const priceColumn = 3

// price returns the price of a query's plan, in milliseconds.
func (c *calibration) price(ctx context.Context, sql string) (float64, error) {
	rows, err := c.s.Query(ctx, "EXPLAIN "+sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	b, err := rows.NextBatch()
	if err != nil || b == nil {
		return 0, err
	}
	text := catalog.DatumAt(b.Cols[priceColumn], 0).Text()
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ms > 0) {
		return 0, fmt.Errorf("the plan of %s has the price %q", sql, text)
	}
	return ms, nil
}

// run returns the time of a query in milliseconds.
func (c *calibration) run(ctx context.Context, sql string) (float64, error) {
	begin := time.Now()
	rows, err := c.s.Query(ctx, sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return 0, err
		}
		if b == nil {
			return float64(time.Since(begin).Nanoseconds()) / 1e6, nil
		}
	}
}
