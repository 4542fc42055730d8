package durable

// opening measures opening a database with TPC-H's tables and a first SELECT 1.
func opening(o *Options, r *Report) error {
	dir, err := o.provide(o.Scale)
	if err != nil {
		return err
	}
	c := cell{Name: "open and SELECT 1", Unit: "ms"}
	if o.Scale >= 1 {
		c.AtMost, c.Aim = 20, "20 at scale 10"
	}
	for _, engine := range []string{ours, duckdb} {
		if err := o.ensure(engine, dir); err != nil {
			return err
		}
	}
	times := map[string][]float64{}
	for range 4*o.Runs + 1 {
		for _, engine := range []string{ours, duckdb} {
			p, a, err := o.open(settings{Engine: engine, Path: o.tpch(engine)}, "")
			if err != nil {
				return err
			}
			p.kill()
			times[engine] = append(times[engine], a.MS)
		}
	}
	c.Gsql, c.DuckDB = median(times[ours]), median(times[duckdb])
	r.add(c)
	return nil
}
