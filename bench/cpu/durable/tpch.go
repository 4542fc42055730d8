package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tables "gsql/internal/tpch"
)

// provide makes the Parquet files of TPC-H that are missing and returns their folder.
func (o *Options) provide(scale float64) (string, error) {
	dir := filepath.Join(o.Data, fmt.Sprintf("tpch-%g", scale))
	if _, err := os.Stat(filepath.Join(dir, "supplier.parquet")); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	fmt.Println("making", dir)
	return dir, tables.Generate(context.Background(), dir, scale, nil)
}

// create returns the statements that load TPC-H's tables.
func create(engine, dir string) (out []string) {
	for _, t := range []string{"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"} {
		out = append(out, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s", t, parquet(engine, filepath.Join(dir, t+".parquet"))))
	}
	return out
}

// tpch returns the path of the database with TPC-H's tables.
func (o *Options) tpch(engine string) string {
	return o.database(fmt.Sprintf("tpch-%g", o.Scale), engine)
}

// ensure loads TPC-H's tables into an engine's database if the part load has not.
func (o *Options) ensure(engine, dir string) error {
	path := o.tpch(engine)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := o.load(settings{Engine: engine, Path: path}, dir); err != nil {
		return errors.Join(err, remove(path))
	}
	return nil
}

// loaded is what loading TPC-H's tables took.
type loaded struct{ seconds, cpu, tablesMB, filesMB, peakMB float64 }

// load measures loading, and the sizes of the results.
func load(o *Options, r *Report) error {
	dir, err := o.provide(o.Scale)
	if err != nil {
		return err
	}
	memory, file, cpu := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	last := map[string]loaded{}
	var rates []float64
	for range o.Runs {
		rate, err := writeRate(o.Data)
		if err != nil {
			return err
		}
		rates = append(rates, rate)
		for _, engine := range []string{ours, duckdb} {
			m, err := o.load(settings{Engine: engine}, dir)
			if err != nil {
				return err
			}
			path := o.tpch(engine)
			if err := remove(path); err != nil {
				return err
			}
			f, err := o.load(settings{Engine: engine, Path: path}, dir)
			if err != nil {
				return err
			}
			memory[engine], file[engine] = append(memory[engine], m.seconds), append(file[engine], f.seconds)
			cpu[engine] = append(cpu[engine], f.cpu/m.cpu)
			f.tablesMB = m.tablesMB
			last[engine] = f
		}
	}
	ratio := func(engine string) float64 { return median(file[engine]) / median(memory[engine]) }
	g, d := last[ours], last[duckdb]
	floor := func(l loaded) float64 { return l.filesMB / median(rates) }
	r.add(cell{Name: "load, folder / memory", Gsql: ratio(ours), DuckDB: ratio(duckdb), AtMost: 1.3,
		Note: fmt.Sprintf("writing the files' bytes alone takes %.2f of a load in memory", floor(g)/median(memory[ours]))})
	r.add(cell{Name: "load, folder / the longer of memory and writing the files' bytes", Gsql: median(file[ours]) / max(median(memory[ours]), floor(g)),
		DuckDB: median(file[duckdb]) / max(median(memory[duckdb]), floor(d))})
	r.add(cell{Name: "load, folder / memory, processor time", Gsql: median(cpu[ours]), DuckDB: median(cpu[duckdb]),
		Note: fmt.Sprintf("%.1f ms per MB of files, DuckDB %.1f", g.cpu*1e3/g.filesMB, d.cpu*1e3/d.filesMB)})
	r.add(cell{Name: "load in a folder", Unit: "s", Gsql: median(file[ours]), DuckDB: median(file[duckdb]),
		Note: fmt.Sprintf("the disk takes %.0f MB/s; the files' bytes alone need %.2f s, DuckDB's %.2f s", median(rates), floor(g), floor(d))})
	r.add(cell{Name: "load in memory", Unit: "s", Gsql: median(memory[ours]), DuckDB: median(memory[duckdb])})
	r.add(cell{Name: "files", Unit: "MB", Gsql: g.filesMB, DuckDB: d.filesMB, AtMost: 1.2 * d.filesMB, Aim: "1.2 times DuckDB's"})
	r.add(cell{Name: "tables in memory", Unit: "MB", Gsql: g.tablesMB, AtMost: 800 * o.Scale})
	r.add(cell{Name: "peak memory of a load in a folder", Unit: "MB", Gsql: g.peakMB, DuckDB: d.peakMB})
	return nil
}

// load loads TPC-H's tables once. The time includes that of a checkpoint where the engine does not
// write the tables' files at once; the size is that after closing.
func (o *Options) load(s settings, dir string) (l loaded, err error) {
	p, _, err := o.open(s, "")
	if err != nil {
		return l, err
	}
	statements := create(s.Engine, dir)
	if s.Engine == duckdb && s.Path != "" {
		statements = append(statements, "CHECKPOINT")
	}
	took, err := p.exec(statements...)
	if err != nil {
		p.kill()
		return l, err
	}
	l.seconds, l.cpu = took.MS/1e3, took.CPUMS/1e3
	if s.Engine == ours && s.Path == "" {
		a, err := p.query("SELECT SUM(data_length) FROM information_schema.tables WHERE table_schema = DATABASE()")
		if err != nil {
			p.kill()
			return l, err
		}
		l.tablesMB = a.Number / 1e6
	}
	a, err := p.ask(request{Op: "peak"})
	if err != nil {
		p.kill()
		return l, err
	}
	l.peakMB = a.PeakMB
	if _, err := p.close(); err != nil {
		return l, err
	}
	if s.Path != "" {
		l.filesMB, err = sizeMB(s.Path)
	}
	return l, err
}

// texts returns TPC-H's queries.
func (o *Options) texts() ([]string, error) {
	var out []string
	for i := 1; i <= 22; i++ {
		text, err := os.ReadFile(filepath.Join(o.Queries, fmt.Sprintf("q%02d.sql", i)))
		if err != nil {
			return nil, err
		}
		out = append(out, strings.TrimRight(strings.TrimSpace(string(text)), ";"))
	}
	return out, nil
}
