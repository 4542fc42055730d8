package durable

import (
	"fmt"
	"path/filepath"
)

// larger are the queries over a table that is larger than memory.
var larger = []struct{ name, sql string }{
	{"scan of all columns", `SELECT COUNT(*), SUM(l_orderkey), MAX(l_partkey), MAX(l_suppkey), MAX(l_linenumber), SUM(l_quantity), SUM(l_extendedprice),
		AVG(l_discount), AVG(l_tax), MIN(l_returnflag), MAX(l_linestatus), MIN(l_shipdate), MAX(l_commitdate), MAX(l_receiptdate),
		MIN(l_shipinstruct), MAX(l_shipmode), MAX(l_comment), SUM(LENGTH(l_comment)) FROM big`},
	{"aggregates in groups", `SELECT l_returnflag, l_linestatus, l_shipmode, COUNT(*), SUM(l_quantity), AVG(l_extendedprice) FROM big GROUP BY l_returnflag, l_linestatus, l_shipmode`},
	{"join that spills", `SELECT COUNT(*), MAX(o_comment), MAX(o_clerk), MAX(l_comment) FROM big JOIN orders ON l_orderkey = o_orderkey`},
}

// memory measures the resident memory of processes under a limit: of a load, and of queries over
// the table. The rows are lineitem's, as often as the size requires.
func memory(o *Options, r *Report) error {
	dir, err := o.provide(o.Scale)
	if err != nil {
		return err
	}
	limit := int64(o.LimitMB) << 20
	results := map[string]*cell{}
	var order []string
	note := func(engine, name string, p *process, seconds float64) error {
		a, err := p.ask(request{Op: "peak"})
		if err != nil {
			return err
		}
		c := results[name]
		if c == nil {
			c = &cell{Name: "peak memory / limit: " + name, AtMost: 1.3}
			results[name], order = c, append(order, name)
		}
		c.set(engine, a.PeakMB/float64(o.LimitMB))
		c.Note += fmt.Sprintf("%s: %.1f s; ", title(engine), seconds)
		return nil
	}
	for _, engine := range []string{ours, duckdb} {
		s := settings{Engine: engine, Path: o.database("large", engine), Memory: limit}
		if err := o.larger(s, dir, note); err != nil {
			r.fail(engine, err)
		}
		if err := remove(s.Path); err != nil {
			return err
		}
	}
	for _, name := range order {
		r.add(*results[name])
	}
	return nil
}

// larger loads the table in one process and runs each query in another one.
func (o *Options) larger(s settings, dir string, note func(engine, name string, p *process, seconds float64) error) error {
	if err := remove(s.Path); err != nil {
		return err
	}
	if err := o.loadLarger(s, dir, note); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for _, q := range larger {
		p, _, err := o.open(s, "")
		if err != nil {
			return err
		}
		a, err := p.query(q.sql)
		if err == nil {
			err = note(s.Engine, q.name, p, a.MS/1e3)
		}
		p.kill()
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
	}
	return nil
}

// rowBytes is about what a row of lineitem takes in memory.
const rowBytes = 130

func (o *Options) loadLarger(s settings, dir string, note func(engine, name string, p *process, seconds float64) error) error {
	p, _, err := o.open(s, "")
	if err != nil {
		return err
	}
	defer p.kill()
	from := parquet(s.Engine, filepath.Join(dir, "lineitem.parquet"))
	statements := []string{"CREATE TABLE orders AS SELECT * FROM " + parquet(s.Engine, filepath.Join(dir, "orders.parquet")), "CREATE TABLE big AS SELECT * FROM " + from}
	for loaded := 6e6 * o.Scale; loaded*rowBytes < float64(o.TableMB)*1e6; loaded += 6e6 * o.Scale {
		statements = append(statements, "INSERT INTO big SELECT * FROM "+from)
	}
	a, err := p.exec(statements...)
	if err != nil {
		return err
	}
	if err := note(s.Engine, "load", p, a.MS/1e3); err != nil {
		return err
	}
	_, err = p.ask(request{Op: "close"})
	return err
}
