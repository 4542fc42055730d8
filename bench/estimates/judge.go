package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mark is the alias of the row that the shell prints before each query's plan.
const mark = "estimates_of"

// line is a line of the shell's output: a mark or an operator.
type line struct {
	Mark     string `json:"estimates_of"`
	Operator string `json:"operator"`
	Estimate string `json:"est_rows"`
	Rows     string `json:"act_rows"`
}

// judge runs the queries of a suite.
func judge(shell, name, tables, queries string) (*suite, error) {
	script, n, err := scriptOf(tables, queries)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(shell, "--mode", "jsonl")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(script), &out, &errs
	failure := cmd.Run() // also set if a query failed, which the marks show
	s, err := parse(&out)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, errs.String())
	}
	if s.Queries != n {
		return nil, fmt.Errorf("%d of %d queries ran: %v: %s", s.Queries, n, failure, errs.String())
	}
	s.Name = name
	return s, nil
}

// scriptOf returns statements that load the tables and explain the n queries.
func scriptOf(tables, queries string) (script string, n int, err error) {
	var b strings.Builder
	files, err := filepath.Glob(filepath.Join(tables, "*.parquet"))
	if err != nil || len(files) == 0 {
		return "", 0, fmt.Errorf("no tables in %s: %v", tables, err)
	}
	for _, f := range files {
		fmt.Fprintf(&b, "CREATE TABLE %s AS SELECT * FROM `%s`;\n", strings.TrimSuffix(filepath.Base(f), ".parquet"), f)
	}
	if files, err = filepath.Glob(filepath.Join(queries, "q*.sql")); err != nil || len(files) == 0 {
		return "", 0, fmt.Errorf("no queries in %s: %v", queries, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", 0, err
		}
		fmt.Fprintf(&b, "SELECT '%s' AS %s;\nEXPLAIN ANALYZE %s;\n", strings.TrimSuffix(filepath.Base(f), ".sql"), mark, strings.TrimRight(strings.TrimSpace(string(text)), ";"))
	}
	return b.String(), len(files), nil
}

// parse reads the shell's output.
func parse(out *bytes.Buffer) (*suite, error) {
	s := &suite{}
	query, planned := "", true
	end := func() {
		if !planned {
			s.Failed = append(s.Failed, query)
		}
	}
	for dec := json.NewDecoder(out); dec.More(); {
		var l line
		if err := dec.Decode(&l); err != nil {
			return nil, err
		}
		if l.Mark != "" {
			end()
			query, planned = l.Mark, false
			s.Queries++
			continue
		}
		planned = true
		if j, ok := joinOf(query, &l); ok {
			s.Joins = append(s.Joins, j)
		}
	}
	end()
	slices.SortStableFunc(s.Joins, func(a, b join) int { return compare(b.QError, a.QError) })
	s.Summary = summarize(s.Joins)
	return s, nil
}

// joinOf returns the join that a line shows. Joins that did not run have no rows.
func joinOf(query string, l *line) (join, bool) {
	operator := strings.TrimLeft(l.Operator, " │├└─")
	kind, _, _ := strings.Cut(operator, " ")
	rows, err := strconv.ParseFloat(l.Rows, 64)
	estimate, wrong := strconv.ParseFloat(l.Estimate, 64)
	if !strings.HasSuffix(kind, "Join") || err != nil || wrong != nil {
		return join{}, false
	}
	a, b := max(rows, 1), max(estimate, 1)
	return join{query, operator, rows, estimate, max(a/b, b/a)}, true
}
