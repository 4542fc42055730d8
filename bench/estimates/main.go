// Command estimates compares the planner's estimates of joins with their rows. It loads the tables of
// a suite into the shell, runs EXPLAIN ANALYZE for each query, and writes the q-errors of all joins:
// the larger of estimate and truth divided by the smaller.
//
//	go run ./bench/estimates [-gsql BINARY] [-out FOLDER] NAME=TABLES,QUERIES...
//
// TABLES is a folder of Parquet files, one for each table, and QUERIES one of SQL files with a query
// each. With -gsql, another build of the shell is judged, such as one from before a change.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/internal/machine"
)

// report is the content of estimates.json.
type report struct {
	Date    string   `json:"date"`
	Machine string   `json:"machine"`
	Label   string   `json:"label,omitempty"` // of the build
	Suites  []*suite `json:"suites"`
}

// suite is a set of queries over the same tables.
type suite struct {
	Name    string   `json:"name"`
	Queries int      `json:"queries"`
	Failed  []string `json:"failed,omitempty"` // queries that returned an error
	Joins   []join   `json:"joins"`            // the worst first
	Summary summary  `json:"summary"`
}

// join is a join of a query's plan.
type join struct {
	Query    string  `json:"query"`
	Operator string  `json:"operator"`
	Rows     float64 `json:"rows"`
	Estimate float64 `json:"estimate"`
	QError   float64 `json:"q_error"`
}

func main() {
	shell := flag.String("gsql", "", "shell to judge; built from this module when empty")
	out := flag.String("out", "bench/results/estimates", "folder for estimates.json and estimates.md")
	label := flag.String("label", "", "name of the build, for the report")
	flag.Parse()
	if err := run(*shell, *out, *label, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(shell, out, label string, suites []string) error {
	if len(suites) == 0 {
		return fmt.Errorf("no suite: name one as NAME=TABLES,QUERIES")
	}
	if shell == "" {
		dir, err := os.MkdirTemp("", "estimates")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		shell = filepath.Join(dir, "gsql")
		if text, err := exec.Command("go", "build", "-o", shell, "./cmd/gsql").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
	}
	r := &report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Processor(), Label: label}
	for _, text := range suites {
		name, folders, _ := strings.Cut(text, "=")
		tables, queries, ok := strings.Cut(folders, ",")
		if !ok {
			return fmt.Errorf("suite %q is not NAME=TABLES,QUERIES", text)
		}
		s, err := judge(shell, name, tables, queries)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Suites = append(r.Suites, s)
	}
	return record.Write(out, "estimates", r, r.markdown())
}
