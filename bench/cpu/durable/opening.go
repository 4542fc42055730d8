package durable

// opening measures opening a database with TPC-H's tables and a first SELECT 1.
func opening(o *Options, r *Report) error {
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
	c := cell{Name: "open and SELECT 1", Unit: "ms", Gsql: median(times[ours]), DuckDB: median(times[duckdb])}
	if o.Scale >= 1 {
		c.AtMost, c.Aim = 20, "20 at scale 10"
	}
	r.add(c)
	return nil
}
