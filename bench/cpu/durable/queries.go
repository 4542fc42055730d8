package durable

import "fmt"

// asked are the times of TPC-H's queries on an engine, in milliseconds.
type asked struct {
	memory, folder [][]float64 // warm, by query
	first          [][]float64 // by query, each in a new process
	inOrder        [][]float64 // by query, all in a new process one after the other
	cpu            [4]float64  // processor time of a run of all of them, in the same order
}

func newAsked(n int) *asked {
	return &asked{memory: make([][]float64, n), folder: make([][]float64, n), first: make([][]float64, n), inOrder: make([][]float64, n)}
}

// queries measures TPC-H's queries in memory, in the folder, and after opening it. The files are in
// the system's cache: the warm runs have read them.
func queries(o *Options, r *Report) error {
	texts, err := o.texts()
	if err != nil {
		return err
	}
	dir, err := o.provide(o.Scale)
	if err != nil {
		return err
	}
	times := map[string]*asked{}
	for _, engine := range []string{ours, duckdb} {
		times[engine] = newAsked(len(texts))
		if err := o.ensure(engine, dir); err != nil {
			return err
		}
		if err := o.warm(times[engine], engine, dir, texts); err != nil {
			return err
		}
		if err := o.cold(times[engine], engine, texts); err != nil {
			return err
		}
	}
	g, d := times[ours], times[duckdb]
	ratio := func(name string, aim float64, at, to int, of, over func(*asked) [][]float64) {
		r.add(cell{Name: name, Gsql: sum(of(g)) / sum(over(g)), DuckDB: sum(of(d)) / sum(over(d)), AtMost: aim,
			Note: fmt.Sprintf("of CPU time %.2f, DuckDB %.2f", g.cpu[at]/g.cpu[to], d.cpu[at]/d.cpu[to])})
	}
	memory, folder := func(t *asked) [][]float64 { return t.memory }, func(t *asked) [][]float64 { return t.folder }
	ratio("22 queries, folder / memory", 1.05, 1, 0, folder, memory)
	ratio("first runs in order after opening / warm", 2, 3, 1, func(t *asked) [][]float64 { return t.inOrder }, folder)
	ratio("first runs, each in a new process / warm", 2, 2, 1, func(t *asked) [][]float64 { return t.first }, folder)
	r.add(cell{Name: "22 queries in memory", Unit: "ms", Gsql: sum(g.memory), DuckDB: sum(d.memory)})
	r.add(cell{Name: "22 queries in the folder", Unit: "ms", Gsql: sum(g.folder), DuckDB: sum(d.folder)})
	r.add(cell{Name: "22 queries in order after opening", Unit: "ms", Gsql: sum(g.inOrder), DuckDB: sum(d.inOrder)})
	r.add(cell{Name: "22 queries, each in a new process", Unit: "ms", Gsql: sum(g.first), DuckDB: sum(d.first)})
	for i := range texts {
		r.query(fmt.Sprintf("q%02d", i+1), g, d, i)
	}
	return nil
}

// warm alternates between a database in memory and one in a folder. The first run is not counted.
func (o *Options) warm(t *asked, engine, dir string, texts []string) error {
	m, _, err := o.open(settings{Engine: engine}, "")
	if err != nil {
		return err
	}
	defer m.kill()
	if _, err := m.exec(create(engine, dir)...); err != nil {
		return err
	}
	if _, err := m.ask(request{Op: "collect"}); err != nil {
		return err
	}
	f, _, err := o.open(settings{Engine: engine, Path: o.tpch(engine)}, "")
	if err != nil {
		return err
	}
	defer f.kill()
	for run := range o.Runs + 1 {
		for i, text := range texts {
			a, err := m.query(text)
			if err != nil {
				return err
			}
			b, err := f.query(text)
			if err != nil {
				return err
			}
			if a.Rows != b.Rows {
				return fmt.Errorf("q%02d has %d rows in memory and %d in the folder", i+1, a.Rows, b.Rows)
			}
			if run > 0 {
				t.memory[i], t.folder[i] = append(t.memory[i], a.MS), append(t.folder[i], b.MS)
				t.cpu[0] += a.CPUMS / float64(o.Runs)
				t.cpu[1] += b.CPUMS / float64(o.Runs)
			}
		}
	}
	return nil
}

// cold runs the queries first in processes of their own, then in one.
func (o *Options) cold(t *asked, engine string, texts []string) error {
	for range o.Runs {
		var p *process
		var err error
		for i, text := range texts {
			if p, _, err = o.open(settings{Engine: engine, Path: o.tpch(engine)}, ""); err != nil {
				return err
			}
			a, err := p.query(text)
			p.kill()
			if err != nil {
				return err
			}
			t.first[i] = append(t.first[i], a.MS)
			t.cpu[2] += a.CPUMS / float64(o.Runs)
		}
		if p, _, err = o.open(settings{Engine: engine, Path: o.tpch(engine)}, ""); err != nil {
			return err
		}
		for i, text := range texts {
			a, err := p.query(text)
			if err != nil {
				return err
			}
			t.inOrder[i] = append(t.inOrder[i], a.MS)
			t.cpu[3] += a.CPUMS / float64(o.Runs)
		}
		p.kill()
	}
	return nil
}

// sum adds up the medians.
func sum(times [][]float64) (total float64) {
	for _, t := range times {
		total += median(t)
	}
	return total
}
