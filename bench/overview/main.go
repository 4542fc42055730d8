// Command overview draws one plot of all comparisons with DuckDB under bench/results: a row for each
// suite, a dot for each query, and a tick at the geometric mean. The README shows it.
//
//	go run ./bench/overview [-results bench/results] [-out docs/img/speed.svg]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// comparison is the part of a cpu.json file that the plot needs.
type comparison struct {
	Machine string
	Threads int
	DuckDB  string
	Date    string
	Queries []struct {
		Suite, Name string
		Ratio       float64 // time of gsql over that of DuckDB; 0 unless both have a result
	}
}

// row is a row of the plot: the ratios of one suite at one size.
type row struct {
	name   string
	ratios []float64
}

func (r *row) mean() float64 {
	sum := 0.0
	for _, x := range r.ratios {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(r.ratios)))
}

// titles lists the suites of each results folder, in the order of the plot.
var titles = []struct{ folder, suite, title string }{
	{"sf1", "tpch", "TPC-H, scale factor 1"},
	{"full", "h2o-groupby", "db-benchmark group-by, 10⁷ rows"},
	{"full", "h2o-join", "db-benchmark join, 10⁷ rows"},
	{"pkfk", "pkfk", "key joins, 10⁶ with 10⁷ rows"},
	{"large", "pkfk", "key joins, 10⁷ with 10⁸ rows"},
	{"full", "load", "loading and scanning files"},
	{"intervals", "intervals", "interval and band joins"},
	{"", "theta", "inequality joins"},
}

func main() {
	results := flag.String("results", "bench/results", "folder with the results of bench/cpu")
	out := flag.String("out", "docs/img/speed.svg", "file to write")
	flag.Parse()
	rows, caption, err := read(*results)
	if err == nil {
		err = os.WriteFile(*out, []byte(plot(rows, caption)), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// read returns the rows of the plot, and the line that states where and when they were measured.
func read(dir string) ([]row, string, error) {
	var rows []row
	var caption string
	for _, t := range titles {
		text, err := os.ReadFile(filepath.Join(dir, t.folder, "cpu.json"))
		if err != nil {
			return nil, "", err
		}
		var c comparison
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, "", err
		}
		r := row{name: t.title}
		for _, q := range c.Queries {
			if q.Suite == t.suite && q.Ratio > 0 {
				r.ratios = append(r.ratios, q.Ratio)
			}
		}
		if len(r.ratios) == 0 {
			return nil, "", fmt.Errorf("%s has no results of suite %s", filepath.Join(dir, t.folder), t.suite)
		}
		slices.Sort(r.ratios)
		rows = append(rows, r)
		caption = fmt.Sprintf("%s, %d threads, DuckDB %s, %s", c.Machine, c.Threads, c.DuckDB, c.Date)
	}
	return rows, caption, nil
}
