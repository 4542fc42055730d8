package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// query is one item to measure. In SQL, {file} stands for a file of the data folder and is replaced
// by the name that each engine has for it.
type query struct {
	name   string
	sql    string
	duckdb string // SQL in DuckDB's dialect, if that differs
	// duckdbSetup holds statements that only DuckDB runs before it loads tables.
	duckdbSetup []string
	tables      []string // "name file": tables to load first
	setup       []string // statements to run first, after these tables
	reset       string   // run before each run, not timed
	check       string   // query of the rows to compare; sql if empty
	// duckdbReset and duckdbCheck are reset and check in DuckDB's dialect, if that differs.
	duckdbReset, duckdbCheck string
}

// suites maps the names of suites to functions that return their queries, after generating data
// that is missing.
var suites = map[string]func(*options) ([]query, error){
	"tpch": tpch, "h2o-groupby": h2oGroupBy, "h2o-join": h2oJoin, "pkfk": pkfk, "theta": theta, "intervals": intervals, "load": loading, "files": realFiles, "expressions": expressions, "tpcds": tpcdsSuite,
	"clickbench": clickBench, "clickbench-parquet": clickBenchParquet,
}

// into returns a query that writes its result to a table; check returns the rows to compare.
func into(name, sql, check string, tables ...string) query {
	return query{name: name, sql: "CREATE TABLE ans AS " + sql, reset: "DROP TABLE IF EXISTS ans", check: check, tables: tables}
}

// job is the work of a process.
type job struct {
	Engine  string
	Threads int
	Runs    int
	Setup   []string
	Reset   string
	SQL     string
	Check   string
	Profile string // file for a processor profile of the runs, or ""
}

func (q *query) job(o *options, engine string) *job {
	sql, check, reset := q.sql, q.check, q.reset
	if engine == "duckdb" {
		sql, check, reset = cmp.Or(q.duckdb, sql), cmp.Or(q.duckdbCheck, check), cmp.Or(q.duckdbReset, reset)
	}
	check = cmp.Or(check, sql)
	j := &job{Engine: engine, Threads: o.threads, Runs: o.runs, Reset: reset, SQL: files(o, engine, sql), Check: files(o, engine, check)}
	if engine == "duckdb" {
		j.Setup = append(j.Setup, q.duckdbSetup...)
	}
	for _, t := range q.tables {
		name, file, _ := strings.Cut(t, " ")
		j.Setup = append(j.Setup, files(o, engine, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM {%s}", name, file)))
	}
	for _, s := range q.setup {
		j.Setup = append(j.Setup, files(o, engine, s))
	}
	return j
}

var fileRef = regexp.MustCompile(`\{([^}]+)\}`)

// files replaces file names in SQL.
func files(o *options, engine, sql string) string {
	quote := "'"
	if engine == "gsql" {
		quote = "`"
	}
	return fileRef.ReplaceAllStringFunc(sql, func(ref string) string {
		path := ref[1 : len(ref)-1]
		if !filepath.IsAbs(path) {
			path, _ = filepath.Abs(filepath.Join(o.data, path))
		}
		return quote + path + quote
	})
}
