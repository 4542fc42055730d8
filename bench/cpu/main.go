// Command cpu measures gsql on the CPU and writes bench/results/cpu.json and cpu.md.
//
//	go run ./bench/cpu [-data ../shared/data] [-runs 5] [-only regexp] [-out bench/results]
//
// The file cases need the folder of real files (flights-3m.parquet, airports.csv,
// zipcodes.csv); without it they are left out and the report says so. Each case runs
// once to warm up and then -runs times; medians are reported.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gsql"
)

func main() {
	data := flag.String("data", "../shared/data", "folder of the real files")
	runs := flag.Int("runs", 5, "counted runs of each case")
	only := flag.String("only", "", "regular expression of case names to run")
	out := flag.String("out", "bench/results", "folder for cpu.json and cpu.md")
	flag.Parse()
	if err := run(*data, *runs, *only, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data string, runs int, only, out string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "gsql-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	shown := strings.NewReplacer(data+string(filepath.Separator), "", tmp+string(filepath.Separator), "")
	report := newReport(runs)
	cases := joinCases()
	if _, err := os.Stat(filepath.Join(data, "flights-3m.parquet")); err != nil {
		report.Notes = append(report.Notes, "The file cases were left out: the folder of real files is absent.")
	} else {
		cases = append(fileCases(data, tmp), cases...)
	}
	ctx := context.Background()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		return err
	}
	for _, c := range cases {
		if !match.MatchString(c.name) {
			continue
		}
		m, err := measure(ctx, db, c, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		m.SQL = shown.Replace(m.SQL)
		fmt.Println(m)
		report.Cases = append(report.Cases, m)
	}
	return report.write(out)
}
