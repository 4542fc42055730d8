package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	gen "gsql/internal/tpch"
)

var tpchTables = []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"}

// tpch returns the 22 queries over loaded tables: see tpchScale.
func tpch(o *options) ([]query, error) {
	dir, ours := o.tpch, o.tpch == ""
	if ours {
		dir = filepath.Join(o.data, fmt.Sprintf("tpch-%g", o.tpchScale()))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if ours {
		if _, err := os.Stat(filepath.Join(dir, "supplier.parquet")); err != nil {
			if err := gen.Generate(context.Background(), dir, o.tpchScale(), func(string, int64) {}); err != nil {
				return nil, err
			}
		}
	}
	var out []query
	for i := 1; i <= 22; i++ {
		text, err := os.ReadFile(fmt.Sprintf("../../testdata/tpch/q%02d.sql", i))
		if err != nil {
			return nil, err
		}
		q := query{name: fmt.Sprintf("q%02d", i), sql: strings.TrimRight(strings.TrimSpace(string(text)), ";")}
		for _, t := range tpchTables {
			if regexp.MustCompile(`\b` + t + `\b`).MatchString(q.sql) {
				q.tables = append(q.tables, t+" "+filepath.Join(dir, t+".parquet"))
			}
		}
		out = append(out, q)
	}
	return out, nil
}
