// Command cpu compares gsql on the CPU with DuckDB. Each query runs warm, in its own process, on the
// same number of threads; gsql and DuckDB alternate, and their results are compared. It writes
// cpu.json, cpu.md and a plot of each suite. The suite durable runs alone and writes durable.json
// and durable.md: see package durable.
//
//	cd bench/cpu && go run -tags duckdb_arrow . [-suites tpch,h2o,...] [-size quick|full|large] [-only regexp]
//
// Data is generated once in the folder given by -data.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gsql/bench/cpu/durable"
)

// options holds the values of the flags.
type options struct {
	suites   string
	size     string
	only     string
	data     string
	files    string
	tpch     string
	out      string
	engines  string
	threads  int
	runs     int
	limit    time.Duration
	queries  string
	scale    float64
	table    int
	memory   int
	hits     int
	profiles string
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == childArg {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == durableArg {
		if err := durable.Serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	var o options
	flag.StringVar(&o.suites, "suites", "tpch,h2o-groupby,h2o-join,pkfk,theta,intervals,load", "suites to run, comma-separated; further ones are tpcds, clickbench, clickbench-parquet, files, expressions and durable")
	flag.StringVar(&o.size, "size", "quick", "size of the data: quick, full, or large (pkfk with ten times the rows of full)")
	flag.StringVar(&o.only, "only", "", "regular expression of the names of queries to run, or of the parts of durable: load, queries, open, replay, commits, memory")
	flag.StringVar(&o.data, "data", "../../.bench/cpu", "folder for the data")
	flag.StringVar(&o.tpch, "tpch", "", "folder with TPC-H's Parquet files; made in -data when empty")
	flag.StringVar(&o.files, "files", "../../../shared/data", "folder of the real files, for the suite files")
	flag.StringVar(&o.out, "out", "../results", "folder for cpu.json, cpu.md and plots")
	flag.StringVar(&o.engines, "engines", "gsql,duckdb", "engines to run")
	flag.IntVar(&o.threads, "threads", 2, "threads of an engine")
	flag.IntVar(&o.runs, "runs", 5, "counted runs of a query")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "time of a query's process, loading included")
	flag.StringVar(&o.queries, "queries", "../../testdata/tpch", "folder of TPC-H's queries, for the suite durable")
	flag.Float64Var(&o.scale, "scale", 0, "scale of TPC-H for the suites tpch and durable; 0 for 0.1, or 1 if -size is not quick")
	flag.IntVar(&o.table, "table", 1000, "megabytes of the table that is larger than memory, for the suite durable")
	flag.IntVar(&o.memory, "memory", 256, "memory limit for it, in MB")
	flag.IntVar(&o.hits, "hits", 0, "rows of ClickBench's table; 0 for 1, 3 or 10 million by -size")
	flag.StringVar(&o.profiles, "profiles", "", "folder for processor profiles of gsql's runs")
	flag.Parse()
	if err := run(&o); err != nil {
		log.Fatal(err)
	}
}

func run(o *options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.data, 0o755); err != nil {
		return err
	}
	if o.suites == "durable" {
		return durable.Run(o.durable(only))
	}
	r := newReport(o)
	if err := r.resume(o.out); err != nil {
		return err
	}
	for _, name := range strings.Split(o.suites, ",") {
		make, ok := suites[name]
		if !ok {
			return fmt.Errorf("no suite %q", name)
		}
		queries, err := make(o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range queries {
			q := &queries[i]
			if !only.MatchString(q.name) {
				continue
			}
			c := measure(o, name, q)
			fmt.Println(c)
			r.add(c)
			if err := r.write(o.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// durableArg makes the program serve the suite durable.
const durableArg = "-durable-child"

// durable returns the options of the suite durable, which runs alone and writes a report of its own.
func (o *options) durable(only *regexp.Regexp) *durable.Options {
	return &durable.Options{Child: durableArg, Data: o.data, Out: o.out, Queries: o.queries, Only: only, Full: o.size != "quick",
		Threads: o.threads, Runs: o.runs, Scale: o.tpchScale(), TableMB: o.table, LimitMB: o.memory}
}

// tpchScale returns the scale factor of TPC-H: -scale, or 0.1 for the quick size and 1 for others.
func (o *options) tpchScale() float64 {
	if o.scale > 0 {
		return o.scale
	}
	return full(o, 0.1, 1.0)
}

// measure runs a query on each engine and compares the results.
func measure(o *options, suite string, q *query) *measured {
	c := &measured{Suite: suite, Name: q.name, SQL: q.sql}
	for _, engine := range strings.Split(o.engines, ",") {
		j := q.job(o, engine)
		if o.profiles != "" && engine == "gsql" {
			j.Profile = filepath.Join(o.profiles, suite+"-"+q.name+".cpu")
		}
		res := spawn(o, j)
		switch engine {
		case "gsql":
			c.Gsql = res
		case "duckdb":
			c.DuckDB = res
		}
	}
	c.compare()
	return c
}
