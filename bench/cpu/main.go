// Command cpu compares gsql on the CPU with DuckDB. Each query runs warm, in its own process, on the
// same number of threads; gsql and DuckDB alternate, and their results are compared. It writes
// cpu.json, cpu.md and a plot of each suite.
//
//	cd bench/cpu && go run -tags duckdb_arrow . [-suites tpch,h2o,...] [-size quick|full|large] [-only regexp]
//
// Data is generated once in the folder given by -data.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
	"time"
)

// options holds the values of the flags.
type options struct {
	suites  string
	size    string
	only    string
	data    string
	files   string
	tpch    string
	out     string
	engines string
	threads int
	runs    int
	limit   time.Duration
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == childArg {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	var o options
	flag.StringVar(&o.suites, "suites", "tpch,h2o-groupby,h2o-join,pkfk,theta,intervals,load", "suites to run, comma-separated; further ones are files and expressions")
	flag.StringVar(&o.size, "size", "quick", "size of the data: quick, full, or large (pkfk with ten times the rows of full)")
	flag.StringVar(&o.only, "only", "", "regular expression of the names of queries to run")
	flag.StringVar(&o.data, "data", "../../.bench/cpu", "folder for the data")
	flag.StringVar(&o.tpch, "tpch", "", "folder with TPC-H's Parquet files; made in -data when empty")
	flag.StringVar(&o.files, "files", "../../../shared/data", "folder of the real files, for the suite files")
	flag.StringVar(&o.out, "out", "../results", "folder for cpu.json, cpu.md and plots")
	flag.StringVar(&o.engines, "engines", "gsql,duckdb", "engines to run")
	flag.IntVar(&o.threads, "threads", 2, "threads of an engine")
	flag.IntVar(&o.runs, "runs", 5, "counted runs of a query")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "time of a query's process, loading included")
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

// measure runs a query on each engine and compares the results.
func measure(o *options, suite string, q *query) *measured {
	c := &measured{Suite: suite, Name: q.name, SQL: q.sql}
	for _, engine := range strings.Split(o.engines, ",") {
		res := spawn(o, q.job(o, engine))
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

// newJSON returns an encoder that indents its output for readers.
func newJSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
