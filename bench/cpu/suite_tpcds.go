package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gsql/bench/cpu/tpcds"
)

// tpcdsQueries is the folder of the queries after TPC-DS, in gsql's dialect.
const tpcdsQueries = "../../testdata/tpcds"

// tpcdsSuite returns the queries after TPC-DS over loaded tables: scale factor 1, or 0.1 for the
// quick size.
func tpcdsSuite(o *options) ([]query, error) {
	scale := full(o, 0.1, 1)
	dir := full(o, "tpcds01", "tpcds1")
	if err := os.MkdirAll(filepath.Join(o.data, dir), 0o755); err != nil {
		return nil, err
	}
	var files []file
	for _, t := range tpcds.Tables(scale) {
		files = append(files, file{filepath.Join(dir, t.Name+".parquet"), t.SQL})
	}
	if err := provide(o, files...); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(tpcdsQueries, "q*.sql"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no queries in %s", tpcdsQueries)
	}
	var out []query
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sql := strings.TrimRight(strings.TrimSpace(string(text)), ";")
		q := query{name: strings.TrimSuffix(filepath.Base(path), ".sql"), sql: sql, duckdb: tpcds.DuckDB(sql), duckdbSetup: []string{tpcds.NullOrder}}
		for _, f := range files {
			t := strings.TrimSuffix(filepath.Base(f.name), ".parquet")
			if regexp.MustCompile(`\b` + t + `\b`).MatchString(sql) {
				q.tables = append(q.tables, t+" "+f.name)
			}
		}
		out = append(out, q)
	}
	return out, nil
}
