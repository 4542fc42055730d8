package main

import (
	"fmt"
	"strings"

	"gsql/bench/cpu/clickbench"
)

// hitsFile provides ClickBench's table as a Parquet file and returns its name and number of rows: a
// million for the quick size, three for full, ten for large, or as many as the flag says.
func hitsFile(o *options) (string, int, error) {
	n := o.hits
	if n == 0 {
		n = map[string]int{"quick": 1_000_000, "full": 3_000_000}[o.size]
	}
	if n == 0 {
		n = 10_000_000
	}
	name := fmt.Sprintf("hits_%d.parquet", n)
	return name, n, provide(o, file{name, clickbench.Hits(n)})
}

// clickBench returns ClickBench's queries over a table with the columns that they read, and the
// loading of a table with all columns, with and without ClickBench's primary key.
func clickBench(o *options) ([]query, error) {
	name, n, err := hitsFile(o)
	out := hitsQueries(n, "hits")
	for i := range out {
		out[i].setup = []string{clickbench.Load("hits", "{"+name+"}", out[i].sql)}
	}
	for what, key := range map[string]string{"load": "", "load with a primary key": clickbench.Key} {
		q := query{name: what, reset: "DROP TABLE IF EXISTS hits; " + clickbench.Define("hits", key, false), duckdbReset: "DROP TABLE IF EXISTS hits; " + clickbench.Define("hits", key, true),
			sql: "INSERT INTO hits SELECT * FROM {" + name + "}", check: "SELECT COUNT(*), SUM(UserID % 1000), SUM(LENGTH(URL)), SUM(LENGTH(Title)) FROM hits"}
		q.duckdbCheck = strings.ReplaceAll(q.check, "LENGTH(", "strlen(")
		out = append(out, q)
	}
	return out, err
}

// clickBenchParquet returns ClickBench's queries over a Parquet file.
func clickBenchParquet(o *options) ([]query, error) {
	name, n, err := hitsFile(o)
	return hitsQueries(n, "{"+name+"}"), err
}

// hitsQueries returns the queries over a table of n rows.
func hitsQueries(n int, table string) (out []query) {
	over := func(sql string) string { return strings.ReplaceAll(sql, "{hits}", table) }
	for _, q := range clickbench.Queries(n) {
		out = append(out, query{name: q.Name, sql: over(q.SQL), duckdb: over(q.DuckDB), check: over(q.Check), duckdbCheck: over(q.CheckDuckDB)})
	}
	return out
}
